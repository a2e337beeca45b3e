package main

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// node is the daemon's view of its Node: a Node of a cluster is never changed, it gives its name
// and UID only. It is safe for concurrent use, as the Monitor calls get from any goroutine.
type node struct {
	mu   sync.Mutex
	node *corev1.Node
}

func newNode(name, uid string) *node {
	return &node{node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid)}}}
}

// get returns the current Node, which is not changed afterwards.
func (n *node) get() (*corev1.Node, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.node, nil
}

// annotate sets an annotation, or removes it if the value is empty.
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

// change replaces the Node by a changed copy.
func (n *node) change(change func(*corev1.Node)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	changed := n.node.DeepCopy()
	change(changed)
	n.node = changed
}
