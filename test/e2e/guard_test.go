package e2e

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/test/cluster"
)

var (
	// fullGuard is the guard of the daemon, with both policies.
	fullGuard = scope.Guard{EnforceTransitions: true}
	// wideGuard is the guard of a service account with every verb, so that only the policies
	// deny its requests.
	wideGuard = scope.Guard{Name: "wide", Namespace: "wide", ServiceAccount: "daemon", EnforceTransitions: true}
)

func withDefaults(g scope.Guard) scope.Guard {
	g.Name = cmp.Or(g.Name, scope.DefaultGuardName)
	g.Namespace = cmp.Or(g.Namespace, scope.DefaultGuardNamespace)
	g.ServiceAccount = cmp.Or(g.ServiceAccount, scope.DefaultGuardServiceAccount)
	return g
}

var installed = struct {
	mu sync.Mutex
	on map[*cluster.Cluster]error
}{on: map[*cluster.Cluster]error{}}

// needGuards installs both guards for a test that is about them.
func needGuards(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	sameWhenGuarded(t)
	installGuards(t, c)
}

// installGuards installs both guards on a cluster, once.
func installGuards(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	installed.mu.Lock()
	defer installed.mu.Unlock()
	err, done := installed.on[c]
	if !done {
		err = installBoth(context.WithoutCancel(t.Context()), c)
		installed.on[c] = err
	}
	require.NoError(t, err)
}

func installBoth(ctx context.Context, c *cluster.Cluster) error {
	if err := installGuard(ctx, c, wideGuard); err != nil {
		return err
	}
	if err := grantEverything(ctx, c, wideGuard); err != nil {
		return err
	}
	return installGuard(ctx, c, fullGuard)
}

// installGuard applies the manifests with kubectl, as an administrator does (those of fullGuard are
// the files of package scope), and waits until the guard is in effect.
func installGuard(ctx context.Context, c *cluster.Cluster, guard scope.Guard) error {
	guard = withDefaults(guard)
	if err := createServiceAccount(ctx, c, guard); err != nil {
		return err
	}
	if guard == withDefaults(fullGuard) {
		if _, err := c.Kubectl(ctx, "apply", "-f", manifest("guard"), "-f", manifest("guard-transitions")); err != nil {
			return err
		}
		return waitInForce(ctx, c, guard)
	}
	file, err := os.CreateTemp("", "guard-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := guard.WriteManifests(file); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if _, err := c.Kubectl(ctx, "apply", "-f", filepath.Clean(file.Name())); err != nil {
		return err
	}
	return waitInForce(ctx, c, guard)
}

// manifest is the path of a file that an administrator applies.
func manifest(name string) string { return filepath.Join("../../scope/manifests", name+".yaml") }

func createServiceAccount(ctx context.Context, c *cluster.Cluster, guard scope.Guard) error {
	core, err := kubernetes.NewForConfig(c.Config())
	if err != nil {
		return err
	}
	_, err = core.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: guard.Namespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	_, err = core.CoreV1().ServiceAccounts(guard.Namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: guard.ServiceAccount}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// grantEverything grants the guard's service account every verb on MachineConfigNodes.
func grantEverything(ctx context.Context, c *cluster.Cluster, guard scope.Guard) error {
	core, err := kubernetes.NewForConfig(c.Config())
	if err != nil {
		return err
	}
	name := guard.Name + "-everything"
	_, err = core.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{mcfgv1.GroupName}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = core.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: guard.Namespace, Name: guard.ServiceAccount}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	client, err := mcfgclientset.NewForConfig(impersonate(c.Config(), guard.Namespace, guard.ServiceAccount, onNode("nobody")))
	if err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error {
		err := client.MachineconfigurationV1().MachineConfigNodes().Delete(ctx, "nobody", metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the role has no effect: %w", err)
	})
}

// waitInForce waits until each policy denies a request that it must deny.
func waitInForce(ctx context.Context, c *cluster.Cluster, guard scope.Guard) error {
	const probe = "guard-probe"
	dryRun := []string{metav1.DryRunAll}
	object := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: probe}, Spec: specFor(probe)}
	noClaim, err := mcfgclientset.NewForConfig(impersonate(c.Config(), guard.Namespace, guard.ServiceAccount, nil))
	if err != nil {
		return err
	}
	err = denies(ctx, guard.Name, func(ctx context.Context) error {
		_, err := noClaim.MachineconfigurationV1().MachineConfigNodes().Create(ctx, object, metav1.CreateOptions{DryRun: dryRun})
		return err
	})
	if err != nil || !guard.EnforceTransitions {
		return err
	}

	admin, err := mcfgclientset.NewForConfig(c.Config())
	if err != nil {
		return err
	}
	nodes := admin.MachineconfigurationV1().MachineConfigNodes()
	if _, err := nodes.Create(ctx, object, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	daemon, err := mcfgclientset.NewForConfig(impersonate(c.Config(), guard.Namespace, guard.ServiceAccount, onNode(probe)))
	if err != nil {
		return err
	}
	jump := []byte(`{"status":{"conditions":[{"type":"Drained","status":"True","reason":"Probe","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
	err = denies(ctx, guard.Name+"-transitions", func(ctx context.Context) error {
		_, err := daemon.MachineconfigurationV1().MachineConfigNodes().Patch(ctx, probe, types.MergePatchType, jump, metav1.PatchOptions{DryRun: dryRun}, "status")
		return err
	})
	if err != nil {
		return err
	}
	return nodes.Delete(ctx, probe, metav1.DeleteOptions{})
}

func denies(ctx context.Context, policy string, request func(context.Context) error) error {
	return eventually(ctx, func(ctx context.Context) error {
		err := request(ctx)
		if err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'") {
			return nil
		}
		return fmt.Errorf("policy %s is not in force: %w", policy, err)
	})
}

func eventually(ctx context.Context, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return last
	}
	return nil
}

func specFor(node string) mcfgv1.MachineConfigNodeSpec {
	return mcfgv1.MachineConfigNodeSpec{
		Node:          mcfgv1.MCOObjectReference{Name: node},
		Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "rendered-a"},
	}
}

// dashed converts the name of a case to a part of an object's name.
func dashed(name string) string { return strings.ReplaceAll(name, " ", "-") }
