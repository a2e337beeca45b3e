package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir, "./cmd/kubectl-mcn")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return func(user string, args ...string) *exec.Cmd {
		cmd := kubectl(t, append(append([]string{"mcn"}, args...), "--as", user)...)
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		return cmd
	}
}

// newMCNPool creates a pool with a desired config.
func newMCNPool(t *testing.T, name, target string) pools {
	t.Helper()
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pool.Spec.Configuration.Name = target
	client := mcfgClient(t, standard.Config()).MachineconfigurationV1().MachineConfigPools()
	_, err := client.Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Delete(context.Background(), name, metav1.DeleteOptions{})) })
	return client
}

// TestMCNShowsARollout: a user who may only read follows an update during which the server
// restarts, and waits for it; another one may not.
func TestMCNShowsARollout(t *testing.T) {
	const user = "mcn-reader"
	kubectlMCN := buildMCN(t)
	w := newTestNode(t, "kubectl-mcn")
	pools := newMCNPool(t, "mcn", oldConfig)
	allow(t, standard, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: user},
		[]string{"machineconfignodes", "machineconfigpools"}, []string{"get", "list", "watch"})
	m, _ := w.monitor("mcn")
	w.annotate(oldConfig, oldConfig)
	call{}.make(t, m)
	call{phases.Updated, done, nil}.make(t, m)

	denied := kubectlMCN("nobody", "wait")
	require.Error(t, denied.Run())
	assert.Equal(t, 2, denied.ProcessState.ExitCode())
	waiting := kubectlMCN(user, "wait", "mcn", "--from", oldConfig, "--timeout", "5m")
	waited := follow(t, waiting)
	waited("mcn 1/1")

	_, err := pools.Patch(t.Context(), "mcn", types.MergePatchType, []byte(`{"spec":{"configuration":{"name":"`+newConfig+`"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	waited("mcn 0/1 to")
	w.reboot(func(i int, c call) {
		switch {
		case c.phase == phases.Drained && c.status == done:
			waited("1 draining")
			require.NoError(t, standard.RestartAPIServer(t.Context()))
		case i == len(rebootSteps)-1:
			waited("1 completing the update")
			out, err := kubectlMCN(user, "mcn", "-o", "json").Output()
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
	waited("done")
	require.NoError(t, waiting.Wait())
}
