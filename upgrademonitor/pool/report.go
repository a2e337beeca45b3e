package pool

import (
	"cmp"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// report is all that a pool's status takes from a MachineConfigNode, except its owner. Objects
// with equal reports lead to equal statuses, so that a change of anything else is ignored.
type report struct {
	reported         bool // the daemon has reported the begin or the end of an update
	desired, current progress.Target

	updating bool // an update is ordered or under way
	step     phases.Phase
	since    int64 // when the step was reached, in seconds of Unix time; not known if it is not positive

	degraded        bool
	degradedMessage string
	pinned          bool // every pinned image set that it lists is on the node, and none has failed
	pinFailed       bool
	pinMessage      string
}

// reportOf reads a MachineConfigNode as package progress does.
func reportOf(mcn *mcfgv1.MachineConfigNode) report {
	n := progress.FromMachineConfigNode(mcn)
	r := report{
		reported: n.Reported,
		desired:  n.Desired,
		current:  n.Current,
		updating: n.InUpdate(),
		degraded: n.IsDegraded(),
		pinned:   len(n.PinnedImageSets) == 0,
	}
	if r.updating {
		r.step, r.since = n.Step, n.Since.Unix()
	}
	if r.degraded {
		r.degradedMessage = n.Message
	}
	if c := conditions.Find(mcn.Status.Conditions, phases.PinnedImageSetsDegraded); c != nil && c.Status == metav1.ConditionTrue {
		r.pinFailed, r.pinMessage = true, c.Message
	}
	return r
}

// has reports whether a node has the target, and desires nothing else.
func (r report) has(t target) bool {
	return t.config != "" && r.desired.Config == t.config && r.current.Config == t.config && t.hasImage(r.desired.Image, r.current.Image)
}

// member is what one node of a pool counts as.
type member struct {
	name   string
	report        // empty if the node has none of its own
	down   string // why the Node is unavailable by itself, "" if it is not
}

// newMember returns what a node counts as, with its MachineConfigNode, nil if there is none.
func newMember(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) member {
	m := member{name: node.Name, down: downOf(node)}
	if mcn == nil || len(mcn.Status.Conditions) == 0 || nodemeta.OwnedByPrevious(mcn.OwnerReferences, node) {
		return m
	}
	// The objects of daemons that do not report images have neither.
	withImages := *mcn
	desired, current := &withImages.Spec.ConfigImage.DesiredImage, &withImages.Status.ConfigImage.CurrentImage
	*desired = cmp.Or(*desired, mcfgv1.ImageDigestFormat(node.Annotations[nodemeta.DesiredImage]))
	*current = cmp.Or(*current, mcfgv1.ImageDigestFormat(node.Annotations[nodemeta.CurrentImage]))
	m.report = reportOf(&withImages)
	return m
}

// isAvailable reports whether the Node is Ready and schedulable, and its daemon is idle.
func (m member) isAvailable() bool { return m.down == "" && !m.updating && !m.degraded }

// downOf returns why a Node is unavailable, whoever cordoned it; "" if it is not.
func downOf(node *corev1.Node) string {
	var why []string
	if !isReady(node) {
		why = append(why, "NotReady")
	}
	if node.Spec.Unschedulable {
		why = append(why, "cordoned")
	}
	return strings.Join(why, " and ")
}

func isReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
