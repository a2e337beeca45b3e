package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// renderer is a controller that renders the MachineConfigs of a pool without nodes. It makes the requests that
// machine-config-operator's render controller makes.
type renderer struct {
	t      *testing.T
	client mcfgclient.MachineconfigurationV1Interface
	pool   string
}

// newRenderer creates a pool, and renders its first target.
func newRenderer(t *testing.T, pool string) *renderer {
	t.Helper()
	require.NoError(t, cluster.InstallMachineConfigCRD(t.Context(), standard.Config()))
	newMCNPool(t, pool, "", func(p *mcfgv1.MachineConfigPool) {
		p.Spec.MachineConfigSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"of": pool}}
	})
	config := *standard.Config()
	config.UserAgent = "machine-config-controller"
	r := &renderer{t, mcfgClient(t, &config).MachineconfigurationV1(), pool}
	t.Cleanup(func() {
		assert.NoError(t, r.client.MachineConfigs().DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "of=" + pool}))
	})
	r.apply("00-"+pool, "quiet")
	r.render(r.read())
	r.finish()
	return r
}

// apply creates or changes a MachineConfig of the pool.
func (r *renderer) apply(name string, arguments ...string) {
	r.t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": mcfgv1.GroupVersion.String(), "kind": "MachineConfig", "metadata": map[string]any{"name": name, "labels": map[string]string{"of": r.pool}},
		"spec": map[string]any{"kernelArguments": arguments},
	})
	require.NoError(r.t, err)
	file := filepath.Join(r.t.TempDir(), "machineconfig.json")
	require.NoError(r.t, os.WriteFile(file, text, 0o600))
	out, err := kubectl(r.t, "apply", "-f", file).CombinedOutput()
	require.NoError(r.t, err, "%s", out)
}

// read returns the MachineConfigs of the pool. A controller renders what it has read, even if a MachineConfig has changed
// in the meantime.
func (r *renderer) read() []mcfgv1.MachineConfig {
	r.t.Helper()
	list, err := r.client.MachineConfigs().List(r.t.Context(), metav1.ListOptions{LabelSelector: "of=" + r.pool})
	require.NoError(r.t, err)
	return list.Items
}

// render makes the rendered config of some MachineConfigs the target of the pool.
func (r *renderer) render(from []mcfgv1.MachineConfig) {
	r.t.Helper()
	rendered := &mcfgv1.MachineConfig{}
	rendered.Spec.KernelArguments = []string{}
	var sources []corev1.ObjectReference
	for _, mc := range from {
		rendered.Spec.KernelArguments = append(rendered.Spec.KernelArguments, mc.Spec.KernelArguments...)
		sources = append(sources, corev1.ObjectReference{Name: mc.Name})
	}
	rendered.Name = fmt.Sprintf("rendered-%s-%x", r.pool, sha256.Sum256(fmt.Append(nil, rendered.Spec)))
	_, err := r.client.MachineConfigs().Create(r.t.Context(), rendered, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(r.t, err)
	}
	r.change(func(p *mcfgv1.MachineConfigPool) {
		p.Spec.Configuration.Name, p.Spec.Configuration.Source = rendered.Name, sources
	})
}

// renderLate renders the MachineConfigs some seconds after their last change, as machine-config-operator does.
func (r *renderer) renderLate() {
	r.t.Helper()
	time.Sleep(3 * time.Second) //nolint:forbidigo // the times of the API server have whole seconds
	r.render(r.read())
}

// change updates the pool.
func (r *renderer) change(do func(*mcfgv1.MachineConfigPool)) {
	r.t.Helper()
	p, err := r.client.MachineConfigPools().Get(r.t.Context(), r.pool, metav1.GetOptions{})
	require.NoError(r.t, err)
	do(p)
	updated, err := r.client.MachineConfigPools().Update(r.t.Context(), p, metav1.UpdateOptions{})
	require.NoError(r.t, err)
	p.ResourceVersion = updated.ResourceVersion
	_, err = r.client.MachineConfigPools().UpdateStatus(r.t.Context(), p, metav1.UpdateOptions{})
	require.NoError(r.t, err)
}

// finish reports that the pool is done with its target, and that its MachineConfigs can be rendered.
func (r *renderer) finish() {
	r.t.Helper()
	r.change(func(p *mcfgv1.MachineConfigPool) {
		p.Status.Configuration = p.Spec.Configuration
		p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	})
}

// fail reports that the MachineConfigs cannot be rendered.
func (r *renderer) fail(since time.Time) {
	r.t.Helper()
	r.change(func(p *mcfgv1.MachineConfigPool) {
		p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
			Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(since),
			Message: "Failed to render configuration for pool " + r.pool + ": could not generate rendered MachineConfig: 99-x",
		})
	})
}

