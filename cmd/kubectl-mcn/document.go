package main

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
	Name           string                   `json:"name"`
	Target         progress.Target          `json:"target"`
	Paused         bool                     `json:"paused"`
	Blocked        bool                     `json:"blocked"`
	Complete       bool                     `json:"complete"` // all done, and nothing is wrong
	MaxUnavailable int                      `json:"maxUnavailable,omitempty"`
	Counts         documentCounts           `json:"counts"`
	Typical        *int                     `json:"typicalSeconds,omitempty"`
	Remaining      *int                     `json:"remainingSeconds,omitempty"`
	OthersRemain   *int                     `json:"othersRemainingSeconds,omitempty"` // of all but the stuck nodes
	Problems       []progress.PoolCondition `json:"problems"`
	Build          *progress.PoolCondition  `json:"build,omitempty"`
	Nodes          []documentNode           `json:"nodes"`
}

// documentCounts add up to nodes.
type documentCounts struct {
	Nodes      int `json:"nodes"`
	Done       int `json:"done"`
	Updating   int `json:"updating"`
	Stuck      int `json:"stuck"`
	Waiting    int `json:"waiting"`
	Unreported int `json:"unreported"`
	Missing    int `json:"missing,omitempty"` // of the unreported ones, those without an object
}

type documentNode struct {
	Name            string                    `json:"name"`
	Pool            string                    `json:"pool"`
	State           string                    `json:"state"`
	Slow            bool                      `json:"slow,omitempty"`
	Degraded        bool                      `json:"degraded,omitempty"`
	Desired         progress.Target           `json:"desired"`
	Current         progress.Target           `json:"current"`
	Step            string                    `json:"step,omitempty"`
	Seconds         *int                      `json:"seconds,omitempty"` // degraded, else at the step
	TypicalSeconds  *int                      `json:"typicalSeconds,omitempty"`
	Samples         int                       `json:"samples,omitempty"`
	Since           time.Time                 `json:"since,omitzero"`
	Ordered         time.Time                 `json:"ordered,omitzero"`
	Begun           time.Time                 `json:"begun,omitzero"`
	Ended           time.Time                 `json:"ended,omitzero"`
	DegradedSince   time.Time                 `json:"degradedSince,omitzero"`
	Message         string                    `json:"message,omitempty"`
	Next            string                    `json:"next,omitempty"`
	Steps           []documentStep            `json:"steps,omitempty"`
	PinnedImageSets []progress.PinnedImageSet `json:"pinnedImageSets,omitempty"`
}

type documentStep struct {
	Phase   string    `json:"phase"`
	State   string    `json:"state"`
	End     time.Time `json:"end,omitzero"`
	Seconds *int      `json:"seconds,omitempty"`
	Message string    `json:"message,omitempty"`
}

// newDocument describes a view: its pools, and their nodes that are to be shown.
func newDocument(v source.View, origin string, show func(progress.Node) bool) *document {
	d := &document{TypeMeta: typeMeta("Rollout"), Time: v.Time.UTC(), From: origin, Pools: []documentPool{}}
	for _, p := range v.Pools {
		doc := documentPool{
			Name: p.Name, Target: p.Target, Paused: p.Paused, Blocked: p.Blocked, Complete: p.IsDone(), MaxUnavailable: p.MaxUnavailable,
			Counts:  documentCounts{p.Total(), p.Done, p.Updating, p.Stuck, p.Waiting, p.Unreported, p.Missing},
			Typical: seconds(p.Typical, p.Typical > 0), Problems: append([]progress.PoolCondition{}, p.Problems...), Build: p.Build, Nodes: []documentNode{},
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
	doc := documentNode{
		Name: n.Name, Pool: n.Pool, State: string(n.State), Slow: n.Slow, Degraded: n.IsDegraded(),
		Desired: n.Desired, Current: n.Current, Step: string(n.Step), Message: n.Message,
		Seconds: seconds(n.For, n.For > 0), TypicalSeconds: seconds(n.Typical, n.Samples > 0), Samples: n.Samples,
		Since: n.Since, Ordered: n.Ordered, Begun: n.Begun, Ended: n.Ended, DegradedSince: n.Degraded, PinnedImageSets: n.PinnedImageSets,
	}
	if n.State == progress.Stuck {
		doc.Next = screen.Next(n)
	}
	for _, s := range n.Steps {
		doc.Steps = append(doc.Steps, documentStep{string(s.Phase), string(s.State), s.End, seconds(s.Duration, !s.End.IsZero()), s.Message})
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
