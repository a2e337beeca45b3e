package e2e

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Each daemon gets the right token in the end, and its reports are then written.
func TestADeniedDaemonIsToldWhyAndLosesNoReport(t *testing.T) {
	needGuards(t, standard)
	ungoverned := scope.Guard{Name: "ungoverned", Namespace: "ungoverned"}
	require.NoError(t, createServiceAccount(t.Context(), standard, withDefaults(ungoverned)))
	for name, tc := range map[string]struct {
		config        func(w, other *testNode) *rest.Config
		policy, claim string
		message       string
	}{
		"unbound": {func(w, _ *testNode) *rest.Config { return newIdentity(w.t, standard, fullGuard).unboundToken() },
			scope.DefaultGuardName, scope.NodeNameClaim, "give the daemon the token that the kubelet projects into its Pod"},
		"of another node": {func(w, other *testNode) *rest.Config {
			return newIdentity(w.t, standard, fullGuard).podToken(other.name)
		},
			scope.DefaultGuardName, "", "can only be done from the MCN's owner node: make the Monitor with the name of the node"},
		"without a role": {func(w, _ *testNode) *rest.Config { return newIdentity(w.t, standard, ungoverned).podToken(w.name) },
			"", "", "bind the daemon's service account to the role of scope.Guard"},
	} {
		t.Run(name, func(t *testing.T) {
			w, other := unguardedNodeOn(t, standard, "denied-"+dashed(name)), unguardedNodeOn(t, standard, "denied-other-"+dashed(name))
			w.annotate(oldConfig, oldConfig)
			right := newIdentity(t, standard, fullGuard).podToken(w.name).BearerToken
			var token atomic.Value
			token.Store(tc.config(w, other).BearerToken)
			w.config = rest.AnonymousClientConfig(standard.Config())
			w.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					r = r.Clone(r.Context())
					r.Header.Set("Authorization", "Bearer "+token.Load().(string))
					return next.RoundTrip(r)
				})
			})
			m, _ := w.monitor("master")
			err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "is up to date", metav1.ConditionTrue)

			t.Log(err)
			var denied *upgrademonitor.DeniedError
			require.ErrorAs(t, err, &denied)
			assert.Equal(t, []string{w.name, tc.policy, tc.claim}, []string{denied.NodeName, denied.Policy, denied.MissingClaim})
			assert.ErrorContains(t, err, tc.message)
			assert.ErrorIs(t, err, upgrademonitor.ErrPending)
			assert.True(t, apierrors.IsForbidden(err))

			token.Store(right)
			require.NoError(t, m.Flush(t.Context()))
			h := watchFrom(t, w)
			h.check()
			h.checkEnded()
		})
	}
}

// With OwnerReferencesPermissionEnforcement, as on OpenShift, a change of the owners requires
// the permission to delete the object, which the guard's role does not grant.
func TestAnUpdateNeedsNoPermissionToDelete(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{APIServerArgs: []string{"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	w := guardedNodeOn(t, c, "permissions")
	w.reportUpdated()
	h := watchFrom(t, w)
	m, requests := w.monitor("master")
	w.rebootUpdate(m)
	h.catchUp()
	h.check()
	h.checkEnded()
	assert.Equal(t, requests.all(), requests.answered(http.StatusOK), "a whole update changes no owner")

	w.recreateNode()
	m, _ = w.monitor("master")
	err = m.GenerateAndApplyMachineConfigNodeSpec(t.Context())
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	assert.ErrorContains(t, err, "cannot set an ownerRef on a resource you can't delete")

	client := w.admin.MachineconfigurationV1().MachineConfigNodes()
	require.NoError(t, client.Delete(t.Context(), w.name, metav1.DeleteOptions{}), "what the garbage collector does: the owner is gone")
	require.NoError(t, m.Flush(t.Context()))
	object, err := client.Get(t.Context(), w.name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []metav1.OwnerReference{w.owner()}, object.OwnerReferences)
}
