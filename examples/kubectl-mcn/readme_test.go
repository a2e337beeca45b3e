package main

import (
	encoding "encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const root = "../.."

// TestTheRecordedRollout: the recording is what these daemons write.
func TestTheRecordedRollout(t *testing.T) {
	golden(t, "rollout.json", recordedRollout(t))
}

// TestReadmeShowsTheCommand runs the commands of the README that read the recorded rollout: it shows
// their output. With -update it is written.
func TestReadmeShowsTheCommand(t *testing.T) {
	t.Chdir(root)
	const recording = "examples/kubectl-mcn/testdata/rollout.json"
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(b)
	for _, test := range []struct{ args, show string }{
		{"-f " + recording, ""},
		{"timeline worker -o svg -f " + recording, "examples/kubectl-mcn/testdata/rollout.svg"},
	} {
		got := execute(t, "", strings.Fields(test.args)...)
		require.Zero(t, got.code, got.stderr)
		require.Empty(t, got.stderr)
		command := "$ go run ./examples/kubectl-mcn " + test.args
		if test.show != "" {
			assert.Contains(t, readme, command+" > /tmp/rollout.svg\n```\n\n![Timeline of a rollout]("+test.show+")\n")
			goldenFile(t, test.show, got.stdout)
			continue
		}
		before, after, found := strings.Cut(readme, command+"\n")
		require.True(t, found, command)
		_, after, _ = strings.Cut(after, "```")
		goldenFile(t, "README.md", before+command+"\n"+got.stdout+"```"+after)
	}
}

// recordedRollout returns a watch of a rollout of 11 nodes, two workers at a time, and the pools after it: a node
// waits, and the drain of another one is stuck. Of most updates it has a few versions only.
func recordedRollout(t testing.TB) string {
	t.Helper()
	const hash, before = "7de7db7349148346f2cfd55ca51582cc", "6c320f722eb9ce8bfbd80750dbf70d2e"
	type version struct {
		at   time.Time
		text string
	}
	var versions []version
	emit := func(at time.Time, v any) {
		text, err := encoding.Marshal(v)
		require.NoError(t, err)
		versions = append(versions, version{at, string(text) + "\n"})
	}
	seconds := func(s ...int) map[phases.Phase]time.Duration {
		laps := map[phases.Phase]time.Duration{}
		for i := range s {
			laps[walk[i]] = time.Duration(s[i]) * time.Second
		}
		return laps
	}
	usual := seconds(6, 5, 126, 81, 192, 58, 6)
	for i, n := range []struct {
		name, begin string
		until       phases.Phase
		laps        map[phases.Phase]time.Duration
	}{
		{"master-0", "13:16:02", "", usual},
		{"master-1", "13:24:10", "", usual},
		{"master-2", "13:32:17", "", usual},
		{"worker-0", "13:41:05", "", usual},
		{"worker-1", "13:41:05", "", seconds(5, 5, 372, 84, 201, 47, 9)},
		{"worker-2", "13:49:12", "", seconds(6, 4, 131, 79, 188, 61, 5)},
		{"worker-3", "14:12:23", phases.AppliedFilesAndOS, seconds(5, 5, 132)},
		{"worker-4", "13:57:20", phases.Drained, usual},
		{"worker-5", "13:53:15", "", seconds(7, 5, 118, 90, 196, 55, 6)},
		{"worker-6", "14:01:25", "", seconds(6, 5, 205, 82, 213, 66, 7)},
		{"worker-7", "", "", nil},
	} {
		pool, _, _ := strings.Cut(n.name, "-")
		mcn := newNode(n.name, pool, "rendered-"+pool+"-"+before, now.Add(-2*time.Hour))
		mcn.Labels, mcn.UID = nil, types.UID(fmt.Sprintf("5f1c7a52-93d4-4f0e-9d5a-0000000000%02d", i))
		emit(time.Time{}, watchEvent{"ADDED", mcn})
		if n.begin == "" {
			continue
		}
		begin, err := time.Parse(time.DateTime, now.Format(time.DateOnly+" ")+n.begin)
		require.NoError(t, err)
		is := func(p phases.Phase, status metav1.ConditionStatus) bool {
			return conditions.StatusOf(mcn.Status.Conditions, p) == status
		}
		at := updateIn(mcn, "rendered-"+pool+"-"+hash, begin, n.until, n.laps, func() {
			drains, reboots := is(phases.Drained, metav1.ConditionUnknown), is(phases.RebootedNode, metav1.ConditionUnknown)
			if pool == "worker" && (drains || reboots || is(phases.Uncordoned, metav1.ConditionTrue)) {
				emit(progress.Of(mcn).Since, watchEvent{"MODIFIED", mcn})
			}
		})
		if n.name == "worker-4" { // another attempt, two seconds ago
			report(mcn, phases.Drained, metav1.ConditionUnknown, at, evictionFailed)
			at = now.Add(-2 * time.Second)
			stamp := metav1.NewTime(at)
			mcn.ManagedFields = append(mcn.ManagedFields, metav1.ManagedFieldsEntry{Manager: "machine-config-operator", Subresource: "status", Time: &stamp})
		}
		emit(at, watchEvent{"MODIFIED", mcn})
	}
	masters, workers := newPool("master", "rendered-master-"+hash), newPool("worker", "rendered-worker-"+hash)
	masters.Status.MachineCount, workers.Status.MachineCount = 3, 8
	workers.Spec.MaxUnavailable = &intstr.IntOrString{IntVal: 2}
	emit(now, masters)
	emit(now, workers)

	slices.SortStableFunc(versions, func(a, b version) int { return a.at.Compare(b.at) })
	var b strings.Builder
	for _, v := range versions {
		b.WriteString(v.text)
	}
	return b.String()
}

// watchEvent is a line of oc get -w -o json --output-watch-events.
type watchEvent struct {
	Type   string         `json:"type"`
	Object runtime.Object `json:"object"`
}
