package command

import (
	"net/http"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// newVersion returns a ClusterVersion whose last update began 12 minutes ago.
func newVersion(version string, state configv1.UpdateState) *configv1.ClusterVersion {
	v := &configv1.ClusterVersion{TypeMeta: metav1.TypeMeta{APIVersion: "config.openshift.io/v1", Kind: "ClusterVersion"}, ObjectMeta: metav1.ObjectMeta{Name: "version"}}
	v.Status.Desired.Version = version
	v.Status.History = []configv1.UpdateHistory{
		{State: state, Version: version, StartedTime: metav1.NewTime(now.Add(-12 * time.Minute))},
		{State: configv1.CompletedUpdate, Version: "4.19.1", StartedTime: metav1.NewTime(now.Add(-24 * time.Hour))},
	}
	return v
}

// newOperator returns a ClusterOperator with a condition that reports a failure, and conditions that do not.
func newOperator(name string, kind configv1.ClusterStatusConditionType, status configv1.ConditionStatus, message string) *configv1.ClusterOperator {
	o := &configv1.ClusterOperator{TypeMeta: metav1.TypeMeta{APIVersion: "config.openshift.io/v1", Kind: "ClusterOperator"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
	o.Status.Conditions = []configv1.ClusterOperatorStatusCondition{
		{Type: configv1.OperatorProgressing, Status: configv1.ConditionTrue}, {Type: configv1.OperatorUpgradeable, Status: configv1.ConditionFalse},
		{Type: kind, Status: status, LastTransitionTime: metav1.NewTime(now.Add(-10 * time.Minute)), Message: message},
	}
	return o
}

// doneCluster returns a pool that is done.
func doneCluster() []runtime.Object {
	return []runtime.Object{updatedPool("worker", newConfig), newNode("worker-0", "worker", newConfig, now)}
}

// The ClusterOperator and the ClusterVersion are read from a cluster and from files, and change
// no exit code of wait.
func TestTheOperatorChangesNoExitCodeOfWait(t *testing.T) {
	t.Parallel()
	const onItsWay = "\ndone, but the cluster is on its way to 4.20.3 since 14:04:05 (12m)\n"
	const degraded = "\n~ cluster operator machine-config: degraded since 14:06:05 (10m)\n    Failed to resync 4.20.3\n    next: oc describe clusteroperator machine-config\n"
	const unavailable = "\n! cluster operator machine-config: unavailable since 14:06:05 (10m)\n    Cluster not available for [{operator 4.20.5}]\n"
	for name, test := range map[string]struct {
		objects      []runtime.Object
		says, silent string
	}{
		"the cluster is being updated": {[]runtime.Object{newVersion("4.20.3", configv1.PartialUpdate)}, onItsWay, "cluster operator"},
		"the cluster is updated":       {[]runtime.Object{newVersion("4.20.3", configv1.CompletedUpdate)}, "  done\n", "on its way"},
		"degraded":                     {[]runtime.Object{newOperator("machine-config", configv1.OperatorDegraded, configv1.ConditionTrue, "Failed to resync 4.20.3")}, degraded, "unavailable"},
		"unavailable":                  {[]runtime.Object{newOperator("machine-config", configv1.OperatorAvailable, configv1.ConditionFalse, "Cluster not available for [{operator 4.20.5}]")}, unavailable, "degraded"},
		"fine":                         {[]runtime.Object{newOperator("machine-config", configv1.OperatorDegraded, configv1.ConditionFalse, "")}, "  done\n", "cluster operator"},
		"another operator":             {[]runtime.Object{newOperator("dns", configv1.OperatorDegraded, configv1.ConditionTrue, "x")}, "  done\n", "cluster operator"},
	} {
		objects := append(doneCluster(), test.objects...)
		s := newServer(t, objects...)
		file := s.kubeconfig(t)
		for _, got := range []execution{execute(t, "", "--kubeconfig", file), execute(t, asList(t, objects...), "-f", "-", "--at", "now")} {
			assert.Contains(t, got.stdout, test.says, name)
			assert.NotContains(t, got.stdout, test.silent, name)
			assert.Empty(t, got.stderr, name)
		}
		assert.Zero(t, execute(t, asList(t, objects...), "wait", "-f", "-", "--at", "now").code, name)
	}
	objects := append(doneCluster(), newVersion("4.20.3", configv1.PartialUpdate), newOperator("machine-config", configv1.OperatorAvailable, configv1.ConditionFalse, ""))
	operator := objects[len(objects)-1].(*configv1.ClusterOperator)
	operator.Status.Conditions = append(operator.Status.Conditions, configv1.ClusterOperatorStatusCondition{Type: configv1.OperatorDegraded, Status: configv1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-20 * time.Minute))})
	got := execute(t, asList(t, objects...), "-f", "-", "--at", "now", "-o", "jsonpath={.updatingTo} {.entries[0].subject} {.entries[0].stops} {.entries[0].since}")
	assert.Equal(t, "4.20.3 cluster operator machine-config true 2026-03-04T13:56:05Z", got.stdout, "the operator is unhealthy since the earlier of the two conditions")
	notRendered := append(doneNodes(1), with(updatedPool("worker", newConfig), "RenderDegraded", time.Hour, "duplicate osImageURL"), objects[2])
	got = execute(t, asList(t, notRendered...), "-f", "-", "--at", "now")
	assert.NotContains(t, got.stdout, "on its way", "a pool that is not rendered is not done, even if all its nodes are")
	got = execute(t, asList(t, append(rollout(), objects[2])...), "-f", "-", "--at", "now")
	assert.NotContains(t, got.stdout, "on its way", "while the pools are not done, the screen does not say that an update of the cluster is on its way")
}

// If the user may not read the ClusterOperator or the ClusterVersion, one line says so. wait reads neither of them.
func TestOperatorAndVersionAreOptional(t *testing.T) {
	t.Parallel()
	s := newServer(t, doneCluster()...)
	s.failWith(failure{resource: "cluster", status: http.StatusForbidden})
	got := execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Zero(t, got.code)
	assert.Contains(t, got.stdout, "done")
	for _, resource := range []string{versionsResource, operatorsResource} {
		assert.Equal(t, 1, strings.Count(got.stderr, "not allowed to list "+resource), got.stderr)
		assert.Equal(t, 1, s.requests("list "+resource))
	}
	assert.Zero(t, s.requests("list poddisruptionbudgets"), "no eviction is refused")
	code, _, stderr := start(t, "wait", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Zero(t, code)
	assert.Empty(t, stderr)
	assert.Equal(t, 1, s.requests("list "+versionsResource))
}

// The screen names the MachineConfigs that differ between the target and the one before, and says who wrote them, and when.
func TestTheScreenNamesWhoChangedTheMachineConfigs(t *testing.T) {
	t.Parallel()
	rendered := now.Add(-2 * time.Hour)
	config := func(name, manager string, written time.Time) *mcfgv1.MachineConfig {
		c := newConfigOf(name, rendered.Add(-time.Hour), written)
		c.Labels = map[string]string{"role": "worker"}
		c.ManagedFields[0].Manager = manager
		return c
	}
	release := func(name, version string, created time.Time) *mcfgv1.MachineConfig {
		c := newConfigOf(name, created, created)
		c.Annotations = map[string]string{"machineconfiguration.openshift.io/release-image-version": version}
		return c
	}
	p := targetAt(newPool("worker", newConfig), now, "00-worker", "98-edited", "99-new")
	p.Spec.MachineConfigSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"role": "worker"}}
	p.Status.Configuration.Name = oldConfig
	sources := func(names ...string) {
		p.Status.Configuration.Source = nil
		for _, name := range names {
			p.Status.Configuration.Source = append(p.Status.Configuration.Source, corev1.ObjectReference{Name: name})
		}
	}
	const old, changed = "4.20.1", "worker: 98-edited (by kubectl-edit at 13:16:05), +99-new (by oc at 14:06:05)\n"
	all := []runtime.Object{
		config("00-worker", controllerName, rendered.Add(-time.Minute)), config("98-edited", "kubectl-edit", now.Add(-time.Hour)), config("99-new", "oc", now.Add(-10*time.Minute)),
		release(oldConfig, old, rendered), release(newConfig, old, now), newNode("worker-0", "worker", oldConfig, now),
	}
	sources("00-worker", "98-edited")
	got := execute(t, asList(t, append(all, p)...), "-f", "-", "--at", "now")
	assert.Contains(t, got.stdout, changed)

	s := newServer(t, append(all, p)...)
	got = execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Contains(t, got.stdout, changed)
	assert.Equal(t, 1, s.requests("list machineconfigs"), "MachineConfigs are listed once for each new target")
	s.failWith(failure{"list", "machineconfigs", http.StatusForbidden})
	got = execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Contains(t, got.stdout, "worker: +99-new\n", "without permission, the names are still shown")
	assert.Empty(t, got.stderr)

	sources("00-worker", "98-edited", "99-new")
	for want, objects := range map[string][]runtime.Object{
		"worker: 98-edited (by kubectl-edit at 13:16:05), 99-new (by oc at 14:06:05)\n": all,
		"worker: same MachineConfigs, changed contents\n":                               {release(oldConfig, old, rendered), release(newConfig, old, now)},
		"worker: same MachineConfigs, none written since the last target was rendered\n": {
			config("00-worker", "oc", rendered.Add(-time.Minute)), config("98-edited", "oc", rendered.Add(-time.Minute)), config("99-new", "oc", rendered.Add(-time.Minute)), all[3], all[4],
		},
		"worker: 98-edited (by kubectl-edit at 13:16:05)\n":                       {config("00-worker", controllerName, now), all[1], config("99-new", controllerName, now), all[3], release(newConfig, "4.20.2", now), all[5]},
		"worker: 00-worker (by machine-config-controller at 14:16:05), 98-edited": {config("00-worker", controllerName, now), all[1], config("99-new", controllerName, now), release(oldConfig, "", rendered), release(newConfig, "4.20.2", now), all[5]},
		"OpenShift 4.20.1 -> 4.20.2\n\nPOOL":                                      {config("00-worker", controllerName, now), config("98-edited", controllerName, now), config("99-new", controllerName, now), all[3], release(newConfig, "4.20.2", now), all[5]},
	} {
		got := execute(t, asList(t, append(objects, p)...), "-f", "-", "--at", "now").stdout
		assert.Contains(t, got, want)
		assert.Equal(t, strings.HasPrefix(want, "worker"), strings.Contains(got, "\nworker: "), got)
	}
	got = execute(t, asList(t, all[0], all[1], all[2], all[4], all[5], p), "-f", "-", "--at", "now")
	assert.Contains(t, got.stdout, "worker: same MachineConfigs, changed contents\n", "without the time of the last target, only the names are shown")
}

