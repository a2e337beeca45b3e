package command

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// chrony is the MachineConfig that the tests wait for.
const chrony = "99-worker-chrony"

// fieldsAt is an entry of managedFields, as the API server writes it.
func fieldsAt(manager, fields string, at time.Time) metav1.ManagedFieldsEntry {
	stamp := metav1.NewTime(at.Truncate(time.Second))
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &stamp, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

// newConfigOf returns a MachineConfig. Its spec was last written at the time changed, and its labels were written now.
func newConfigOf(name string, created, changed time.Time) *mcfgv1.MachineConfig {
	return &mcfgv1.MachineConfig{
		TypeMeta: metav1.TypeMeta{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfig"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, CreationTimestamp: metav1.NewTime(created.Truncate(time.Second)), Labels: map[string]string{"role": "worker"},
			ManagedFields: []metav1.ManagedFieldsEntry{
				fieldsAt("kubectl-client-side-apply", `{"f:spec":{"f:kernelArguments":{}}}`, changed),
				fieldsAt("kubectl-label", `{"f:metadata":{"f:labels":{"f:x":{}}}}`, time.Now()),
			},
		},
	}
}

// targetAt sets the target of a pool, as the controller does at a time.
func targetAt(p *mcfgv1.MachineConfigPool, at time.Time, sources ...string) *mcfgv1.MachineConfigPool {
	for _, name := range sources {
		p.Spec.Configuration.Source = append(p.Spec.Configuration.Source, corev1.ObjectReference{Name: name})
	}
	p.Spec.MachineConfigSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"role": "worker"}}
	p.ManagedFields = []metav1.ManagedFieldsEntry{
		fieldsAt("machine-config-controller", `{"f:spec":{"f:configuration":{"f:name":{},"f:source":{}}}}`, at),
		fieldsAt("kubectl-edit", `{"f:spec":{"f:maxUnavailable":{}}}`, time.Now()),
	}
	status := fieldsAt("machine-config-controller", `{"f:status":{"f:configuration":{}}}`, time.Now())
	status.Subresource = "status"
	p.ManagedFields = append(p.ManagedFields, status)
	return p
}

// A pool never gets a MachineConfig that was deleted. A wait for its removal goes on.
func TestWaitFailsIfTheMachineConfigIsDeleted(t *testing.T) {
	t.Parallel()
	created := time.Now().Add(-time.Hour)
	s := newServer(t, targetAt(newPool("worker", newConfig), created, chrony), newNode("worker-0", "worker", oldConfig, created), newConfigOf(chrony, created, created))
	file := s.kubeconfig(t)
	added := start(t, "wait", "worker", "--machineconfig", chrony, "--kubeconfig", file)
	removed := start(t, "wait", "worker", "--machineconfig", chrony, "--removed", "--kubeconfig", file)
	added.await("without the new " + chrony)
	removed.await("still with " + chrony)
	s.remove(configsResource, chrony)
	code, _, stderr := added.end()
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, "kubectl mcn: failed: the MachineConfig "+chrony+" was deleted\n", stderr)
	s.set(targetAt(newPool("worker", "rendered-worker-33333333"), created))
	removed.await("worker 0/1 to 33333333, 1 waiting\n")
}

// Right after kubectl apply, the pool is still Updated without the MachineConfig. wait must not end yet.
func TestWaitDoesNotEndBeforeThePoolHasTheMachineConfig(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-time.Hour)
	n := newNode("worker-0", "worker", oldConfig, old)
	s := newServer(t, targetAt(updatedPool("worker", oldConfig), old, "00-worker"), n)
	r := start(t, "wait", "worker", "--machineconfig", chrony, "--kubeconfig", s.kubeconfig(t))
	r.await("worker 1/1 to 11111111, there is no MachineConfig " + chrony)
	created := time.Now()
	s.set(newConfigOf(chrony, created, created))
	r.await("worker 1/1 to 11111111, without " + chrony)
	s.set(targetAt(newPool("worker", newConfig), created.Add(5*time.Second), "00-worker", chrony))
	r.await("worker 0/1 to 22222222, 1 waiting\n")

	changed := created.Add(20 * time.Second) // while the first target rolls out
	s.set(newConfigOf(chrony, created, changed))
	r.await("worker 0/1 to 22222222, 1 waiting, without the new " + chrony)
	update(n, newConfig, time.Now(), "")
	s.set(n, targetAt(updatedPool("worker", newConfig), created.Add(5*time.Second), "00-worker", chrony))
	r.await("worker 1/1 to 22222222, without the new " + chrony)
	const third = "rendered-worker-33333333"
	s.set(targetAt(newPool("worker", third), changed.Add(5*time.Second), "00-worker", chrony))
	r.await("worker 0/1 to 33333333, 1 waiting\n")
	update(n, third, time.Now(), "")
	s.set(n, targetAt(updatedPool("worker", third), changed.Add(5*time.Second), "00-worker", chrony))
	code, stdout, stderr := r.end()
	assert.Zero(t, code, stderr)
	assert.Regexp(t, `worker 1/1 to 33333333\ndone\n$`, stdout)
	assert.Empty(t, stderr)
}

