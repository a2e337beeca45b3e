package upgrademonitor

import (
	"context"
	"fmt"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// GenerateAndApplyMachineConfigNodeSpec makes the object's spec say what the node and its
// pool say: the pool, and the config that the node is to have.
//
//  1. The object is created where it is missing, with the Node as its owner.
//  2. A config that the node does not name, and a pool that is NotYetSet, change nothing.
//     An image that the node does not name goes, in image mode, if it names a config.
//  3. The owner reference follows a Node that was made anew (another UID).
//  4. A spec that says so already makes no request.
//  5. An error of Config.Pool or Config.Node fails the call with a *NodeError. Timeouts,
//     ErrPending and ctx are as for GenerateAndApplyMachineConfigNode.
func (m *Monitor) GenerateAndApplyMachineConfigNodeSpec(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	spec, err := m.newSpec(ctx)
	if err != nil {
		return err
	}
	if spec.poolErr != nil {
		return &NodeError{NodeName: m.config.NodeName, Problem: "Config.Pool failed", Err: spec.poolErr}
	}
	return m.submit(ctx, spec)
}

// spec is what the node and its pool said when the spec was to follow them.
type spec struct {
	owner    metav1.OwnerReference
	pool     string
	poolErr  error
	versions versions

	imageMode bool
}

// newSpec reads the node and its pool. A Pool function that fails leaves the pool NotYetSet.
func (m *Monitor) newSpec(ctx context.Context) (*spec, error) {
	node, err := m.node()
	if err != nil {
		return nil, err
	}
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !isName(pool) {
		err = fmt.Errorf("it returned %q, which is no name of a pool", pool)
	}
	if err != nil || pool == "" {
		pool = NotYetSet
	}
	imageMode := m.config.ImageMode()
	return &spec{
		owner:     ownerReference(node),
		pool:      pool,
		poolErr:   err,
		versions:  versionsOf(ctx, node, imageMode),
		imageMode: imageMode,
	}, nil
}

func ownerReference(node *corev1.Node) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
}

func (*spec) String() string { return "spec" }

func (s *spec) observed() versions { return s.versions }

func (s *spec) refused(err error) error { return err }

// plan returns the one write that makes owner and spec right.
func (s *spec) plan(before state) (plan, error) {
	p := plan{from: before, begun: before.begun}
	object := *before.object
	object.OwnerReferences = s.owners(before.object)
	object.Spec = s.over(before.object.Spec, before.noImages)
	if object.Spec != before.object.Spec || !slices.Equal(object.OwnerReferences, before.object.OwnerReferences) {
		next := before
		next.object = &object
		p.writes = []write{{next: next, send: (*Monitor).patchSpec}}
	}
	return p, nil
}

// over returns the spec with what is known of pool, config and image.
func (s *spec) over(before mcfgv1.MachineConfigNodeSpec, noImages bool) mcfgv1.MachineConfigNodeSpec {
	after := before
	after.Node.Name = s.owner.Name
	if s.pool != NotYetSet || after.Pool.Name == "" {
		after.Pool.Name = s.pool
	}
	if s.versions.desiredConfig != "" {
		after.ConfigVersion.Desired = s.versions.desiredConfig
	}
	if after.ConfigVersion.Desired == "" {
		after.ConfigVersion.Desired = NotYetSet
	}
	if s.imageMode && !noImages && s.versions.named() && !s.versions.badDesiredImage {
		after.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(s.versions.desiredImage)
	}
	return after
}

// owners returns the object's owners, with the Node as it is now among them. A Node
// without a UID, of an unfinished view, changes nothing.
func (s *spec) owners(object *mcfgv1.MachineConfigNode) []metav1.OwnerReference {
	isNode := func(o metav1.OwnerReference) bool {
		return o.APIVersion == s.owner.APIVersion && o.Kind == s.owner.Kind
	}
	ours := func(o metav1.OwnerReference) bool {
		return isNode(o) && o.Name == s.owner.Name && o.UID == s.owner.UID
	}
	stale := func(o metav1.OwnerReference) bool { return isNode(o) && !ours(o) }
	if s.owner.UID == "" || slices.ContainsFunc(object.OwnerReferences, ours) && !slices.ContainsFunc(object.OwnerReferences, stale) {
		return object.OwnerReferences
	}
	others := slices.DeleteFunc(slices.Clone(object.OwnerReferences), isNode)
	return append(others, s.owner)
}

// create creates the object, for this node and owned by it.
func (m *Monitor) create(ctx context.Context) (*mcfgv1.MachineConfigNode, error) {
	spec, err := m.newSpec(ctx)
	if err != nil {
		return nil, err
	}
	if spec.poolErr != nil {
		klog.FromContext(ctx).Info("Left the pool of a new MachineConfigNode open", "node", m.config.NodeName, "err", spec.poolErr)
	}
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: m.config.NodeName},
		Spec:       spec.over(mcfgv1.MachineConfigNodeSpec{}, false),
	}
	mcn.OwnerReferences = spec.owners(mcn)
	return m.client.Create(ctx, mcn, metav1.CreateOptions{FieldManager: m.config.FieldManager})
}

// patchSpec makes the owner references and the spec those of a state. It is a merge patch,
// not an apply: it changes a value whoever has set it, where an apply could only add to a
// list that another field manager has set as well.
func (m *Monitor) patchSpec(ctx context.Context, on *mcfgv1.MachineConfigNode, next state) (*mcfgv1.MachineConfigNode, error) {
	after := next.object.Spec
	spec := map[string]any{
		"node":          after.Node,
		"pool":          after.Pool,
		"configVersion": after.ConfigVersion,
	}
	none := mcfgv1.MachineConfigNodeSpecConfigImage{}
	switch {
	case after.ConfigImage != none:
		spec["configImage"] = after.ConfigImage
	case on.Spec.ConfigImage != none:
		spec["configImage"] = nil // it goes
	}
	object, err := m.mergePatch(ctx, map[string]any{
		"metadata": map[string]any{
			"resourceVersion": on.ResourceVersion,
			"ownerReferences": next.object.OwnerReferences,
		},
		"spec": spec,
	})
	if err == nil && after.ConfigImage != none && object.Spec.ConfigImage == none {
		m.leaveOutImages(ctx)
	}
	return object, err
}
