package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// asOC is oc as a script: kubectl has all of its commands that are printed, but for adm.
const asOC = "#!/bin/sh\n[ \"$1\" = adm ] || exec kubectl \"$@\"\n"

var (
	nextCommand = regexp.MustCompile(`(?m)next: (.+)$`)
	podOnNode   = regexp.MustCompile(`spec\.nodeName=([^) ]+)`)
	shBlock     = regexp.MustCompile("(?s)```sh\n(.*?)```")
	misused     = regexp.MustCompile(`unknown (command|flag|shorthand flag)|flag needs an argument|is a required argument|error: (expected|invalid|unable to parse)|Usage:|command not found`)
)

// newShell returns a function that runs a script in the repository as an administrator, with kubectl, kubectl mcn and oc
// in its PATH.
func newShell(t *testing.T) func(script string) (string, error) {
	t.Helper()
	kubectl, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "oc"), []byte(asOC), 0o755))
	build := exec.Command("go", "build", "-o", bin, "./cmd/kubectl-mcn")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return func(script string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-c", script)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+filepath.Dir(kubectl)+":"+os.Getenv("PATH"), "KUBECONFIG="+standard.Kubeconfig(), "TMPDIR="+home)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// TestMCNNextCommandsRun: kubectl knows each command that a screen prints. The object may be missing.
func TestMCNNextCommandsRun(t *testing.T) {
	run := newShell(t)
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	const goldens = "../../cmd/kubectl-mcn/internal/command/testdata/"
	screens, err := filepath.Glob(goldens + "*.txt")
	require.NoError(t, err)
	real, err := filepath.Glob(goldens + "real/*.txt")
	require.NoError(t, err)
	commands := map[string]bool{}
	for _, file := range append(screens, real...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range nextCommand.FindAllStringSubmatch(string(text), -1) {
			commands[match[1]] = true
		}
	}
	require.Greater(t, len(commands), 12)

	const namespace = "openshift-machine-config-operator"
	core := kubeClient(t, standard.Config())
	createNamespace(t, core, namespace)
	client, no := core.CoreV1(), false
	_, err = client.ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "machine-config-daemon"}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
	for command := range commands {
		node := podOnNode.FindStringSubmatch(command)
		if node != nil {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "machine-config-daemon-", Labels: map[string]string{"k8s-app": "machine-config-daemon"}}}
			pod.Spec = corev1.PodSpec{NodeName: node[1], ServiceAccountName: "machine-config-daemon", AutomountServiceAccountToken: &no, Containers: []corev1.Container{{Name: "machine-config-daemon", Image: "daemon"}}}
			_, err := client.Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		out, err := run(command)
		assert.NotRegexp(t, misused, out, command)
		if node != nil { // the API server has found the Pod, and looks for its node
			require.Error(t, err)
			assert.Regexp(t, `"`+regexp.QuoteMeta(node[1])+`" not found`, out)
		}
	}
}

// TestMCNCommandsOfThePage runs each block of its page as a script.
func TestMCNCommandsOfThePage(t *testing.T) {
	run := newShell(t)
	newMCNPool(t, "worker", newConfig)
	newConfiguration(t)
	text, err := os.ReadFile("../../docs/kubectl-mcn.md")
	require.NoError(t, err)
	blocks := shBlock.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(blocks), 3)
	dir := t.TempDir()
	rollout, err := filepath.Abs("../../cmd/kubectl-mcn/testdata/rollout.json")
	require.NoError(t, err)
	for _, block := range blocks {
		script := strings.NewReplacer("~/", "$TMPDIR/", " must-gather/", " "+rollout, " dump.yaml", " "+dir+"/dump.yaml", "machineconfig.yaml", "/dev/null", "--timeout 1h", "--timeout 5s").Replace(block[1])
		out, err := run("set -o pipefail\n" + script)
		assert.NotRegexp(t, misused, out, script)
		assert.NotContains(t, out, "no such file", script)
		t.Logf("%s%s%v", script, out, err)
	}
}

// TestMCNWithoutWatch: a user who may get and list sees a screen.
func TestMCNWithoutWatch(t *testing.T) {
	const user = "mcn-lister"
	kubectlMCN := buildMCN(t)
	newMCNPool(t, "mcn-list", oldConfig)
	allow(t, standard, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}, []string{"machineconfignodes", "machineconfigpools"}, []string{"get", "list"})
	assert.Eventually(t, func() bool {
		out, err := kubectlMCN(user, "mcn-list").Output()
		return err == nil && bytes.Contains(out, []byte("\nmcn-list "))
	}, 30*time.Second, 100*time.Millisecond)
	waiting := kubectlMCN(user, "wait", "mcn-list", "--from", oldConfig)
	out, err := waiting.CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, 2, waiting.ProcessState.ExitCode())
	assert.Contains(t, string(out), "not allowed to watch machineconfig")
}

// TestMCNWaitsWhileTheServerStarts: wait starts before the API server does, and a second time in its middle.
func TestMCNWaitsWhileTheServerStarts(t *testing.T) {
	kubectlMCN := buildMCN(t)
	w := newTestNode(t, "kubectl-mcn-waits")
	newMCNPool(t, "mcn-wait", newConfig)
	m, _ := w.monitor("mcn-wait")
	w.annotate(oldConfig, oldConfig)
	call{}.make(t, m)
	call{phases.Updated, done, nil}.make(t, m)

	require.NoError(t, standard.StopAPIServer())
	command := kubectlMCN("admin", "wait", "mcn-wait", "--timeout", "5m", "--as-group", "system:masters")
	waiting := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `exec "$0" "$@" 2>&1`}, command.Args...)...)
	waiting.Env = command.Env
	waited := follow(t, waiting)
	waited("; trying again")
	require.NoError(t, standard.StartAPIServer(t.Context()))
	waited("mcn-wait 0/1 to")
	require.NoError(t, standard.RestartAPIServer(t.Context()))
	w.reboot(func(_ int, c call) { c.make(t, m) })
	waited("done")
	require.NoError(t, waiting.Wait())
}
