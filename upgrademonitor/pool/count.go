package pool

import (
	"cmp"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/internal/poolwords"
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

	have     int // nodes with the pool's config and image that are not being updated
	updating int // nodes that are being updated
	waiting  int // nodes that run another config or image, are degraded or have lost annotations, and are not being updated

	pinned      int // nodes that have all their pinned image sets
	pinnedReady int // nodes that have all their pinned image sets, and are available

	down     []problem // nodes that are unavailable, but not being updated
	degraded []failure
}

// problem says why a node is unavailable.
type problem struct{ node, text string }

// failure has the errors of a degraded node.
type failure struct {
	node     string
	errors   []string
	inObject bool // NodeDegraded is True in the MachineConfigNode: else only the Node has an error
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
	for _, node := range nodes {
		if node != nil {
			c.add(progress.Of(node, objects[node.Name]))
		}
	}
	c.maxUnavailable, _ = poolwords.MaxUnavailable(pool.Spec.MaxUnavailable, c.total)
	return c
}

func (c *count) add(n progress.Node) {
	c.total++
	if n.DoneByNode { // what the object still shows must not hold up the pool
		n.Update, n.Degraded = progress.NoUpdate, false
	}
	isAvailable := n.IsAvailable()
	has := n.Done && n.Current.Config == c.config && c.image.isOn(n.Current.Image)
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
	case has && !n.Degraded:
		c.updated++
		if isAvailable {
			c.ready++
		}
	case n.Done || n.Degraded || n.Is(progress.AnnotationsMissing):
		c.waiting++
	}
	if n.Degraded {
		c.degraded = append(c.degraded, failure{n.Name, n.Errors, n.DegradedInObject})
	}
	if n.HasPinnedImages {
		c.pinned++
		if isAvailable {
			c.pinnedReady++
		}
	}
}

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
	progress.AnnotationsMissing: "without the annotations of machine-config-operator",
	progress.Cordoned:           "cordoned",
	progress.DiskPressure:       "under DiskPressure",
}

// isUpdated reports whether the target of the pool exists, and every node is updated and available.
// If the target exists, a pool without nodes is updated.
func (c *count) isUpdated() bool { return c.config != "" && c.image.exists && c.ready == c.total }

// isBlocked reports whether nodes wait for an update because maxUnavailable nodes are unavailable.
func (c *count) isBlocked() bool { return c.waiting > 0 && c.unavailable >= c.maxUnavailable }
