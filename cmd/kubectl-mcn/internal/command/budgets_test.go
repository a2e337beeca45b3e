package command

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// newBudget returns a PodDisruptionBudget that selects the pods with the label app=name.
func newBudget(name string, allowed, healthy, required, expected int32) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
	}
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	b.Status = policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: healthy, DesiredHealthy: required, ExpectedPods: expected}
	return b
}

// newPod returns the pod pdb-app-0, whose eviction is refused.
func newPod(app string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "pdb-app-0", Labels: map[string]string{"app": app}},
	}
}

const (
	refusedByWeb = "    PDB shop/web allows 0 disruptions (1 of 2 healthy): pdb-app-0\n"
	anyOfShop    = "    refused: pdb-app-0; budgets of shop that allow 0: db (3 of 3 healthy, 3\n    required), web (1 of 2 healthy)\n"
)

// An entry about a drain names the pod, and the budget that selects the pod. If the pod is not known, the entry
// lists all budgets that allow 0 disruptions.
func TestADrainNamesTheBudgetThatRefuses(t *testing.T) {
	t.Parallel()
	web, db, idle, loose := newBudget("web", 0, 1, 1, 2), newBudget("db", 0, 3, 3, 3), newBudget("idle", 0, 0, 0, 0), newBudget("loose", 1, 2, 1, 2)
	s := newServer(t, rollout()...)
	list := policyv1.PodDisruptionBudgetList{Items: []policyv1.PodDisruptionBudget{*web, *db, *idle, *loose}}
	const ofPod = "/api/v1/namespaces/shop/pods/pdb-app-0"
	s.serve("/apis/policy/v1/namespaces/shop/poddisruptionbudgets", list)
	s.serve(ofPod, newPod("web"))
	file := s.kubeconfig(t)
	for _, args := range [][]string{nil, {"node", "worker-4"}} {
		got := execute(t, "", append(args, "--kubeconfig", file)...)
		assert.Contains(t, got.stdout, refusedByWeb+"    next: oc get pdb -n shop\n")
		for _, other := range []string{"db", "idle", "loose"} {
			assert.NotContains(t, got.stdout, "shop/"+other, "the budget does not select the pod")
		}
		assert.Empty(t, got.stderr)
		got = execute(t, "", append(args, "-o", "json", "--kubeconfig", file)...)
		assert.Contains(t, got.stdout, `"details": [`)
		assert.Contains(t, got.stdout, strings.TrimSpace(refusedByWeb))
	}
	assert.Equal(t, 4, s.requests("list pdb-app-0"), "each run requests the pod once")
	r := start(t, "wait", "--kubeconfig", file, "--tolerate", "40s") // by then, the budgets are read
	_, stdout, _ := r.end()
	assert.Contains(t, stdout, refusedByWeb)
	assert.Greater(t, s.requests("list pdb-app-0"), 4, "wait reads the pod, which may be evicted at any time")

	s.serve(ofPod, &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "pdb-app-0"}})
	assert.Contains(t, execute(t, "", "--kubeconfig", file).stdout, "    no budget of shop selects pdb-app-0\n", "a pod without labels exists")
	again := newPod("web")
	again.Spec.NodeName = "worker-3"
	s.serve(ofPod, again)
	got := execute(t, "", "--kubeconfig", file)
	assert.Contains(t, got.stdout, "    shop/pdb-app-0 is no longer on worker-4\n", "the pod of a StatefulSet was created again on another node")
	assert.NotContains(t, got.stdout, "PDB")
	s.serve(ofPod, nil)
	got = execute(t, "", "--kubeconfig", file)
	assert.Contains(t, got.stdout, "    shop/pdb-app-0 is no longer on worker-4\n    next: oc -n openshift-machine-config-operator logs deploy/machine-config-controller", "the controller tries again")
	assert.NotContains(t, got.stdout, "budgets of")
	assert.Empty(t, got.stderr)

	for resource, verb := range map[string]string{"pdb-app-0": "get pods", "poddisruptionbudgets": "list poddisruptionbudgets"} {
		s.failWith(failure{resource: resource, status: http.StatusForbidden})
		got = execute(t, "", "--kubeconfig", file)
		assert.Equal(t, resource == "pdb-app-0", strings.Contains(got.stdout, anyOfShop))
		assert.NotContains(t, got.stdout, "PDB")
		assert.Contains(t, got.stderr, "not allowed to "+verb+" on ")
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
	}
}

