package progress

import (
	"maps"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// History remembers what the objects lose: the steps of the last update of each node, and since when
// it is degraded. The zero value is ready for use. It is not safe for concurrent use.
//
// It keeps one update of each node, also of deleted nodes until Forget. An object that is created again
// under the same name has another UID: it replaces the previous one.
type History struct {
	nodes map[string]*memory
}

// memory is what is remembered of one object.
type memory struct {
	uid      types.UID
	update   *record   // the current or last one; nil: none is known
	degraded time.Time // the earliest time of it: some daemons change it at each retry; zero while it is not
}

// Observe records one version of an object. Versions must be observed in their order; some may be
// missing or repeated.
func (h *History) Observe(mcn *mcfgv1.MachineConfigNode) {
	if h == nil || mcn == nil {
		return
	}
	if h.nodes == nil {
		h.nodes = map[string]*memory{}
	}
	n := FromMachineConfigNode(mcn)
	m := h.memory(n)
	if m == nil {
		m = &memory{uid: n.UID}
		h.nodes[n.Name] = m
	}
	if n.IsDegraded() {
		m.degraded = earlier(m.degraded, n.Degraded)
	} else {
		m.degraded = time.Time{}
	}
	m.update = m.update.next(n)
}

// memory returns what is remembered of a node's object; nil if it was not observed.
func (h *History) memory(n Node) *memory {
	if h == nil {
		return nil
	}
	if m := h.nodes[n.Name]; m != nil && m.uid == n.UID {
		return m
	}
	return nil
}

// Forget deletes what is remembered of a node.
func (h *History) Forget(node string) {
	if h != nil {
		delete(h.nodes, node)
	}
}

// Spans returns the last update of each node as a timeline, by node and time. The spans of a
// node follow one another without a gap.
func (h *History) Spans() []Span {
	if h == nil {
		return nil
	}
	var spans []Span
	for _, name := range slices.Sorted(maps.Keys(h.nodes)) {
		for _, span := range h.nodes[name].update.spans() {
			span.Node = name
			spans = append(spans, span)
		}
	}
	return spans
}

// of returns the record of the current or last update of a node; nil if it was not observed.
func (h *History) of(n Node) *record {
	m := h.memory(n)
	if m == nil || m.update == nil || m.update.desired.Config != n.Desired.Config {
		return nil
	}
	return m.update
}

// steps returns the timeline of the steps of a finished update.
func (h *History) steps(n Node) []Span {
	r := h.of(n)
	if r == nil || r.begun.IsZero() {
		return nil
	}
	return slices.DeleteFunc(r.spans(), func(s Span) bool {
		return s.Phase == "" || s.Phase == phases.Updated || s.To.IsZero()
	})
}

// updateDuration returns the duration of a finished update, zero if it is not known.
func (h *History) updateDuration(n Node) time.Duration {
	if d := n.updateDuration(); d > 0 {
		return d
	}
	if r := h.of(n); r != nil && r.over() && !r.begun.IsZero() {
		return since(r.begun, r.ended)
	}
	return 0
}

// message returns the message of a node's object, or, where its step has the message of its begin again,
// the last other one: the attempt that failed, which its retry has overwritten.
func (h *History) message(n Node) string {
	r := h.of(n)
	if r == nil || r.retried == "" || r.step != n.Step || r.message != n.Message || n.IsDegraded() {
		return n.Message
	}
	return r.retried
}

// degradedSince returns since when a node is degraded; zero if it is not, or if that is not known.
func (h *History) degradedSince(n Node) time.Time {
	m := h.memory(n)
	if m == nil || !n.IsDegraded() {
		return n.Degraded
	}
	return earlier(m.degraded, n.Degraded)
}
