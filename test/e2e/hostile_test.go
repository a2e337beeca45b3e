package e2e

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
)

// The messages of the policy. Tests of machine-config-operator expect the first two.
const (
	messageNoClaim  = `denied request: this user must have a "authentication.kubernetes.io/node-name" claim`
	messageClaims   = `denied request: this user must have exactly one "authentication.kubernetes.io/node-name" claim`
	messageDelete   = "denied request: may not delete MachineConfigNodes: they are garbage-collected with their Node"
	messageMetadata = "denied request: may not change labels, annotations or finalizers of MachineConfigNodes"
	messageOwner    = "denied request: may not add owner references to MachineConfigNodes, except one to their Node"
	messageNoOwner  = "denied request: may not remove owner references of MachineConfigNodes"
)

func messageOther(name string) string {
	return "denied request: updates to MCN " + name + " can only be done from the MCN's owner node"
}

func clientOf(t *testing.T, config *rest.Config) nodes {
	t.Helper()
	clientset, err := mcfgclientset.NewForConfig(config)
	require.NoError(t, err)
	return clientset.MachineconfigurationV1().MachineConfigNodes()
}

// claimant returns a client of the wide service account with the given claims.
func claimant(t *testing.T, claims map[string][]string) nodes {
	t.Helper()
	return clientOf(t, newIdentity(t, standard, wideGuard).impersonated(claims))
}

// deniedWith asserts that a request was denied with 403 and a message.
func deniedWith(t *testing.T, err error, words string) {
	t.Helper()
	require.Error(t, err)
	assert.True(t, apierrors.IsForbidden(err), "403, not %v", err)
	assert.ErrorContains(t, err, words)
	if exact := strings.HasPrefix(words, messageNoClaim) || strings.HasPrefix(words, "denied request: updates"); exact {
		assert.True(t, strings.HasSuffix(err.Error(), words), "nothing may follow: %v", err)
	}
}

// unchanged asserts that the object has not been written.
func (w *testNode) unchanged(object *mcfgv1.MachineConfigNode) {
	w.t.Helper()
	now, err := w.admin.MachineconfigurationV1().MachineConfigNodes().Get(w.t.Context(), object.Name, metav1.GetOptions{})
	require.NoError(w.t, err)
	assert.Equal(w.t, object, now)
}

func TestThePolicyComparesTheWholeNameOfTheNode(t *testing.T) {
	needGuards(t, standard)
	long := strings.Repeat(strings.Repeat("a", 62)+".", 4) + "a" // 253 characters
	require.Len(t, long, 253)
	for name, tc := range map[string]struct {
		object  string
		claims  map[string][]string
		message string // "": allowed
	}{
		"its own":               {"hostile-1", onNode("hostile-1"), ""},
		"a prefix of the other": {"hostile-10", onNode("hostile-1"), messageOther("hostile-10")},
		"the other is a prefix": {"hostile-1", onNode("hostile-10"), messageOther("hostile-1")},
		"a suffix":              {"hostile-1", onNode("ile-1"), messageOther("hostile-1")},
		"upper case":            {"hostile-1", onNode("HOSTILE-1"), messageOther("hostile-1")},
		"with a space":          {"hostile-1", onNode("hostile-1 "), messageOther("hostile-1")},
		"a pattern":             {"hostile-1", onNode("hostile-.*"), messageOther("hostile-1")},
		"empty":                 {"hostile-1", onNode(""), messageOther("hostile-1")},
		"two values":            {"hostile-1", onNode("hostile-1", "hostile-2"), messageClaims},
		"twice the same":        {"hostile-1", onNode("hostile-1", "hostile-1"), messageClaims},
		"another claim":         {"hostile-1", map[string][]string{scope.NodeUIDClaim: {"hostile-1"}}, messageNoClaim},
		"253 characters":        {long, onNode(long), ""},
		"252 of 253":            {long, onNode(long[:252]), messageOther(long)},
	} {
		t.Run(name, func(t *testing.T) {
			w := existing(t, tc.object)
			client := claimant(t, tc.claims)
			for _, subresource := range [][]string{nil, {"status"}} {
				object := w.resetObject(true)
				_, err := client.Patch(t.Context(), tc.object, types.MergePatchType,
					[]byte(`{"spec":{"pool":{"name":"hostile"}},"status":{"configVersion":{"desired":"hostile"}}}`), metav1.PatchOptions{}, subresource...)
				if tc.message == "" {
					assert.NoError(t, err)
					continue
				}
				deniedWith(t, err, tc.message)
				w.unchanged(object)
			}
			object := w.resetObject(true)
			deniedWith(t, client.Delete(t.Context(), tc.object, metav1.DeleteOptions{}), cmp.Or(tc.message, messageDelete))
			w.unchanged(object)
		})
	}
}

