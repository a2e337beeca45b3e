package plan

import (
	"fmt"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
)

// Spec is the intent that the spec and the owner reference follow the node and its pool.
type Spec struct {
	Owner     metav1.OwnerReference // of the Node
	Pool      string                // NotYetSet: not known
	Node      Node
	ImageMode bool
}

// String names the intent in errors and logs.
func (Spec) String() string { return "spec" }

// Observed is the view of the Node at the time of the call.
func (s Spec) Observed() Node { return s.Node }

// Key has one coalesce key for all specs.
func (s Spec) Key() Key {
	return Key{CoalesceKey: "spec", Request: fmt.Sprintf("%s %s %t %v", s.Owner.UID, s.Pool, s.ImageMode, s.Node)}
}

// Plan returns the one write that makes owner and spec right.
func (s Spec) Plan(before State, memo Memo) (Plan, error) {
	p := Plan{Final: before, Memo: memo}
	object := *before.Object
	object.OwnerReferences = nodeowner.Replace(before.Object.OwnerReferences, s.Owner)
	object.Spec = s.Desired(before.Object.Spec, before.NoImageField)
	p.addSpec(before, &object)
	return p, nil
}

// Desired returns the spec with what is known of pool, config and image.
//
//  1. A pool that is NotYetSet, and a config that the node does not name, change nothing.
//  2. In image mode, an image that the node does not name is cleared, if it names a config.
func (s Spec) Desired(before mcfgv1.MachineConfigNodeSpec, noImageField bool) mcfgv1.MachineConfigNodeSpec {
	after := before
	after.Node.Name = s.Owner.Name
	if s.Pool != NotYetSet || after.Pool.Name == "" {
		after.Pool.Name = s.Pool
	}
	return s.Node.desiredSpec(after, s.ImageMode && !noImageField)
}

// desiredSpec returns the spec with the config and the image that the node is to have.
func (n Node) desiredSpec(after mcfgv1.MachineConfigNodeSpec, imageMode bool) mcfgv1.MachineConfigNodeSpec {
	if n.DesiredConfig != "" {
		after.ConfigVersion.Desired = n.DesiredConfig
	}
	if after.ConfigVersion.Desired == "" {
		after.ConfigVersion.Desired = NotYetSet
	}
	if imageMode && n.hasConfig() && !n.InvalidDesiredImage {
		after.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
	}
	return after
}

// addSpec adds the write that makes spec and owners those of the object, unless they are.
func (p *Plan) addSpec(before State, object *mcfgv1.MachineConfigNode) State {
	if object.Spec == before.Object.Spec && slices.Equal(object.OwnerReferences, before.Object.OwnerReferences) {
		return before
	}
	next := before
	next.Object = object
	p.Steps = append(p.Steps, Step{Kind: MergeSpec, Next: next})
	p.Final = next
	return next
}