// If a change, for example of a label, leads to no new target within five minutes, wait takes the present target for one
// that has it. Each change has its own five minutes.
func TestAChangeThatIsNotRenderedEndsAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	p := cluster.Pool{Sources: []string{chrony}, TargetSet: now}
	c := configChange{config: chrony}
	for _, step := range []struct {
		minutes, changed int
		want             string
	}{{1, 1, "without the new " + chrony}, {5, 1, "without the new " + chrony}, {6, 1, ""}, {7, 7, "without the new " + chrony}, {12, 7, ""}} {
		at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
		v := source.View{Time: at(step.minutes)}
		v.Configs = map[string]cluster.MachineConfig{chrony: {Name: chrony, Changed: at(step.changed)}}
		require.NoError(t, c.observe(v))
		assert.Equal(t, step.want, c.awaited(v, p), step.minutes)
	}
}

// An earlier rendering error may go away, so it has the time of --tolerate from the first view on.
func TestAnEarlierRenderingErrorIsTolerated(t *testing.T) {
	t.Parallel()
	c := check{tolerate: time.Minute, change: configChange{config: chrony, began: now, last: now}}
	p := cluster.Pool{Name: "worker", Known: true, Problems: []cluster.PoolCondition{{Type: renderDegraded, Since: now.Add(-time.Hour)}}}
	for seconds, want := range []int{0: 0, 59: 0, 60: 1} {
		v := source.View{Time: now.Add(time.Duration(seconds) * time.Second), Cluster: cluster.Cluster{Pools: []cluster.Pool{p}}}
		assert.Len(t, c.failed(v), want, seconds)
	}
}

// A rendering error that begins after the change fails wait at once. An earlier rendering error may still go away.
func TestARenderingErrorOfTheChangeIsAFailureAtOnce(t *testing.T) {
	t.Parallel()
	old := time.Now().Add(-time.Hour)
	degraded := func(since time.Time) *mcfgv1.MachineConfigPool {
		p := targetAt(updatedPool("worker", oldConfig), old, "00-worker")
		p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
			Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(since), Message: "99-worker-chrony: invalid",
		})
		return p
	}
	n := newNode("worker-0", "worker", oldConfig, old)
	s := newServer(t, degraded(time.Now().Add(2*time.Second)), n, newConfigOf(chrony, time.Now(), time.Now()))
	code, stdout, stderr := start(t, "wait", "worker", "--machineconfig", chrony, "--tolerate", "24h", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "failed: worker 1/1 to 11111111, RenderDegraded, without "+chrony)
	assert.Contains(t, stdout, "99-worker-chrony: invalid")

	s.set(degraded(old.Add(time.Minute)))
	r := start(t, "wait", "worker", "--machineconfig", chrony, "--kubeconfig", s.kubeconfig(t))
	r.await("RenderDegraded, without " + chrony)
	update(n, newConfig, time.Now(), "")
	s.set(n, targetAt(updatedPool("worker", newConfig), time.Now().Add(5*time.Second), "00-worker", chrony))
	code, _, stderr = r.end()
	assert.Zero(t, code, stderr)

	s.set(targetAt(updatedPool("worker", newConfig), time.Now().Add(5*time.Second), "00-worker", chrony))
	s.remove(configsResource, chrony)
	r = start(t, "wait", "worker", "--machineconfig", chrony, "--removed", "--tolerate", "24h", "--kubeconfig", s.kubeconfig(t))
	r.await("still with " + chrony)
	s.set(degraded(old))
	code, _, stderr = r.end()
	assert.Equal(t, exitFailed, code, "an error that begins while the command waits is a failure at once")
	assert.Contains(t, stderr, "RenderDegraded")
}

