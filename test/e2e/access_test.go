package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// A report that is denied because of its token stays pending, and is written with a valid token, which the kubelet provides
// from time to time. The log has the cause of the denial.
func TestADeniedReportIsPendingUntilTheTokenIsValid(t *testing.T) {
	installGuards(t, standard)
	ungoverned := guard.Guard{Name: "ungoverned", Namespace: "ungoverned"}
	newIdentity(t, standard, ungoverned).create()
	full := newIdentity(t, standard, fullGuard)
	other := unguardedNodeOn(t, standard, "denied-other")
	for name, tc := range map[string]struct {
		token   func(w *testNode) *rest.Config
		message string
	}{
		"an unbound token":        {func(*testNode) *rest.Config { return full.unboundToken() }, messageNoClaim},
		"a token of another node": {func(*testNode) *rest.Config { return full.podToken(other.name) }, messageOther},
		"without a role": {func(w *testNode) *rest.Config { return newIdentity(t, standard, ungoverned).podToken(w.name) },
			`cannot get resource "machineconfignodes"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := unguardedNodeOn(t, standard, "denied-"+dashed(name))
			w.annotate(oldConfig, oldConfig)
			var token atomic.Value
			token.Store(tc.token(w).BearerToken)
			w.config = rest.AnonymousClientConfig(standard.Config())
			w.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					r = r.Clone(r.Context())
					r.Header.Set("Authorization", "Bearer "+token.Load().(string))
					return next.RoundTrip(r)
				})
			})
			var log lockedBuffer
			w.logger = funcr.NewJSON(func(line string) { _, _ = log.Write([]byte(line + "\n")) }, funcr.Options{})
			m, _ := w.monitor("master")
			m.Report(t.Context(), phases.Updated, "Node is updated", done)
			assert.True(t, isPending(m))
			// The writer may log after the report has returned.
			eventually(t, func() bool { return strings.Contains(strings.ReplaceAll(log.String(), `\"`, `"`), tc.message) }, tc.message)

			token.Store(full.podToken(w.name).BearerToken)
			require.NoError(t, m.Flush(t.Context()))
			assert.Equal(t, done, w.status(phases.Updated))
		})
	}
}

// With the admission plugin OwnerReferencesPermissionEnforcement, which OpenShift enables, a change of owners needs the
// permission to delete. The guard's role does not grant this permission, and an update does not need it. If the Node was
// created again, the garbage collector deletes the object, and the daemon creates a new one.
func TestAChangeOfOwnersNeedsThePermissionToDelete(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{APIServerArgs: []string{"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	w := unguardedNodeOn(t, c, "permissions")
	w.guard()
	w.reportUpdated()
	m, requests := w.monitor("master")
	w.rebootUpdate(m)
	assert.Equal(t, requests.all(), requests.answered(http.StatusOK))

	client := kubeClient(t, c.Config()).CoreV1().Nodes()
	require.NoError(t, client.Delete(t.Context(), w.name, metav1.DeleteOptions{}))
	w.node, err = client.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.name, Annotations: w.node.Annotations}}, metav1.CreateOptions{})
	require.NoError(t, err)
	w.guard() // a token with the new UID
	m, _ = w.monitor("master")
	require.ErrorContains(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()), "cannot set an ownerRef on a resource you can't delete")
	require.NoError(t, w.admin.Delete(t.Context(), w.name, metav1.DeleteOptions{})) // as the garbage collector does
	eventually(t, func() bool { return m.GenerateAndApplyMachineConfigNodeSpec(t.Context()) == nil })
	assert.Equal(t, []metav1.OwnerReference{w.owner()}, w.object().OwnerReferences)
}
