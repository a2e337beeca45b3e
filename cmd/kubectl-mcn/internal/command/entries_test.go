package command

import (
	encoding "encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/phases"
)

// TestOffTargetNode: a node that updates to a withdrawn config has an entry, and no row in the table.
func TestOffTargetNode(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	update(n, "rendered-worker-33333333", now.Add(-5*time.Minute), phases.Drained)
	got := execute(t, asList(t, newPool("worker", newConfig), n), "-f", "-").stdout
	assert.Contains(t, got, "\n~ worker-0 ")
	assert.NotContains(t, got, "\n  worker-0 ")
}

// TestManySteps: the line of a pool counts the nodes at each step only if fewer than ten nodes are updating. A screen
// lists twenty nodes, and -o wide all.
func TestManySteps(t *testing.T) {
	t.Parallel()
	all := []runtime.Object{newPool("worker", newConfig)}
	for i := range 22 {
		n := newNode(fmt.Sprintf("worker-%d", i), "worker", oldConfig, now.Add(-24*time.Hour))
		update(n, newConfig, now.Add(-5*time.Minute), []phases.Phase{phases.RebootedNode, phases.Drained}[min(i, 1)])
		all = append(all, n)
	}
	assert.Contains(t, execute(t, asList(t, all[:10]...), "wait", "-f", "-").stdout, "worker 0/9 to 22222222, 8 draining, 1 rebooting\n")
	assert.Contains(t, execute(t, asList(t, all[:11]...), "wait", "-f", "-").stdout, "worker 0/10 to 22222222, 10 updating\n")
	got := execute(t, asList(t, all...), "-f", "-").stdout
	assert.Equal(t, 20, strings.Count(got, "\n  worker-"), got)
	assert.Contains(t, got, "\nworker: 21 draining, 1 rebooting\n")
	assert.Contains(t, got, "\n  ... and 2 more: -o wide lists all\n")
	assert.Equal(t, 22, strings.Count(execute(t, asList(t, all...), "-f", "-", "-o", "wide").stdout, "\n  worker-"))
}

// TestExpiredList: a server that rejects even the first page does not respond for long without a word.
func TestExpiredList(t *testing.T) {
	t.Parallel()
	s := newServer(t, rollout()...)
	s.failWith(failure{"list", "", http.StatusGone})
	got := execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "cannot list ")
}

// TestTimeOfAFolder: ages are computed at the time of the newest file.
func TestTimeOfAFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, written := range map[string]time.Time{"a.json": now.Add(8 * time.Minute), "b.json": now} {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(asList(t, rollout()...)), 0o644))
		require.NoError(t, os.Chtimes(file, written, written))
	}
	assert.Contains(t, execute(t, "", "-f", folder).stdout, "2026-03-04 14:24:05 UTC")
}

// TestDamagedFiles: damaged files do not hide the good file. A note names the first of them.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"a.json": "{", "b.json": asList(t, rollout()...), "c.json": "{"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{{"-f", folder}, {"-f", folder + "/a.json", "-f", folder + "/b.json"}, {"-f", folder + "/b.json", "-f", folder + "/a.json"}} {
		got := execute(t, "", append(args, "--at", "now")...)
		assert.Zero(t, got.code)
		assert.Contains(t, got.stdout, "worker-4")
		assert.Regexp(t, `^kubectl mcn: a\.json is incomplete or damaged: use oc get .*; all other objects are shown\n$`, got.stderr)
	}
}

// TestProblemThatIsReportedAgain: some daemons change the time of a failure at each attempt. The problem has
// lasted since the first view with it.
func TestProblemThatIsReportedAgain(t *testing.T) {
	t.Parallel()
	c := &check{tolerate: 5 * time.Minute}
	for minutes, want := range []bool{0: false, 4: false, 5: true, 6: false, 10: false, 11: true} {
		at := now.Add(time.Duration(minutes) * time.Minute)
		n := newNode("worker-"+strconv.Itoa(minutes/6), "worker", newConfig, now.Add(-time.Hour)) // another node from minute 6 on
		report(n, phases.NodeDegraded, metav1.ConditionTrue, at, "disk full")
		objects := cluster.Objects{Pools: []*mcfgv1.MachineConfigPool{newPool("worker", newConfig)}, Nodes: []cluster.Node{cluster.NewNode(nil, n)}}
		isOver, _ := c.decide(source.View{Time: at, Cluster: cluster.Of(objects, at, cluster.Limits{})})
		assert.Equal(t, want, isOver, minutes)
	}
}

// TestFieldsAreSet: each field of the document has a value in one of the cases.
func TestFieldsAreSet(t *testing.T) {
	t.Parallel()
	fields := sets.New[string]()
	var add func(value any)
	add = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				add(item)
			}
		case map[string]any:
			for name, field := range value {
				if !slices.Contains([]any{"", false, 0.0, nil}, field) {
					fields.Insert(name)
				}
				add(field)
			}
		}
	}
	for _, c := range realCases(t) {
		var document map[string]any
		if got := c.execute(t, "-o", "json"); got.code == 0 {
			require.NoError(t, encoding.Unmarshal([]byte(got.stdout), &document))
			add(document)
		}
	}
	assert.Empty(t, jsonFields(reflect.TypeFor[documentPool]()).Difference(fields).UnsortedList())
}