// If the user may not list MachineConfigs, the command is done when the target of the updated pool has the MachineConfig as
// a source. One line names the missing permission.
func TestWithoutPermissionTheSourcesOfTheTargetDecide(t *testing.T) {
	t.Parallel()
	s := newServer(t, targetAt(updatedPool("worker", newConfig), time.Now().Add(-time.Hour), chrony), newNode("worker-0", "worker", newConfig, time.Now()))
	s.failWith(failure{resource: configsResource, status: http.StatusForbidden})
	code, _, stderr := start(t, "wait", "worker", "--machineconfig", chrony, "--kubeconfig", s.kubeconfig(t)).end()
	assert.Zero(t, code, stderr)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.Contains(t, stderr, "not allowed to list machineconfigs on ")
}

// With a file, wait --machineconfig decides at once, from the sources and the time of the target.
func TestFilesDecideAtOnceAboutAMachineConfig(t *testing.T) {
	t.Parallel()
	at := now.Add(-time.Hour)
	n := newNode("worker-0", "worker", newConfig, at)
	pool := targetAt(updatedPool("worker", newConfig), at.Add(2*time.Second), "00-worker", chrony)
	for _, test := range []struct {
		want   string
		config *mcfgv1.MachineConfig
		args   []string
	}{
		{"", nil, nil},
		{"", newConfigOf(chrony, at, at), nil},
		{"worker 1/1 to 22222222, without the new " + chrony, newConfigOf(chrony, at, at.Add(time.Second)), nil},
		{"worker 1/1 to 22222222, still with " + chrony, nil, []string{"--removed"}},
		{"worker 1/1 to 22222222, without 99-other", nil, []string{"--machineconfig", "99-other"}},
		{"", nil, []string{"--machineconfig", "99-other", "--removed"}},
	} {
		list := asList(t, pool, n)
		if test.config != nil {
			list = asList(t, pool, n, test.config)
		}
		got := execute(t, list, slices.Concat([]string{"wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony}, test.args)...)
		assert.Equal(t, test.want == "", got.code == 0, got.stderr)
		assert.Contains(t, got.stderr, test.want)
	}
	other := newConfigOf(chrony, at, at)
	other.Labels = nil
	got := execute(t, asList(t, pool, n, other), "wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "the pool worker does not select the MachineConfig "+chrony)
	got = execute(t, asList(t, pool, n, other), "wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony, "--removed")
	assert.Contains(t, got.stderr, "still with "+chrony, "a MachineConfig that a pool no longer selects still has to leave the target")

	pool.Spec.Paused = true // the pool has the change, and is paused
	waiting := newNode("worker-0", "worker", oldConfig, at)
	got = execute(t, asList(t, pool, waiting, newConfigOf(chrony, at, at)), "wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony, "--tolerate", "0s")
	assert.Contains(t, got.stderr, "failed: worker 0/1 to 22222222, 1 waiting, paused\n")
	pool.Spec.Paused = false

	pool.Status.Conditions = append(pool.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
		Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-2 * time.Second)),
	})
	for tolerate, want := range map[string]string{"1s": "failed: worker 1/1", "3s": "not done in ", "1h": "not done in "} {
		got = execute(t, asList(t, pool, n, newConfigOf(chrony, at, at)), "wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony, "--tolerate", tolerate)
		assert.Contains(t, got.stderr, want, tolerate)
	}
	pool.Status.Conditions[len(pool.Status.Conditions)-1].LastTransitionTime = metav1.NewTime(now.Add(-5 * time.Second))
	got = execute(t, asList(t, pool, n, newConfigOf(chrony, at, at)), "wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony, "--tolerate", "1h")
	assert.Contains(t, got.stderr, "failed: worker 1/1", "a rendering error that lasts five seconds")
	pool.Status.Conditions[len(pool.Status.Conditions)-1].LastTransitionTime = metav1.NewTime(at)
	got = execute(t, asList(t, pool, n), "wait", "worker", "-f", "-", "--at", "now", "--machineconfig", chrony, "--removed", "--tolerate", "1h")
	assert.Contains(t, got.stderr, "not done in ", "a rendering error from before the first view may go away if the MachineConfig is not known")
}
