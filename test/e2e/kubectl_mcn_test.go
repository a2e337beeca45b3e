package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// buildMCN returns a function that returns the command as a plugin of kubectl, for a user.
func buildMCN(t *testing.T) func(user string, args ...string) *exec.Cmd {
	t.Helper()
	dir := build(t, "cmd/kubectl-mcn")
	return func(user string, args ...string) *exec.Cmd {
		cmd := kubectl(t, append(append([]string{"mcn"}, args...), "--as", user)...)
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		return cmd
	}
}

// show runs the command in dir on objects, and decodes the JSON that the command prints.
func show(t *testing.T, dir string, objects []*mcfgv1.MachineConfigNode, into any, args ...string) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"apiVersion": mcfgv1.GroupVersion.String(), "kind": "MachineConfigNodeList", "items": objects})
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "kubectl-mcn"), append(args, "-f", "-", "-o", "json")...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, into))
}

// newMCNPool creates a pool with a desired config.
func newMCNPool(t *testing.T, name, target string, change ...func(*mcfgv1.MachineConfigPool)) pools {
	t.Helper()
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pool.Spec.Configuration.Name = target
	for _, f := range change {
		f(pool)
	}
	client := mcfgClient(t, standard.Config()).MachineconfigurationV1().MachineConfigPools()
	_, err := client.Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Delete(context.Background(), name, metav1.DeleteOptions{})) })
	return client
}

// A user with the verbs get, list and watch can follow an update, and wait for its end, even if the server restarts or is
// down when wait starts. wait needs watch. A user without permissions gets an error.
func TestMCNShowsARollout(t *testing.T) {
	kubectlMCN := buildMCN(t)
	w := newTestNode(t, "kubectl-mcn")
	pools := newMCNPool(t, "mcn", oldConfig)
	for user, verbs := range map[string][]string{"mcn-reader": {"get", "list", "watch"}, "mcn-lister": {"get", "list"}} {
		allow(t, standard, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}, []string{"machineconfignodes", "machineconfigpools"}, verbs)
	}
	m, _ := w.monitor("mcn")
	w.annotate(oldConfig, oldConfig)
	call{}.make(t, m)
	call{phases.Updated, done, nil}.make(t, m)

	eventually(t, func() bool {
		out, err := kubectlMCN("mcn-lister", "mcn").Output()
		return err == nil && strings.Contains(string(out), "\nmcn ")
	}, "lists are enough for a screen")
	for user, message := range map[string]string{"nobody": "not allowed to list machineconfig", "mcn-lister": "not allowed to watch machineconfig"} {
		denied := kubectlMCN(user, "wait", "mcn", "--from", oldConfig)
		out, err := denied.CombinedOutput()
		require.Error(t, err, user)
		assert.Equal(t, 2, denied.ProcessState.ExitCode(), user)
		assert.Contains(t, string(out), message)
	}
	waiting, late := kubectlMCN("mcn-reader", "wait", "mcn", "--from", oldConfig, "--timeout", "5m"), kubectlMCN("admin", "wait", "mcn", "--timeout", "5m", "--as-group", "system:masters")
	waited := follow(t, waiting)
	waited("mcn 1/1")

	_, err := pools.Patch(t.Context(), "mcn", types.MergePatchType, []byte(`{"spec":{"configuration":{"name":"`+newConfig+`"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	waited("mcn 0/1 to")
	w.reboot(func(i int, c call) {
		switch {
		case c.phase == phases.Drained && c.status == done:
			waited("1 draining")
			require.NoError(t, standard.StopAPIServer())
			waitedLate := follow(t, late)
			waitedLate("; trying again")
			require.NoError(t, standard.StartAPIServer(t.Context()))
			waitedLate("mcn 0/1 to")
		case i == len(rebootSteps)-1:
			waited("1 completing the update")
			out, err := kubectlMCN("mcn-reader", "mcn", "-o", "json").Output()
			require.NoError(t, err)
			var document struct {
				Pools []struct {
					Counts struct{ Updating, Done int }
				}
			}
			require.NoError(t, json.Unmarshal(out, &document))
			assert.Equal(t, 1, document.Pools[0].Counts.Updating)
		}
		c.make(t, m)
	})
	waited("mcn 1/1 to")
	status := `{"status":{"configuration":{"name":"` + newConfig + `"},"conditions":[{"type":"Updated","status":"True"}]}}`
	_, err = pools.Patch(t.Context(), "mcn", types.MergePatchType, []byte(status), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
	waited("done\n")
	require.NoError(t, waiting.Wait())
	require.NoError(t, late.Wait())
}
