package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// kubectlMCN builds the command, once.
var kubectlMCN = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kubectl-mcn-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "kubectl-mcn")
	build := exec.Command("go", "build", "-o", path, "./cmd/kubectl-mcn")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return path, nil
})

// newMCN returns the command for the cluster, run as a user who has these permissions.
func newMCN(t *testing.T, user string, verbs []string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := kubectlMCN()
	require.NoError(t, err)
	if len(verbs) > 0 {
		grant(t, user, []string{"machineconfignodes", "machineconfigpools"}, verbs)
	}
	return exec.CommandContext(t.Context(), path, append(args, "--kubeconfig", standard.Kubeconfig(), "--as", user)...)
}

// newMCNOn returns the command for a cluster, run by its administrator.
func newMCNOn(t *testing.T, c *cluster.Cluster, args ...string) *exec.Cmd {
	t.Helper()
	path, err := kubectlMCN()
	require.NoError(t, err)
	return exec.CommandContext(t.Context(), path, append(args, "--kubeconfig", c.Kubeconfig())...)
}

// grant lets a user do this with all objects of resources.
func grant(t *testing.T, user string, resources, verbs []string) {
	t.Helper()
	core, err := kubernetes.NewForConfig(standard.Config())
	require.NoError(t, err)
	_, err = core.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{mcfgv1.GroupName}, Resources: resources, Verbs: verbs}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = core.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// reader are the verbs that the command needs.
var reader = []string{"get", "list", "watch"}

