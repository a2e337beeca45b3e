package rollout

import "sync"

// noted keeps one text for each node, of what is done only once.
type noted struct {
	mu   sync.Mutex // guards text
	text map[string]string
}

// has reports whether the text of a node is this one.
func (n *noted) has(nodeName, text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	noted, ok := n.text[nodeName]
	return ok && noted == text
}

// add replaces the text of a node.
func (n *noted) add(nodeName, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.text == nil {
		n.text = map[string]string{}
	}
	n.text[nodeName] = text
}

// forget removes the text of a node.
func (n *noted) forget(nodeName string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.text, nodeName)
}
