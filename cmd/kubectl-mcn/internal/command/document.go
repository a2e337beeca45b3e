package command

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// document is the JSON and YAML of a view: of the pools, of one node, or of the components. What is not known
// is omitted.
type document struct {
	metav1.TypeMeta `json:",inline"`

	Time          time.Time          `json:"time,omitzero"`
	From          string             `json:"from,omitempty"`
	Pools         []documentPool     `json:"pools,omitzero"`
	*documentNode `json:",inline"`   // nil but for a node
	Components    []screen.Component `json:"components,omitzero"`
}

// DeepCopyObject returns a shallow copy: what it shares is not changed.
func (d *document) DeepCopyObject() runtime.Object {
	other := *d
	return &other
}

type documentPool struct {
	progress.Pool
	Release      string         `json:"release,omitempty"` // the OpenShift version of the target
	Complete     bool           `json:"complete"`          // all done, and nothing is wrong
	Counts       map[string]int `json:"counts"`            // they add up to nodes; missing ones are among the unreported
	Typical      *int           `json:"typicalSeconds,omitempty"`
	Remaining    *int           `json:"remainingSeconds,omitempty"`
	OthersRemain *int           `json:"othersRemainingSeconds,omitempty"` // of all but the stuck nodes
	Nodes        []documentNode `json:"nodes"`
}

type documentNode struct {
	progress.Node
	IsDegraded bool           `json:"degraded,omitempty"`
	Seconds    *int           `json:"seconds,omitempty"` // degraded, else at the step
	Typical    *int           `json:"typicalSeconds,omitempty"`
	Next       string         `json:"next,omitempty"`
	Steps      []documentStep `json:"steps,omitempty"`
}

type documentStep struct {
	progress.Step
	Seconds *int `json:"seconds,omitempty"`
}

// newDocument describes a view: its pools, and their nodes that are to be shown.
func newDocument(v source.View, origin string, show func(progress.Node) bool) *document {
	d := &document{TypeMeta: typeMeta("Rollout"), Time: v.Time.UTC(), From: origin, Pools: []documentPool{}}
	for _, p := range v.Pools {
		p.Problems = append([]progress.PoolCondition{}, p.Problems...)
		doc := documentPool{
			Pool: p, Release: v.Releases[p.Target.Config], Complete: p.IsDone(), Typical: seconds(p.Typical, p.Typical > 0), Nodes: []documentNode{},
			Counts: map[string]int{
				"nodes": p.Total(), "done": p.Done, "updating": p.Updating, "stuck": p.Stuck, "waiting": p.Waiting, "unreported": p.Unreported, "missing": p.Missing,
			},
		}
		if p.Remaining != nil && p.Stuck > 0 {
			doc.OthersRemain = seconds(*p.Remaining, true)
		} else if p.Remaining != nil {
			doc.Remaining = seconds(*p.Remaining, true)
		}
		for _, n := range p.Nodes {
			if show == nil || show(n) {
				doc.Nodes = append(doc.Nodes, describe(n))
			}
		}
		d.Pools = append(d.Pools, doc)
	}
	return d
}

func describe(n progress.Node) documentNode {
	doc := documentNode{Node: n, IsDegraded: n.IsDegraded(), Seconds: seconds(n.For, n.For > 0), Typical: seconds(n.Typical, n.Samples > 0)}
	if n.State == progress.Stuck {
		doc.Next = screen.Next(n)
	}
	for _, s := range n.Steps {
		doc.Steps = append(doc.Steps, documentStep{s, seconds(s.Duration, !s.End.IsZero())})
	}
	return doc
}

func seconds(d time.Duration, known bool) *int {
	if !known {
		return nil
	}
	s := int(d.Seconds())
	return &s
}