// A wait right after oc apply or oc delete ends when the pool has, or no longer has, the MachineConfig: if the controller
// renders late, renders what it has read before the change, or has nothing new to render.
func TestMCNWaitsForAMachineConfig(t *testing.T) {
	kubectlMCN := buildMCN(t)
	r := newRenderer(t, "mcn-change")
	const name = "99-mcn-change"
	wait := func(args ...string) (next func(string) string, end func()) {
		t.Helper()
		cmd := kubectlMCN("admin", append([]string{"wait", "mcn-change", "--machineconfig", name, "--timeout", "90s", "--as-group", "system:masters"}, args...)...)
		next = follow(t, cmd)
		return next, func() {
			t.Helper()
			next("done\n")
			require.NoError(t, cmd.Wait())
		}
	}

	r.apply(name, "a=1")
	first, firstEnds := wait()
	first(", without " + name)
	outdated := r.read()
	r.apply(name, "a=2") // between the reading of the controller and its writing
	r.render(outdated)
	r.finish()
	first(", without the new " + name)
	r.renderLate()
	first("not Updated\n")
	second, secondEnds := wait()
	second("not Updated")
	r.finish()
	firstEnds()
	secondEnds()

	r.apply(name, "a=1") // the rendered config of the first target is used again
	again, againEnds := wait()
	again(", without the new " + name)
	r.renderLate()
	r.finish()
	againEnds()

	out, err := kubectl(t, "label", "machineconfig", name, "team=a").CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, labeledEnds := wait()
	labeledEnds() // a label is no change

	out, err = kubectl(t, "delete", "machineconfig", name).CombinedOutput()
	require.NoError(t, err, "%s", out)
	removed, removedEnds := wait("--removed")
	removed(", still with " + name)
	r.render(r.read())
	r.finish()
	removedEnds()
	_, afterwardsEnds := wait("--removed")
	afterwardsEnds()

	file := filepath.Join(t.TempDir(), "dump.yaml")
	dump, err := kubectl(t, "get", "mcp,machineconfigs", "-o", "yaml", "--show-managed-fields").Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, dump, 0o600))
	dumped := kubectlMCN("nobody", "wait", "mcn-change", "-f", file, "--machineconfig", "00-mcn-change")
	out, err = dumped.CombinedOutput()
	require.NoError(t, err, "%s", out)
	dumped = kubectlMCN("nobody", "wait", "mcn-change", "-f", file, "--machineconfig", name)
	out, _ = dumped.CombinedOutput()
	assert.Equal(t, 1, dumped.ProcessState.ExitCode(), "%s", out)
	assert.Contains(t, string(out), ", without "+name)
}

// The command names who changed the MachineConfigs of a new target. It reads their metadata in one request.
func TestMCNNamesWhoChangedAMachineConfig(t *testing.T) {
	kubectlMCN := buildMCN(t)
	r := newRenderer(t, "mcn-who")
	r.apply("98-mcn-who", "a=1")
	r.renderLate()
	r.finish()
	time.Sleep(2 * time.Second) //nolint:forbidigo // the times of the API server have whole seconds
	r.apply("98-mcn-who", "a=2")
	r.apply("99-mcn-who", "b=1")
	r.renderLate()
	out, err := kubectlMCN("admin", "mcn-who", "--as-group", "system:masters").CombinedOutput()
	require.NoError(t, err, "%s", out)
	const who = `\(by kubectl-client-side-apply at \d\d:\d\d:\d\d\)`
	assert.Regexp(t, `mcn-who: 98-mcn-who `+who+`, \+99-mcn-who `+who, strings.Join(strings.Fields(string(out)), " "))
	assert.NotContains(t, string(out), "00-mcn-who")
}

// A rendering error of the change ends wait. A rendering error of an earlier change does not end wait, because the controller
// may not have read the new change yet.
func TestMCNWaitFailsWithARenderingError(t *testing.T) {
	kubectlMCN := buildMCN(t)
	r := newRenderer(t, "mcn-broken")
	const name = "99-mcn-broken"
	wait := func() (cmd func() int, next func(string) string) {
		t.Helper()
		waiting := kubectlMCN("admin", "wait", "mcn-broken", "--machineconfig", name, "--timeout", "90s", "--as-group", "system:masters")
		next = follow(t, waiting)
		return func() int { _ = waiting.Wait(); return waiting.ProcessState.ExitCode() }, next
	}
	r.apply(name, "a=1")
	code, next := wait()
	next(", without " + name)
	r.fail(time.Now())
	next("rendered MachineConfig: 99-x")
	next("kubectl mcn: failed: mcn-broken 0/0")
	assert.Equal(t, 1, code())

	r.finish()
	r.fail(time.Now().Add(-time.Hour))
	r.apply(name, "a=2")
	code, next = wait()
	next("RenderDegraded, without " + name)
	r.renderLate()
	r.finish()
	next("done")
	assert.Zero(t, code())
}

// The block of docs/kubectl-mcn.md for CI jobs waits for each change, even if the controller renders late. The pool has
// another name than in the block, because other tests have nodes in the pool worker.
func TestMCNBlockForCIWaitsForEachChange(t *testing.T) {
	dir := commands(t)
	r := newRenderer(t, "mcn-ci")
	text, err := os.ReadFile("../../docs/kubectl-mcn.md")
	require.NoError(t, err)
	var script string
	for _, block := range shBlock.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(block[1], "--removed") {
			script = block[1]
		}
	}
	require.NotEmpty(t, script)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "machineconfig.yaml"), []byte(`
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 99-worker-chrony, labels: {of: mcn-ci}}
spec: {kernelArguments: [a=1]}
`), 0o600))
	changes, err := r.client.MachineConfigs().Watch(t.Context(), metav1.ListOptions{LabelSelector: "of=mcn-ci"})
	require.NoError(t, err)
	var controller sync.WaitGroup
	controller.Go(func() {
		for range changes.ResultChan() {
			r.renderLate()
			r.finish()
		}
	})
	script = strings.NewReplacer("machineconfig.yaml", dir+"/machineconfig.yaml", "wait worker", "wait mcn-ci").Replace(script)
	out, err := shell(t, standard, "set -e\n"+script, dir)
	changes.Stop()
	controller.Wait()
	require.NoError(t, err, out)
	targets := regexp.MustCompile(`mcn-ci 0/0 to (\w+)\ndone\n`).FindAllStringSubmatch(out, -1)
	require.Len(t, targets, 2, out)
	assert.NotEqual(t, targets[0][1], targets[1][1])
}
