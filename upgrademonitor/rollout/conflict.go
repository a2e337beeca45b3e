package rollout

import (
	"context"
	"errors"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// The reasons of the warning events: of a Node that two custom pools want, and of a pool whose
// nodeSelector cannot be read, so that nobody knows which nodes it wants.
const (
	PoolConflict    = "PoolConflict"
	InvalidSelector = "InvalidNodeSelector"
)

// conflicts is what was told of the nodes that two custom pools want, by node, so that each
// is told once. A Node that was made anew is another one.
type conflicts struct {
	mu   sync.Mutex
	text map[string]string
}

// tell makes an event of the conflict of pools over a node, once, and forgets one that is
// over. A selector that cannot be read is no conflict: checkSelector tells of it.
func (c *Controller) tell(ctx context.Context, node *corev1.Node, err error) {
	var conflict *pool.ConflictError
	if !errors.As(err, &conflict) {
		c.told.forget(node.Name)
		return
	}
	if c.told.isNew(node.Name, string(node.UID)+": "+conflict.Error()) {
		about := &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
		warn(ctx, c.config, about, PoolConflict, conflict)
	}
}

// checkSelector reports a pool whose nodeSelector cannot be read.
func (w *work) checkSelector(p *mcfgv1.MachineConfigPool) {
	var broken *pool.SelectorError
	if _, err := pool.Primary(&corev1.Node{}, []*mcfgv1.MachineConfigPool{p}); errors.As(err, &broken) {
		about := &corev1.ObjectReference{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool", Name: p.Name, UID: p.UID}
		warn(w.ctx, w.config, about, InvalidSelector, broken)
	}
}

// warn logs what only an administrator can mend, and makes it an event of the object that it
// is about. That is a reference, so that the recorder's scheme need not know the type: one
// that does not drops the event.
func warn(ctx context.Context, config Config, about *corev1.ObjectReference, reason string, err error) {
	klog.FromContext(ctx).Error(err, "Left the pool of MachineConfigNodes as it is")
	if config.Recorder != nil {
		config.Recorder.Event(about, corev1.EventTypeWarning, reason, err.Error())
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
