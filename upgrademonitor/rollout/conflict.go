package rollout

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// PoolConflict is the reason of the event of a Node whose pool cannot be told.
const PoolConflict = "PoolConflict"

// conflicts is what was told of the nodes whose pool cannot be told, by node, so that each
// is told once.
type conflicts struct {
	mu   sync.Mutex
	text map[string]string
}

// tell reports, once, why the pool of a node cannot be told. nil: it can.
func (c *Controller) tell(ctx context.Context, node *corev1.Node, conflict error) {
	if conflict == nil {
		c.told.forget(node.Name)
		return
	}
	if !c.told.isNew(node.Name, conflict.Error()) {
		return
	}
	klog.FromContext(ctx).Error(conflict, "Left the pool of a MachineConfigNode as it is", "node", node.Name)
	if c.config.Recorder != nil {
		c.config.Recorder.Event(node, corev1.EventTypeWarning, PoolConflict, conflict.Error())
	}
}

func (c *conflicts) isNew(nodeName, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.text[nodeName] == text {
		return false
	}
	if c.text == nil {
		c.text = map[string]string{}
	}
	c.text[nodeName] = text
	return true
}

func (c *conflicts) forget(nodeName string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.text, nodeName)
}