// An entry names a budget only if the dump or the must-gather has a Pod that the budget selects.
func TestThePodsOfADumpDecideTheBudget(t *testing.T) {
	t.Parallel()
	web, db := newBudget("web", 0, 1, 1, 2), newBudget("db", 0, 3, 3, 3)
	of := func(objects ...runtime.Object) string { return asList(t, append(rollout(), objects...)...) }
	invalid := newBudget("invalid", 0, 3, 3, 3)
	invalid.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Likes"}}
	always, down, pending := newBudget("web", 0, 0, 1, 1), newPod("web"), newPod("web")
	always.Spec.UnhealthyPodEvictionPolicy = ptr.To(policyv1.AlwaysAllow)
	changed := newBudget("web", 1, 2, 1, 2)
	changed.Generation = 1
	down.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(now)}}
	pending.Status.Phase = corev1.PodPending
	for name, test := range map[string]struct{ in, says, never string }{
		"a budget whose selector is invalid":          {of(invalid, newPod("invalid")), "    no budget of shop selects pdb-app-0\n", "PDB"},
		"a budget that now allows the eviction":       {of(newBudget("web", 1, 2, 1, 2), newPod("web")), "    shop/pdb-app-0 can be evicted now\n", "PDB"},
		"a budget that was changed just now":          {of(changed, newPod("web")), "    PDB shop/web allows 0 disruptions (its last change is not processed yet):\n    pdb-app-0\n    next: oc get pdb -n shop\n", "can be"},
		"a Pod that is not Ready, and may be evicted": {of(always, down), "    shop/pdb-app-0 can be evicted now\n    next: oc -n openshift-machine-config-operator logs deploy/machine-config-controller", "PDB"},
		"a Pod that has not started":                  {of(web, pending), "    shop/pdb-app-0 can be evicted now\n    next: oc -n openshift-machine-config-operator logs deploy/machine-config-controller", "PDB"},
	} {
		got := execute(t, test.in, "-f", "-", "--at", "2026-03-04T14:16:05Z")
		assert.Contains(t, got.stdout, test.says, name)
		assert.NotContains(t, got.stdout, test.never, name)
		assert.Empty(t, got.stderr)
	}
	twice := newBudget("all", 1, 2, 1, 2)
	twice.Spec.Selector = &metav1.LabelSelector{}
	got := execute(t, of(newBudget("web", 1, 2, 1, 2), twice, newPod("web")), "-f", "-", "--at", "2026-03-04T14:16:05Z")
	assert.Contains(t, got.stdout, "    shop/pdb-app-0 has several budgets, so the API server does not evict it:\n    all, web\n    next")

	dump := t.TempDir()
	for name, text := range map[string]string{
		"rollout.json": of(), "namespaces/shop/policy/poddisruptionbudgets.yaml": asList(t, web, db),
		"namespaces/shop/core/pods.yaml": asList(t, newPod("web")), "namespaces/other/core/pods.yaml": "a file that is not read: {",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dump, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dump, name), []byte(text), 0o600))
	}
	got = execute(t, "", "-f", dump, "--at", "2026-03-04T14:16:05Z")
	assert.Contains(t, got.stdout, refusedByWeb)
	assert.NotContains(t, got.stdout, "shop/db")
	assert.Empty(t, got.stderr)
	require.NoError(t, os.RemoveAll(filepath.Join(dump, "namespaces/shop/policy")))
	require.NoError(t, os.RemoveAll(filepath.Join(dump, "namespaces/other")))
	require.NoError(t, os.WriteFile(filepath.Join(dump, "rollout.json"), []byte(of(web, db)), 0o600))
	assert.Contains(t, execute(t, "", "-f", dump, "--at", "2026-03-04T14:16:05Z").stdout, refusedByWeb, "a folder that is not a must-gather also has Pods")
	got = execute(t, asList(t, web), "-f", "-")
	assert.Equal(t, exitUsage, got.code, "a dump with only a budget is wrong usage")
}
