package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
)

const leaseName = "upgrademonitor-example-operator"

// TestOperatorsElectALeader runs processes of examples/operator as the operator's service
// account: one leads while the other waits, and takes over if the leader is interrupted or killed.
func TestOperatorsElectALeader(t *testing.T) {
	f := newFleet(t)
	f.grantLeases()
	binary, kubeconfig := buildOperator(t), f.operatorKubeconfig()

	first := startOperator(t, binary, kubeconfig)
	firstHolder := f.nextHolder("")
	second := startOperator(t, binary, kubeconfig)
	waiting := fmt.Sprintf("operator: waiting for the Lease kube-system/%s, which %s holds\n", leaseName, firstHolder)
	require.Eventually(t, func() bool { return second.stderr.String() == waiting }, 30*time.Second, 20*time.Millisecond)

	// The leader creates the object of a node, and gives its pool a status and events.
	f.runUpdate("leader-0")
	assert.Empty(t, second.stdout.String(), "a waiting replica prints no pools")

	first.end(t, os.Interrupt)
	assert.Empty(t, first.stderr.String(), "no errors")
	assert.Contains(t, first.stdout.String(), "\nworker ")
	secondHolder := f.nextHolder(firstHolder)
	f.node("leader-1", "worker", "rendered-worker-1")
	f.eventually("leader-1", exists)

	third := startOperator(t, binary, kubeconfig)
	require.Eventually(t, func() bool { return strings.Contains(third.stderr.String(), secondHolder) }, 30*time.Second, 20*time.Millisecond)
	second.end(t, os.Kill)
	f.nextHolder(secondHolder)
	f.node("leader-2", "worker", "rendered-worker-1")
	f.eventually("leader-2", exists)
	third.end(t, os.Interrupt)
}

// runUpdate reports an update of a new node of pool worker, and waits for the operator to publish
// it.
func (f *fleet) runUpdate(name string) {
	f.t.Helper()
	const before, after = "rendered-worker-1", "rendered-worker-2"
	pools := f.mcfg.MachineconfigurationV1().MachineConfigPools()
	setConfig := func(config string) {
		patch := fmt.Appendf(nil, `{"spec":{"configuration":{"name":%q}}}`, config)
		_, err := pools.Patch(f.t.Context(), "worker", types.MergePatchType, patch, metav1.PatchOptions{})
		require.NoError(f.t, err)
	}
	until := func(condition mcfgv1.MachineConfigPoolConditionType) {
		require.Eventually(f.t, func() bool {
			p, err := pools.Get(f.t.Context(), "worker", metav1.GetOptions{})
			require.NoError(f.t, err)
			for _, c := range p.Status.Conditions {
				if c.Type == condition && c.Status == corev1.ConditionTrue {
					return true
				}
			}
			return false
		}, 60*time.Second, 50*time.Millisecond, condition)
	}

	setConfig(before)
	node := f.node(name, "worker", before)
	_, err := f.core.CoreV1().Nodes().Patch(f.t.Context(), name, types.StrategicMergePatchType,
		[]byte(`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`), metav1.PatchOptions{}, "status")
	require.NoError(f.t, err)
	f.eventually(name, exists)
	monitor, view, _ := f.daemon(node, false)
	report := func(status metav1.ConditionStatus) {
		require.NoError(f.t, monitor.GenerateAndApplyMachineConfigNode(f.t.Context(), phases.Updated, "Updated", "Node "+name, status))
	}
	report(metav1.ConditionTrue)
	until(mcfgv1.MachineConfigPoolUpdated)

	setConfig(after)
	view.set(f.patch(name, "annotations.desiredConfig="+after))
	report(metav1.ConditionFalse)
	until(mcfgv1.MachineConfigPoolUpdating)
	view.set(f.patch(name, "annotations.currentConfig="+after))
	report(metav1.ConditionTrue)
	until(mcfgv1.MachineConfigPoolUpdated)
	for _, reason := range []string{"Updating", "Completed"} {
		f.event("worker", reason)
	}
}

// event waits for an Event of a pool.
func (f *fleet) event(poolName, reason string) {
	f.t.Helper()
	require.Eventually(f.t, func() bool {
		events, err := f.core.CoreV1().Events(metav1.NamespaceDefault).List(f.t.Context(), metav1.ListOptions{
			FieldSelector: "involvedObject.kind=MachineConfigPool,involvedObject.name=" + poolName + ",reason=" + reason,
		})
		require.NoError(f.t, err)
		return len(events.Items) == 1
	}, 30*time.Second, 50*time.Millisecond, reason)
}

// nextHolder waits until the Lease has another holder than the last one, and returns it.
func (f *fleet) nextHolder(last string) (holder string) {
	f.t.Helper()
	require.Eventually(f.t, func() bool {
		lease, err := f.core.CoordinationV1().Leases(metav1.NamespaceSystem).Get(f.t.Context(), leaseName, metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return false
		}
		holder = *lease.Spec.HolderIdentity
		return holder != "" && holder != last
	}, 60*time.Second, 20*time.Millisecond)
	return holder
}

// grantLeases grants the operator's service account what leader election needs.
func (f *fleet) grantLeases() {
	f.t.Helper()
	meta := metav1.ObjectMeta{Name: leaseName, Namespace: metav1.NamespaceSystem}
	_, err := f.core.RbacV1().Roles(meta.Namespace).Create(f.t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}},
	}}, metav1.CreateOptions{})
	require.NoError(f.t, err)
	_, err = f.core.RbacV1().RoleBindings(meta.Namespace).Create(f.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: leaseName},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: scope.DefaultOperatorNamespace, Name: scope.DefaultOperatorServiceAccount}},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
}

// operatorKubeconfig writes a kubeconfig of the operator's service account.
func (f *fleet) operatorKubeconfig() string {
	f.t.Helper()
	config, err := clientcmd.LoadFromFile(f.cluster.Kubeconfig())
	require.NoError(f.t, err)
	for _, user := range config.AuthInfos {
		user.Impersonate = fmt.Sprintf("system:serviceaccount:%s:%s", scope.DefaultOperatorNamespace, scope.DefaultOperatorServiceAccount)
	}
	require.NoError(f.t, clientcmd.ResolveLocalPaths(config))
	file := filepath.Join(f.t.TempDir(), "kubeconfig")
	require.NoError(f.t, clientcmd.WriteToFile(*config, file))
	return file
}

func buildOperator(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "operator")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./examples/operator")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// operatorProcess is a process of examples/operator.
type operatorProcess struct {
	cmd            *exec.Cmd
	stdout, stderr lockedBuffer
}

func startOperator(t *testing.T, binary, kubeconfig string) *operatorProcess {
	t.Helper()
	// The process outlives the context of the test until its cleanup.
	p := &operatorProcess{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), binary,
		"--kubeconfig", kubeconfig, "--leader-elect-lease-duration=6s")}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		if t.Failed() {
			t.Logf("operator %d:\n%s%s", p.cmd.Process.Pid, p.stdout.String(), p.stderr.String())
		}
	})
	return p
}

// end sends a signal and waits. An interrupted operator exits with 0.
func (p *operatorProcess) end(t *testing.T, signal os.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(signal))
	err := p.cmd.Wait()
	if signal == os.Interrupt {
		assert.NoError(t, err, p.stderr.String())
	}
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
