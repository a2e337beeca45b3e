package main

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// node is the daemon's view of its Node. It is the program's own: a Node on a cluster
// gives its name and UID, and is never changed. The Monitor asks for it from any goroutine.
type node struct {
	mu   sync.Mutex
	node *corev1.Node
}

func newNode(name, uid string) *node {
	return &node{node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid)}}}
}

// get returns the Node as it is now. Nobody changes what it returns.
func (n *node) get() (*corev1.Node, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.node, nil
}

// annotate says what the node runs, or is to run; "" is nothing: the annotation goes.
func (n *node) annotate(annotation, value string) {
	n.change(func(node *corev1.Node) {
		if value == "" {
			delete(node.Annotations, annotation)
			return
		}
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, annotation, value)
	})
}

func (n *node) cordon(unschedulable bool) {
	n.change(func(node *corev1.Node) { node.Spec.Unschedulable = unschedulable })
}

// change puts a changed copy in the Node's place.
func (n *node) change(change func(*corev1.Node)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	changed := n.node.DeepCopy()
	change(changed)
	n.node = changed
}
