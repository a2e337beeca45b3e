package pool

import (
	"cmp"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// count has the numbers of nodes that the conditions of a pool depend on, and the config and image
// that the nodes should have.
type count struct {
	config         string // the name of the pool's MachineConfig
	image          image
	paused         bool
	maxUnavailable int

	total, updated, ready, unavailable int

	have       int // nodes with the pool's config and image that have reported and are not being updated
	updating   int // nodes that are being updated
	waiting    int // nodes that have reported, and are neither updated nor being updated
	unreported int // nodes that are not being updated, and have not reported: see progress.Node.Reported

	pinned      int // nodes that have all their pinned image sets
	pinnedReady int // nodes that have all their pinned image sets, and are available

	down     []problem // nodes that are unavailable, but not being updated
	degraded []failure
}

// problem says why a node is unavailable.
type problem struct{ node, text string }

// failure has the reports of a degraded node.
type failure struct {
	node     string
	reports  []string
	inObject bool // NodeDegraded is True in the MachineConfigNode: else only the Node has a report
}

func newCount(
	pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node, mcns []*mcfgv1.MachineConfigNode, options Options,
) *count {
	config := pool.Spec.Configuration.Name
	c := &count{config: config, image: newImage(options, config), paused: pool.Spec.Paused}
	objects := make(map[string]*mcfgv1.MachineConfigNode, len(mcns))
	for _, mcn := range mcns {
		if mcn != nil {
			objects[mcn.Name] = mcn
		}
	}
	isMember := selects(pool)
	for _, node := range nodes {
		if node != nil && isMember(node) {
			c.add(progress.Of(node, objects[node.Name]), objects[node.Name])
		}
	}
	// If the limit is not set or invalid, maxUnavailable is 0, and any unavailable node blocks the pool.
	c.maxUnavailable, _ = intstr.GetScaledValueFromIntOrPercent(pool.Spec.MaxUnavailable, c.total, false)
	return c
}

func (c *count) add(n progress.Node, mcn *mcfgv1.MachineConfigNode) {
	c.total++
	isAvailable := n.IsAvailable()
	runsTarget := n.Current.Config == c.config && c.image.isOn(n.Current.Image)
	has := n.Reported && !n.InUpdate() && runsTarget
	if !isAvailable {
		c.unavailable++
		if !n.InUpdate() {
			c.down = append(c.down, problem{n.Name, whyDown(n)})
		}
	}
	if has {
		c.have++
	}
	switch {
	case n.InUpdate():
		c.updating++
	case !n.Reported:
		c.unreported++
	case !has || n.Degraded:
		c.waiting++
	default:
		c.updated++
		if isAvailable {
			c.ready++
		}
	}
	if n.Degraded {
		reports := n.Reports
		if len(reports) == 0 {
			reports = []string{n.Message}
		}
		inObject := n.HasObject && meta.IsStatusConditionTrue(
			mcn.Status.Conditions, string(mcfgv1.MachineConfigNodeNodeDegraded))
		c.degraded = append(c.degraded, failure{n.Name, reports, inObject})
	}
	if n.HasObject && !slices.ContainsFunc(n.PinnedImageSets, isMissing) {
		c.pinned++
		if isAvailable {
			c.pinnedReady++
		}
	}
}

// isMissing reports whether a node lacks this pinned image set. A set has no name if a condition of
// the MachineConfigNode reports a pull or a failure, but status.pinnedImageSets has no unfinished
// set. A set without a name counts as missing only if it has failed.
func isMissing(s progress.PinnedImageSet) bool { return s.Failed || s.Name != "" }

// whyDown says why a node is unavailable, for example "NotReady and cordoned".
func whyDown(n progress.Node) string {
	var why []string
	for _, u := range n.Unavailable {
		why = append(why, cmp.Or(downWords[u.Reason], string(u.Reason)))
	}
	if n.Degraded {
		why = append(why, "degraded")
	}
	return strings.Join(why, " and ")
}

// downWords replaces the reasons that do not fit after "<node> is".
var downWords = map[progress.UnavailableReason]string{
	progress.Cordoned:     "cordoned",
	progress.DiskPressure: "under DiskPressure",
}

// isUpdated reports whether the target of the pool exists, and every node is updated and available.
// If the target exists, a pool without nodes is updated.
func (c *count) isUpdated() bool { return c.config != "" && c.image.exists && c.ready == c.total }

// isBlocked reports whether nodes wait for an update because maxUnavailable nodes are unavailable.
func (c *count) isBlocked() bool { return c.waiting > 0 && c.unavailable >= c.maxUnavailable }

// selects returns a function that reports whether a Node may belong to the pool: the nodeSelector
// matches the labels of the Node, the Node has no labels, or the nodeSelector is empty or invalid.
func selects(pool *mcfgv1.MachineConfigPool) func(*corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
	isAll := err != nil || pool.Spec.NodeSelector == nil
	return func(n *corev1.Node) bool {
		return isAll || len(n.Labels) == 0 || selector.Matches(labels.Set(n.Labels))
	}
}
