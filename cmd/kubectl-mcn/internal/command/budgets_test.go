package command

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// newBudget returns a PodDisruptionBudget.
func newBudget(name string, allowed, healthy, required, expected int32) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
	}
	b.Status = policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: healthy, DesiredHealthy: required, ExpectedPods: expected}
	return b
}

// TestBudgetThatRefuses: an entry about a drain names the budget of the pod, and the pod.
func TestBudgetThatRefuses(t *testing.T) {
	t.Parallel()
	web, db, idle, loose := newBudget("web", 0, 1, 1, 2), newBudget("db", 0, 3, 3, 3), newBudget("idle", 0, 0, 0, 0), newBudget("loose", 1, 2, 1, 2)
	s := newServer(t, rollout()...)
	list := policyv1.PodDisruptionBudgetList{Items: []policyv1.PodDisruptionBudget{*web, *db, *idle, *loose}}
	s.paths = map[string]any{"/apis/policy/v1/namespaces/shop/poddisruptionbudgets": list}
	const refused, full = "PDB shop/web allows 0 disruptions (1 of 2 healthy): pdb-app-0\n", "PDB shop/db allows 0 disruptions (3 of 3 healthy, 3 required)"
	file := s.kubeconfig(t)
	for _, args := range [][]string{nil, {"node", "worker-4"}} {
		got := execute(t, "", append(args, "--kubeconfig", file)...)
		assert.Contains(t, got.stdout, "    "+refused+"    next: oc get pdb -n shop\n")
		assert.Contains(t, got.stdout, full, "each budget of the namespace may be the one")
		assert.NotContains(t, got.stdout, "idle")
		assert.NotContains(t, got.stdout, "loose")
		assert.Empty(t, got.stderr)
		got = execute(t, "", append(args, "-o", "json", "--kubeconfig", file)...)
		assert.Contains(t, got.stdout, `"details": [`)
		assert.Contains(t, got.stdout, strings.TrimSpace(refused))
	}
	r := start(t, "wait", "--kubeconfig", file, "--tolerate", "40s") // by then, the budgets are read
	_, stdout, _ := r.end()
	assert.Contains(t, stdout, refused)

	s.failWith(failure{resource: "poddisruptionbudgets", status: http.StatusForbidden})
	got := execute(t, "", "--kubeconfig", file)
	assert.NotContains(t, got.stdout, "PDB")
	assert.Contains(t, got.stderr, "not allowed to list poddisruptionbudgets on ")
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"))

	got = execute(t, asList(t, append(rollout(), []runtime.Object{web, db}...)...), "-f", "-", "--at", "now")
	assert.Contains(t, got.stdout, refused)
	assert.Empty(t, got.stderr)

	dump := t.TempDir()
	policies := filepath.Join(dump, "namespaces/shop/policy")
	require.NoError(t, os.MkdirAll(policies, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(policies, "poddisruptionbudgets.yaml"), []byte(asList(t, web)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dump, "rollout.json"), []byte(asList(t, rollout()...)), 0o600))
	assert.Contains(t, execute(t, "", "-f", dump, "--at", "now").stdout, refused)
	got = execute(t, asList(t, web), "-f", "-")
	assert.Equal(t, exitUsage, got.code, "a budget alone is not shown")
}
