package e2e

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/scope/guard"
)

// Why the policy of the guard denies a request.
const (
	messageNoClaim  = `must have a "authentication.kubernetes.io/node-name" claim`
	messageClaims   = `must have exactly one "authentication.kubernetes.io/node-name" claim`
	messageOther    = "can only be done from the MCN's owner node"
	messageDelete   = "may not delete MachineConfigNodes"
	messageMetadata = "may not change labels, annotations or finalizers"
	messageOwner    = "may not add owner references"
	messageNoOwner  = "may not remove owner references"
)

// unchanged asserts that the object has not been written.
func (w *testNode) unchanged(object *mcfgv1.MachineConfigNode) {
	w.t.Helper()
	assert.Equal(w.t, object, w.object())
}

func TestThePolicyComparesTheWholeNameOfTheNode(t *testing.T) {
	needGuards(t, standard)
	long := strings.Repeat(strings.Repeat("a", 62)+".", 4) + "a" // 253 characters
	require.Len(t, long, 253)
	own := map[string]*testNode{}
	for _, name := range []string{"hostile-1", "hostile-10", long} {
		own[name] = unguardedNodeOn(t, standard, name)
	}
	for name, tc := range map[string]struct {
		object  string
		claims  map[string][]string
		message string // "": allowed
	}{
		"its own":               {"hostile-1", onNode("hostile-1"), ""},
		"a prefix of the other": {"hostile-10", onNode("hostile-1"), messageOther},
		"the other is a prefix": {"hostile-1", onNode("hostile-10"), messageOther},
		"a suffix":              {"hostile-1", onNode("ile-1"), messageOther},
		"upper case":            {"hostile-1", onNode("HOSTILE-1"), messageOther},
		"with a space":          {"hostile-1", onNode("hostile-1 "), messageOther},
		"a pattern":             {"hostile-1", onNode("hostile-.*"), messageOther},
		"empty":                 {"hostile-1", onNode(""), messageOther},
		"two values":            {"hostile-1", onNode("hostile-1", "hostile-2"), messageClaims},
		"twice the same":        {"hostile-1", onNode("hostile-1", "hostile-1"), messageClaims},
		"another claim":         {"hostile-1", map[string][]string{guard.NodeUIDClaim: {"hostile-1"}}, messageNoClaim},
		"253 characters":        {long, onNode(long), ""},
		"252 of 253":            {long, onNode(long[:252]), messageOther},
	} {
		t.Run(name, func(t *testing.T) {
			w := own[tc.object]
			client := nodesOf(t, newIdentity(t, standard, wideGuard).impersonated(tc.claims))
			for _, subresource := range [][]string{nil, {"status"}} {
				object := w.resetObject(true)
				_, err := client.Patch(t.Context(), tc.object, types.MergePatchType,
					[]byte(`{"spec":{"pool":{"name":"hostile"}},"status":{"configVersion":{"desired":"hostile"}}}`), metav1.PatchOptions{}, subresource...)
				if tc.message == "" {
					assert.NoError(t, err)
					continue
				}
				deniedWith(t, err, tc.message)
				if tc.message == messageOther {
					assert.ErrorContains(t, err, "MCN "+tc.object+" ")
				}
				w.unchanged(object)
			}
			object := w.resetObject(true)
			deniedWith(t, client.Delete(t.Context(), tc.object, metav1.DeleteOptions{}), cmp.Or(tc.message, messageDelete))
			w.unchanged(object)
		})
	}
}

// The daemon has the token of its Pod, and RBAC grants it every verb.
func TestThePolicyDeniesRequestsThatTheLibraryNeverMakes(t *testing.T) {
	needGuards(t, standard)
	w := unguardedNodeOn(t, standard, "hostile-own")
	other := unguardedNodeOn(t, standard, "hostile-other")
	client := nodesOf(t, newIdentity(t, standard, wideGuard).podToken(w.name))
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
	unmark := []byte(`{"metadata":{"finalizers":null}}`)
	if _, err := w.admin.Patch(w.t.Context(), w.name, types.MergePatchType, unmark, metav1.PatchOptions{}); !apierrors.IsNotFound(err) {
		require.NoError(w.t, err)
	}
	object := w.resetObject(true)
	object.Labels = map[string]string{"of": "others"}
	object.Annotations = map[string]string{"of": "others"}
	object.Finalizers = []string{"of.others/finalizer"}
	object.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "of-others", UID: "1"}, w.owner()}
	object, err := w.admin.Update(w.t.Context(), object, metav1.UpdateOptions{})
	require.NoError(w.t, err)
	return object
}

func TestThePolicyDeniesObjectsThatTheLibraryNeverCreates(t *testing.T) {
	needGuards(t, standard)
	w := unguardedNodeOn(t, standard, "hostile-create")
	client := nodesOf(t, newIdentity(t, standard, wideGuard).podToken(w.name))
	for name, tc := range map[string]struct {
		change  func(*mcfgv1.MachineConfigNode)
		message string
	}{
		"a label":                {func(o *mcfgv1.MachineConfigNode) { o.Labels = map[string]string{"mine": ""} }, messageMetadata},
		"an annotation":          {func(o *mcfgv1.MachineConfigNode) { o.Annotations = map[string]string{"mine": ""} }, messageMetadata},
		"a finalizer":            {func(o *mcfgv1.MachineConfigNode) { o.Finalizers = []string{"mine/finalizer"} }, messageMetadata},
		"another owner":          {func(o *mcfgv1.MachineConfigNode) { o.OwnerReferences[0].Kind = "Pod" }, messageOwner},
		"a UID that no Node has": {func(o *mcfgv1.MachineConfigNode) { o.OwnerReferences[0].UID = "made-up" }, messageOwner},
	} {
		t.Run(name, func(t *testing.T) {
			object := w.resetObject(false)
			tc.change(object)
			_, err := client.Create(t.Context(), object, metav1.CreateOptions{})
			deniedWith(t, err, tc.message)
			list, err := w.admin.List(t.Context(), only(object.Name))
			require.NoError(t, err)
			assert.Empty(t, list.Items)
		})
	}
}
