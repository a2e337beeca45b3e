package e2e

import (
	"cmp"
	"context"
	"io"
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

var (
	// fullGuard is the guard of the daemon, with both policies.
	fullGuard = guard.Guard{EnforceTransitions: true}
	// wideGuard is the guard of a service account with every verb, so that only the policies
	// deny its requests.
	wideGuard = guard.Guard{Name: "wide", Namespace: "wide", ServiceAccount: "daemon", EnforceTransitions: true}
)

func withDefaults(g guard.Guard) guard.Guard {
	g.Name = cmp.Or(g.Name, guard.DefaultName)
	g.Namespace = cmp.Or(g.Namespace, guard.DefaultNamespace)
	g.ServiceAccount = cmp.Or(g.ServiceAccount, guard.DefaultServiceAccount)
	return g
}

// guardedClusters are those on which both guards are installed.
var (
	installing      sync.Mutex
	guardedClusters = map[*cluster.Cluster]bool{}
)

// needGuards installs both guards for a test that is about them.
func needGuards(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	sameWhenGuarded(t)
	installGuards(t, c)
}

// installGuards installs both guards on a cluster, once.
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
		return apierrors.IsNotFound(nobody.Delete(t.Context(), "nobody", metav1.DeleteOptions{}))
	}, "the role is in effect")
	installGuard(t, c, fullGuard)
}

// installGuard applies the manifests with kubectl, as an administrator does (those of fullGuard are
// the files of package scope), and waits until each policy denies a request that it must deny.
func installGuard(t *testing.T, c *cluster.Cluster, guard guard.Guard) {
	t.Helper()
	user := newIdentity(t, c, guard)
	user.create()
	files := []string{manifest("guard"), manifest("guard-transitions")}
	if guard != fullGuard {
		files = []string{writeManifests(t, guard)}
	}
	_, err := c.Kubectl(t.Context(), "apply", "-f", strings.Join(files, ","))
	require.NoError(t, err)

	const probe = "guard-probe"
	dryRun := []string{metav1.DryRunAll}
	policy := withDefaults(guard).Name
	inForce := func(policy string, request func() error) {
		t.Helper()
		eventually(t, func() bool {
			err := request()
			return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'")
		}, "policy %s is in force", policy)
	}
	noClaim := nodesOf(t, user.impersonated(nil))
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
		_, err := daemon.Patch(t.Context(), probe, types.MergePatchType, statuses{"Drained": "True"}.patch(), metav1.PatchOptions{DryRun: dryRun}, "status")
		return err
	})
	require.NoError(t, admin.Delete(context.WithoutCancel(t.Context()), probe, metav1.DeleteOptions{}))
}

// manifest is the path of a file that an administrator applies.
func manifest(name string) string { return filepath.Join("../../scope/manifests", name+".yaml") }

// writeManifests returns the path of a file with the manifests of another guard.
func writeManifests(t *testing.T, objects interface{ WriteManifests(io.Writer) error }) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "manifests.yaml"))
	require.NoError(t, err)
	require.NoError(t, objects.WriteManifests(file))
	require.NoError(t, file.Close())
	return file.Name()
}

// deniedWith asserts that a policy denied a request with 403, for a reason.
func deniedWith(t *testing.T, err error, reason string) {
	t.Helper()
	require.Error(t, err)
	assert.Equal(t, "no: policy", answerOf(t, err))
	assert.ErrorContains(t, err, reason)
}

// answerOf returns what denied a request, if it was denied.
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
	assert.NoError(t, err, "neither allowed nor denied")
	return "?"
}
