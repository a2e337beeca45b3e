package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// Parts of the policies' messages. Package test/guard tests each clause of the policies.
const (
	messageNoClaim = `must have a "authentication.kubernetes.io/node-name" claim`
	messageOther   = "can only be done from the MCN's owner node"
	messageTime    = "may not set a lastTransitionTime that clients cannot read"
	messageNumber  = "may not set a generation above 2147483647"
)

var (
	// fullGuard is the guard of the daemon, with both policies.
	fullGuard = guard.Guard{EnforceTransitions: true}
	// wideGuard is the guard of a service account that RBAC allows every verb, so that only the policies deny its
	// requests.
	wideGuard = guard.Guard{Name: "wide", Namespace: "wide", ServiceAccount: "daemon", EnforceTransitions: true}
)

func withDefaults(g guard.Guard) guard.Guard {
	g.Name = cmp.Or(g.Name, guard.DefaultName)
	g.Namespace = cmp.Or(g.Namespace, guard.DefaultNamespace)
	g.ServiceAccount = cmp.Or(g.ServiceAccount, guard.DefaultServiceAccount)
	return g
}

// guardedClusters has the clusters with both guards.
var (
	installing      sync.Mutex
	guardedClusters = map[*cluster.Cluster]bool{}
)

// installGuards installs fullGuard and wideGuard on a cluster, if they are not installed yet.
func installGuards(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	if guardedClusters[c] {
		return
	}
	guardedClusters[c] = true
	installGuard(t, c, wideGuard)
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: wideGuard.Namespace, Name: wideGuard.ServiceAccount}
	allow(t, c, subject, []string{"*"}, []string{"*"})
	nobody := nodesOf(t, newIdentity(t, c, wideGuard).impersonated(onNode("nobody")))
	eventually(t, func() bool {
		_, err := nobody.Get(t.Context(), "nobody", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, "the role is in effect")
	installGuard(t, c, fullGuard)
}

// installGuard applies the manifests of a guard with kubectl, as an administrator does, and waits until its policies
// are in force. The manifests of fullGuard are the files in scope/manifests.
func installGuard(t *testing.T, c *cluster.Cluster, guard guard.Guard) {
	t.Helper()
	user := newIdentity(t, c, guard)
	user.create()
	files := manifest("guard") + "," + manifest("guard-transitions")
	if guard != fullGuard {
		files = filepath.Join(t.TempDir(), "manifests.yaml")
		file, err := os.Create(files)
		require.NoError(t, err)
		require.NoError(t, guard.WriteManifests(file))
		require.NoError(t, file.Close())
	}
	_, err := c.Kubectl(t.Context(), "apply", "-f", files)
	require.NoError(t, err)

	const probe = "guard-probe"
	dryRun := []string{metav1.DryRunAll}
	inForce := func(policy string, request func() error) {
		t.Helper()
		eventually(t, func() bool {
			err := request()
			return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'")
		}, "policy %s is in force", policy)
	}
	policy, noClaim := withDefaults(guard).Name, nodesOf(t, user.impersonated(nil))
	inForce(policy, func() error {
		_, err := noClaim.Create(t.Context(), bareObject(probe), metav1.CreateOptions{DryRun: dryRun})
		return err
	})
	if !guard.EnforceTransitions {
		return
	}
	admin, daemon := nodesOf(t, c.Config()), nodesOf(t, user.impersonated(onNode(probe)))
	_, err = admin.Create(t.Context(), bareObject(probe), metav1.CreateOptions{})
	require.NoError(t, err)
	inForce(policy+"-transitions", func() error {
		_, err := daemon.Patch(t.Context(), probe, types.MergePatchType, conditionsPatch("Drained=True"), metav1.PatchOptions{DryRun: dryRun}, "status")
		return err
	})
	require.NoError(t, admin.Delete(context.WithoutCancel(t.Context()), probe, metav1.DeleteOptions{}))
}

// manifest returns the path of a file in scope/manifests.
func manifest(name string) string { return filepath.Join("../../scope/manifests", name+".yaml") }

// early is the default time of a condition. unowned is the type of a condition that the library does not write.
const (
	early   = "2026-01-01T00:00:00Z"
	unowned = "InternalReleaseImageDegraded"
)

// conditionsPatch returns a merge patch of a status with conditions. A condition is "Drained=True" or
// "Drained=True at <time>". The default time is early.
func conditionsPatch(conditions ...string) []byte {
	list := []map[string]string{}
	for _, condition := range conditions {
		name, rest, _ := strings.Cut(condition, "=")
		status, at, _ := strings.Cut(rest, " at ")
		list = append(list, map[string]string{"type": name, "status": status, "reason": "Test", "message": "", "lastTransitionTime": cmp.Or(at, early)})
	}
	data, _ := json.Marshal(map[string]any{"status": map[string]any{"conditions": list}})
	return data
}

// deniedWith asserts that a policy denied a request with 403, for a reason.
func deniedWith(t *testing.T, err error, reason string) {
	t.Helper()
	require.Error(t, err)
	assert.Equal(t, "no: policy", answerOf(t, err))
	assert.ErrorContains(t, err, reason)
}

// answerOf returns "yes" if a request was allowed, and otherwise whether a policy or RBAC has denied it.
func answerOf(t *testing.T, err error) string {
	t.Helper()
	switch {
	case err == nil:
		return "yes"
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy"):
		return "no: policy"
	case apierrors.IsForbidden(err):
		return "no: RBAC"
	}
	assert.NoError(t, err, "the request must be allowed or denied")
	return "?"
}