// existing returns a test node that may exist from an earlier case.
func existing(t *testing.T, name string) *testNode {
	t.Helper()
	w := &testNode{t: t, cluster: standard, name: name, config: standard.Config()}
	i := newIdentity(t, standard, wideGuard)
	node, err := i.core.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return unguardedNodeOn(t, standard, name)
	}
	require.NoError(t, err)
	w.node = node
	w.admin, err = mcfgclientset.NewForConfig(w.config)
	require.NoError(t, err)
	return w
}

// The daemon has the token of its Pod, and RBAC grants it every verb.
func TestThePolicyDeniesRequestsThatTheLibraryNeverMakes(t *testing.T) {
	needGuards(t, standard)
	w := unguardedNodeOn(t, standard, "hostile-own")
	other := unguardedNodeOn(t, standard, "hostile-other")
	client := clientOf(t, newIdentity(t, standard, wideGuard).podToken(w.name))
	patch := func(format string, args ...any) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := client.Patch(ctx, w.name, types.MergePatchType, fmt.Appendf(nil, format, args...), metav1.PatchOptions{})
			return err
		}
	}
	owners := func(list string, args ...any) func(context.Context) error {
		return patch(`{"metadata":{"ownerReferences":[`+list+`]}}`, args...)
	}
	const node = `{"apiVersion":"v1","kind":"Node","name":"%s","uid":"%s"}`
	const config = `{"apiVersion":"v1","kind":"ConfigMap","name":"of-others","uid":"1"}`
	for name, tc := range map[string]struct {
		make    func(context.Context) error
		message string
	}{
		"other labels removed":      {patch(`{"metadata":{"labels":null}}`), messageMetadata},
		"another label changed":     {patch(`{"metadata":{"labels":{"of":"mine"}}}`), messageMetadata},
		"a label added":             {patch(`{"metadata":{"labels":{"mine":""}}}`), messageMetadata},
		"other annotations removed": {patch(`{"metadata":{"annotations":null}}`), messageMetadata},
		"an annotation added":       {patch(`{"metadata":{"annotations":{"mine":""}}}`), messageMetadata},
		"other finalizers removed":  {patch(`{"metadata":{"finalizers":[]}}`), messageMetadata},
		"a finalizer added":         {patch(`{"metadata":{"finalizers":["of.others/finalizer","mine/finalizer"]}}`), messageMetadata},

		"all owners removed":       {owners(""), messageNoOwner},
		"the Node removed":         {owners(config), messageNoOwner},
		"another owner removed":    {owners(node, w.name, w.node.UID), messageNoOwner},
		"owned by another Node":    {owners(config+","+node, other.name, other.node.UID), messageOwner},
		"owned by two Nodes":       {owners(config+","+node+","+node, w.name, w.node.UID, other.name, other.node.UID), messageOwner},
		"a UID that no Node has":   {owners(config+","+node, w.name, "made-up"), messageOwner},
		"another ConfigMap":        {owners(config+","+node+`,{"apiVersion":"v1","kind":"ConfigMap","name":"mine","uid":"2"}`, w.name, w.node.UID), messageOwner},
		"the deletion is blocked":  {owners(config+","+strings.Replace(node, "}", `,"blockOwnerDeletion":true}`, 1), w.name, w.node.UID), messageOwner},
		"the Node as a controller": {owners(config+","+strings.Replace(node, "}", `,"controller":true}`, 1), w.name, w.node.UID), messageOwner},

		"a dry run of a delete": {func(ctx context.Context) error {
			return client.Delete(ctx, w.name, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		}, messageDelete},
		"a dry run on another": {func(ctx context.Context) error {
			_, err := client.Patch(ctx, other.name, types.MergePatchType, []byte(`{"spec":{"pool":{"name":"mine"}}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}, messageOther(other.name)},
		"a forced apply on another by another manager": {func(ctx context.Context) error {
			status := mcfgapply.MachineConfigNodeStatus().WithObservedGeneration(1)
			_, err := client.ApplyStatus(ctx, mcfgapply.MachineConfigNode(other.name).WithStatus(status), metav1.ApplyOptions{FieldManager: "mine", Force: true})
			return err
		}, messageOther(other.name)},
		"an apply that would create another": {func(ctx context.Context) error {
			_, err := client.Apply(ctx, mcfgapply.MachineConfigNode("hostile-none").WithSpec(mcfgapply.MachineConfigNodeSpec().
				WithNode(mcfgapply.MCOObjectReference().WithName("hostile-none")).
				WithPool(mcfgapply.MCOObjectReference().WithName("mine")).
				WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().WithDesired("mine"))), metav1.ApplyOptions{FieldManager: "mine", Force: true})
			return err
		}, messageOther("hostile-none")},
		"a delete of all": {func(ctx context.Context) error {
			return client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		}, "can only be done from the MCN's owner node"},
	} {
		t.Run(name, func(t *testing.T) {
			object, another := w.marked(), other.resetObject(true)
			deniedWith(t, tc.make(t.Context()), tc.message)
			w.unchanged(object)
			other.unchanged(another)
		})
	}
}

// marked returns the node's object with labels, annotations, finalizers and owners of others.
func (w *testNode) marked() *mcfgv1.MachineConfigNode {
	w.t.Helper()
	client := w.admin.MachineconfigurationV1().MachineConfigNodes()
	unmark := []byte(`{"metadata":{"finalizers":null}}`)
	if _, err := client.Patch(w.t.Context(), w.name, types.MergePatchType, unmark, metav1.PatchOptions{}); !apierrors.IsNotFound(err) {
		require.NoError(w.t, err)
	}
	object := w.resetObject(true)
	object.Labels = map[string]string{"of": "others"}
	object.Annotations = map[string]string{"of": "others"}
	object.Finalizers = []string{"of.others/finalizer"}
	object.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "of-others", UID: "1"}, w.owner()}
	object, err := client.Update(w.t.Context(), object, metav1.UpdateOptions{})
	require.NoError(w.t, err)
	return object
}

func TestThePolicyDeniesObjectsThatTheLibraryNeverCreates(t *testing.T) {
	needGuards(t, standard)
	w := unguardedNodeOn(t, standard, "hostile-create")
	client := clientOf(t, newIdentity(t, standard, wideGuard).podToken(w.name))
	for name, tc := range map[string]struct {
		change  func(*mcfgv1.MachineConfigNode)
		message string
	}{
		"for another node":       {func(o *mcfgv1.MachineConfigNode) { o.Name, o.Spec.Node.Name = "hostile-other", "hostile-other" }, messageOther("hostile-other")},
		"a label":                {func(o *mcfgv1.MachineConfigNode) { o.Labels = map[string]string{"mine": ""} }, messageMetadata},
		"an annotation":          {func(o *mcfgv1.MachineConfigNode) { o.Annotations = map[string]string{"mine": ""} }, messageMetadata},
		"a finalizer":            {func(o *mcfgv1.MachineConfigNode) { o.Finalizers = []string{"mine/finalizer"} }, messageMetadata},
		"another owner":          {func(o *mcfgv1.MachineConfigNode) { o.OwnerReferences[0].Kind = "Pod" }, messageOwner},
		"a UID that no Node has": {func(o *mcfgv1.MachineConfigNode) { o.OwnerReferences[0].UID = "made-up" }, messageOwner},
		"generateName": {func(o *mcfgv1.MachineConfigNode) { o.Name, o.GenerateName = "", w.name+"-" }, // the CRD requires that spec.node.name equals it
			"spec.node.name should match metadata.name"},
		"no name":              {func(o *mcfgv1.MachineConfigNode) { o.Name = "" }, "name or generateName is required"},
		"spec of another node": {func(o *mcfgv1.MachineConfigNode) { o.Spec.Node.Name = "hostile-other" }, "spec.node.name should match metadata.name"},
		"an empty spec":        {func(o *mcfgv1.MachineConfigNode) { o.Spec = mcfgv1.MachineConfigNodeSpec{} }, "spec.node.name"},
	} {
		t.Run(name, func(t *testing.T) {
			object := w.resetObject(false)
			tc.change(object)
			_, err := client.Create(t.Context(), object, metav1.CreateOptions{})
			require.ErrorContains(t, err, tc.message)
			if strings.HasPrefix(tc.message, "denied request") {
				deniedWith(t, err, tc.message)
			}
			list, err := w.admin.MachineconfigurationV1().MachineConfigNodes().List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			for _, found := range list.Items {
				assert.False(t, strings.HasPrefix(found.Name, w.name), "%s was created", found.Name)
			}
		})
	}
}

func TestAStatusWriteChangesNeitherMetadataNorSpec(t *testing.T) {
	needGuards(t, standard)
	w := unguardedNodeOn(t, standard, "hostile-status")
	client := clientOf(t, newIdentity(t, standard, wideGuard).podToken(w.name))
	before := w.marked()
	changed := before.DeepCopy()
	changed.Spec.Pool.Name, changed.Spec.ConfigVersion.Desired = "mine", "mine"
	changed.Labels, changed.Annotations, changed.Finalizers, changed.OwnerReferences = nil, nil, nil, nil
	changed.Status.ConfigVersion.Desired = "rendered-b"
	after, err := client.UpdateStatus(t.Context(), changed, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "rendered-b", after.Status.ConfigVersion.Desired)
	assert.Equal(t, before.Spec, after.Spec)
	for _, o := range []*mcfgv1.MachineConfigNode{before, after} {
		o.ManagedFields, o.ResourceVersion = nil, ""
	}
	assert.Equal(t, before.ObjectMeta, after.ObjectMeta)
}