// newMCNPool creates a pool with a desired config.
func newMCNPool(t *testing.T, w *testNode, name, target string) {
	t.Helper()
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pool.Spec.Configuration.Name = target
	pools := w.admin.MachineconfigurationV1().MachineConfigPools()
	_, err := pools.Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = pools.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

// follow starts a command. next returns its next line that contains a text.
func follow(t *testing.T, cmd *exec.Cmd) (next func(text string) string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	return func(text string) string {
		t.Helper()
		var skipped strings.Builder
		for {
			line, err := lines.ReadString('\n')
			if errors.Is(err, io.EOF) {
				err = cmd.Wait()
			}
			require.NoError(t, err, "no line with %q: %s%s", text, &skipped, stderr)
			skipped.WriteString(line)
			if strings.Contains(line, text) {
				return line
			}
		}
	}
}

// hooksFrom runs the hooks of an update from one up to another, exclusively.
func (w *testNode) hooksFrom(do func(hook) error, from, to string) {
	w.t.Helper()
	running := false
	for _, h := range rebootHooks() {
		running = running || h.name == from
		if h.name == to {
			return
		}
		if running {
			require.NoError(w.t, do(h), h.name)
		}
	}
}

// TestMCNShowsARollout: a user who may only read follows an update during which the server
// restarts, and another one waits for it.
func TestMCNShowsARollout(t *testing.T) {
	w := newTestNode(t, "kubectl-mcn")
	newMCNPool(t, w, "mcn", oldConfig)
	m, _ := w.monitor("mcn")
	daemon := func(h hook) error { return h.do(t.Context(), w, m) }
	w.annotate(oldConfig, oldConfig)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), "Updated", "Updated", "Node Updated", "True"))

	next := follow(t, newMCN(t, "mcn-reader", reader, "mcn", "-w"))
	assert.Contains(t, next("mcn 1/1"), "mcn 1/1 target")
	waiting := newMCN(t, "mcn-reader", nil, "wait", "mcn", "--from", oldConfig, "--timeout", "5m")
	waited := follow(t, waiting)
	waited("mcn 1/1")

	pools := w.admin.MachineconfigurationV1().MachineConfigPools()
	_, err := pools.Patch(t.Context(), "mcn", "application/merge-patch+json", []byte(`{"spec":{"configuration":{"name":"`+newConfig+`"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	next("mcn 0/1 target")
	waited("mcn 0/1 target")
	all := rebootHooks()
	w.hooksFrom(daemon, all[0].name, "Drained True")
	next("Draining")

	require.NoError(t, standard.RestartAPIServer(t.Context()))
	w.hooksFrom(daemon, "Drained True", all[len(all)-1].name)
	next("kubectl-mcn Draining done")
	out, err := newMCN(t, "mcn-reader", nil, "mcn", "-o", "json").Output()
	require.NoError(t, err)
	var document struct {
		Pools []struct {
			Counts struct{ Updating, Done int }
		}
	}
	require.NoError(t, json.Unmarshal(out, &document))
	assert.Equal(t, 1, document.Pools[0].Counts.Updating)

	require.NoError(t, daemon(all[len(all)-1]))
	done := time.Now()
	waited("mcn 1/1 done")
	noticed := time.Since(done)
	require.NoError(t, waiting.Wait())
	t.Logf("wait ends %s after the last report was written", noticed)
	next("mcn 1/1 kubectl-mcn done in")
}

func TestMCNWithoutRights(t *testing.T) {
	newMCNPool(t, newTestNode(t, "kubectl-mcn-rights"), "mcn-rights", oldConfig)
	for _, test := range []struct {
		user  string
		verbs []string
		args  []string
		want  string
	}{
		{"mcn-nobody", nil, nil, "not allowed to list machineconfignodes"},
		{"mcn-nobody", nil, []string{"-w"}, "machineconfig"},
		{"mcn-nobody", nil, []string{"wait"}, "machineconfig"},
	} {
		cmd := newMCN(t, test.user, test.verbs, test.args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.Error(t, err)
		assert.Equal(t, 2, cmd.ProcessState.ExitCode(), test.user)
		assert.Empty(t, string(out))
		assert.Contains(t, stderr.String(), test.want)
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
	}
}

// TestMCNShowsWhatItMayRead: without the pools, or without the nodes, the rest is shown.
func TestMCNShowsWhatItMayRead(t *testing.T) {
	w := newTestNode(t, "kubectl-mcn-partly")
	newMCNPool(t, w, "mcn-partly", oldConfig)
	m, _ := w.monitor("mcn-partly")
	w.annotate(oldConfig, oldConfig)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), "Updated", "Updated", "Node Updated", "True"))
	for resource, denied := range map[string]string{"machineconfignodes": "machineconfigpools", "machineconfigpools": "machineconfignodes"} {
		user := "mcn-only-" + resource
		grant(t, user, []string{resource}, reader)
		cmd := newMCN(t, user, nil)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, stderr.String())
		assert.Contains(t, string(out), "mcn-partly")
		assert.Contains(t, stderr.String(), "not allowed to list "+denied)
	}
}

// TestMCNWaitInAScript runs wait as a script does, with each exit code.
func TestMCNWaitInAScript(t *testing.T) {
	c := imageCluster(t)
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), c.Config()))
	client, err := mcfgclientset.NewForConfig(c.Config())
	require.NoError(t, err)
	pools, mcns := client.MachineconfigurationV1().MachineConfigPools(), client.MachineconfigurationV1().MachineConfigNodes()
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "mcn-wait"}}
	pool.Spec.Configuration.Name = newConfig
	pool, err = pools.Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = pools.Delete(context.Background(), "mcn-wait", metav1.DeleteOptions{}) })
	digest := func(digit string) mcfgv1.ImageDigestFormat {
		return mcfgv1.ImageDigestFormat("registry.example/os@sha256:" + strings.Repeat(digit, 64))
	}
	has := func(name string, desired, current mcfgv1.ImageDigestFormat) {
		t.Helper()
		mcn, err := mcns.Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			mcn = &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}
			mcn.Spec.Node.Name, mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired = name, "mcn-wait", newConfig
			mcn.Spec.ConfigImage.DesiredImage = desired
			mcn, err = mcns.Create(t.Context(), mcn, metav1.CreateOptions{})
			t.Cleanup(func() { _ = mcns.Delete(context.Background(), name, metav1.DeleteOptions{}) })
		} else if err == nil {
			mcn.Spec.ConfigImage.DesiredImage = desired
			mcn, err = mcns.Update(t.Context(), mcn, metav1.UpdateOptions{})
		}
		require.NoError(t, err)
		mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: newConfig, Desired: newConfig}
		mcn.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{CurrentImage: current, DesiredImage: desired}
		mcn.Status.Conditions = []metav1.Condition{{Type: "Updated", Status: "True", Reason: "Updated", LastTransitionTime: metav1.Now()}}
		_, err = mcns.UpdateStatus(t.Context(), mcn, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	wait := func(args ...string) (int, string) {
		cmd := newMCNOn(t, c, append([]string{"wait", "mcn-wait"}, args...)...)
		out, _ := cmd.CombinedOutput()
		return cmd.ProcessState.ExitCode(), string(out)
	}
	has("mcn-wait-0", digest("a"), digest("a"))
	has("mcn-wait-1", digest("a"), digest("a"))
	code, out := wait()
	assert.Equal(t, 0, code, out)
	code, out = wait("--from", newConfig+","+string(digest("a")), "--begin-within", "1s")
	assert.Equal(t, 3, code, out)
	code, out = wait("--for", "never")
	assert.Equal(t, 2, code, out)

	has("mcn-wait-0", digest("b"), digest("b")) // the first of two
	code, out = wait("--timeout", "1s")
	assert.Equal(t, 3, code, out)
	assert.Contains(t, out, "not done within 1s: mcn-wait 1/2")
	code, out = wait("--timeout", "1s", "--from", newConfig)
	assert.Equal(t, 3, code, out)
	has("mcn-wait-1", digest("b"), digest("b"))
	code, out = wait("--from", newConfig+","+string(digest("a")))
	assert.Equal(t, 0, code, out)
	assert.Contains(t, out, "done: ")

	pool.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{
		Type: "RenderDegraded", Status: "True", Message: "duplicate osImageURL", LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Hour)),
	}}
	_, err = pools.UpdateStatus(t.Context(), pool, metav1.UpdateOptions{})
	require.NoError(t, err)
	code, out = wait()
	assert.Equal(t, 1, code, out)
	assert.Contains(t, out, "pool mcn-wait: RenderDegraded: duplicate osImageURL")
}