const controllerName = "machine-config-controller"

func TestWideAndJSONHaveTheVersionsOfNodes(t *testing.T) {
	t.Parallel()
	kube := newKubeNode("worker-0")
	kube.Status.NodeInfo.KubeletVersion, kube.Status.NodeInfo.OSImage = "v1.33.2", "Red Hat Enterprise Linux CoreOS 9.6"
	objects := append(doneCluster(), newNode("worker-1", "worker", newConfig, now), kube)
	got := execute(t, asList(t, objects...), "-f", "-", "--at", "now", "-o", "wide")
	assert.Regexp(t, `NODE +STEPS +STEP +FOR +TOTAL +KUBELET +OS +MESSAGE\n +worker-0 +Done .* v1.33.2 +Red Hat Enterprise Linux CoreOS 9.6\n +worker-1 .* - +-\n`, got.stdout)
	got = execute(t, asList(t, objects...), "-f", "-", "--at", "now", "-o", "jsonpath={.pools[0].nodes[0].kubeletVersion} {.pools[0].nodes[0].osImage}")
	assert.Equal(t, "v1.33.2 Red Hat Enterprise Linux CoreOS 9.6", got.stdout)
	assert.NotContains(t, execute(t, asList(t, doneCluster()...), "-f", "-", "--at", "now", "-o", "wide").stdout, "KUBELET")
}
