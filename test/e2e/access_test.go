package e2e

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// Each daemon gets the right token in the end, and its reports are then written.
func TestADeniedDaemonIsToldWhyAndLosesNoReport(t *testing.T) {
	needGuards(t, standard)
	ungoverned := guard.Guard{Name: "ungoverned", Namespace: "ungoverned"}
	newIdentity(t, standard, ungoverned).create()
	for name, tc := range map[string]struct {
		config  func(w, other *testNode) *rest.Config
		message string
	}{
		"unbound": {func(w, _ *testNode) *rest.Config { return newIdentity(w.t, standard, fullGuard).unboundToken() }, messageNoClaim},
		"of another node": {func(w, other *testNode) *rest.Config {
			return newIdentity(w.t, standard, fullGuard).podToken(other.name)
		},
			messageOther},
		"without a role": {func(w, _ *testNode) *rest.Config { return newIdentity(w.t, standard, ungoverned).podToken(w.name) },
			`cannot get resource "machineconfignodes"`},
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
			var mu sync.Mutex // guards log
			var log strings.Builder
			w.logger = funcr.NewJSON(func(line string) {
				mu.Lock()
				defer mu.Unlock()
				log.WriteString(line + "\n")
			}, funcr.Options{})
			m, _ := w.monitor("master")
			for range 3 {
				require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), "Updated", "Updated", "is up to date", done))
				assert.True(t, isPending(m))
			}
			mu.Lock()
			assert.Contains(t, strings.ReplaceAll(log.String(), `\"`, `"`), tc.message)
			assert.Equal(t, 1, strings.Count(log.String(), "Failed to write the MachineConfigNode"), log.String())
			mu.Unlock()

			token.Store(right)
			require.NoError(t, m.Flush(t.Context()))
			mu.Lock()
			assert.Contains(t, log.String(), "works again")
			mu.Unlock()
			h := watchFrom(t, w)
			h.check()
			h.checkEnded()
		})
	}
}

// With OwnerReferencesPermissionEnforcement, as on OpenShift, a change of the owners requires
// the permission to delete the object, which the guard's role does not grant.
func TestAnUpdateNeedsNoPermissionToDelete(t *testing.T) {
	sameWhenGuarded(t)
	c, err := cluster.Start(t.Context(), cluster.Options{APIServerArgs: []string{"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	w := guardedNodeOn(t, c, "permissions")
	w.reportUpdated()
	m, requests := w.monitor("master")
	w.rebootUpdate(m)
	assert.Equal(t, requests.all(), requests.answered(http.StatusOK), "a whole update changes no owner")

	w.recreateNode()
	m, _ = w.monitor("master")
	require.ErrorContains(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()), "cannot set an ownerRef on a resource you can't delete")
	w.delete() // the garbage collector: the owner is gone
	writeSpec(t, m)
	assert.Equal(t, []metav1.OwnerReference{w.owner()}, w.object().OwnerReferences)
}

// The CRD gets the field for images during an update, and loses it in the next one.
func TestTheCRDChangesDuringAnUpdate(t *testing.T) {
	sameWhenGuarded(t)
	changing, err := cluster.Start(context.Background(), cluster.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, changing.Stop()) })
	w := unguardedNodeOn(t, changing, "crd-changes")
	w.imageMode = true
	w.annotateVersions(version{oldConfig, oldImage}, version{oldConfig, oldImage})
	m, counted := w.monitor("master")
	imageCalls[len(imageCalls)-1].make(t, m)
	assert.Zero(t, w.object().Status.ConfigImage)
	for _, images := range []bool{true, false} {
		w.update(imageCalls, version{oldConfig, oldImage}, version{oldConfig, newImage}, func(i int, c call) {
			if i == 3 {
				require.NoError(t, cluster.InstallCRD(t.Context(), changing.Config(), images))
				if images {
					m, counted = w.monitor("master") // else it notices after five minutes
				}
			}
			call{}.make(t, m)
			c.make(t, m)
		})
		after := w.object()
		assert.Equal(t, images, string(after.Spec.ConfigImage.DesiredImage) == newImage)
		assert.Equal(t, images, string(after.Status.ConfigImage.CurrentImage) == newImage)
	}
	assert.Zero(t, counted.answered(http.StatusUnprocessableEntity))
}
