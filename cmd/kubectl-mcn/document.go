package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// document is the JSON and YAML of a view of the pools. What is not known is omitted.
type document struct {
	metav1.TypeMeta `json:",inline"`

	Time  time.Time      `json:"time"`
	From  string         `json:"from,omitempty"`
	Pools []documentPool `json:"pools"`
}

// DeepCopyObject returns a shallow copy: what it shares is not changed.
func (d *document) DeepCopyObject() runtime.Object {
	other := *d
	return &other
}

// nodeDocument is the JSON and YAML of one node.
type nodeDocument struct {
	metav1.TypeMeta `json:",inline"`
	documentNode    `json:",inline"`
}

// DeepCopyObject returns a shallow copy: what it shares is not changed.
func (d *nodeDocument) DeepCopyObject() runtime.Object {
	other := *d
	return &other
}

type documentTarget struct {
	Config string `json:"config"`
	Image  string `json:"image"`
}

type documentPool struct {
	Name           string              `json:"name"`
	Target         documentTarget      `json:"target"`
	Paused         bool                `json:"paused"`
	Blocked        bool                `json:"blocked"`
	Complete       bool                `json:"complete"` // all done, and nothing is wrong
	MaxUnavailable int                 `json:"maxUnavailable,omitempty"`
	Counts         documentCounts      `json:"counts"`
	Typical        *int                `json:"typicalSeconds,omitempty"`
	Remaining      *int                `json:"remainingSeconds,omitempty"`
	OthersRemain   *int                `json:"othersRemainingSeconds,omitempty"` // of all but the stuck nodes
	Problems       []documentCondition `json:"problems"`
	Build          *documentCondition  `json:"build,omitempty"`
	Nodes          []documentNode      `json:"nodes"`
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

type documentCondition struct {
	Type    string     `json:"type"`
	Since   *time.Time `json:"since,omitempty"`
	Message string     `json:"message"`
}

type documentNode struct {
	Name            string           `json:"name"`
	Pool            string           `json:"pool"`
	State           string           `json:"state"`
	Slow            bool             `json:"slow,omitempty"`
	Degraded        bool             `json:"degraded,omitempty"`
	Desired         documentTarget   `json:"desired"`
	Current         documentTarget   `json:"current"`
	Step            string           `json:"step,omitempty"`
	Seconds         *int             `json:"seconds,omitempty"` // degraded, else at the step
	TypicalSeconds  *int             `json:"typicalSeconds,omitempty"`
	Samples         int              `json:"samples,omitempty"`
	Since           *time.Time       `json:"since,omitempty"`
	Ordered         *time.Time       `json:"ordered,omitempty"`
	Begun           *time.Time       `json:"begun,omitempty"`
	Ended           *time.Time       `json:"ended,omitempty"`
	DegradedSince   *time.Time       `json:"degradedSince,omitempty"`
	Message         string           `json:"message,omitempty"`
	Next            string           `json:"next,omitempty"`
	Steps           []documentStep   `json:"steps,omitempty"`
	PinnedImageSets []documentPinned `json:"pinnedImageSets,omitempty"`
}

type documentStep struct {
	Phase   string     `json:"phase"`
	State   string     `json:"state"`
	End     *time.Time `json:"end,omitempty"`
	Seconds *int       `json:"seconds,omitempty"`
	Message string     `json:"message,omitempty"`
}

type documentPinned struct {
	Name    string     `json:"name,omitempty"`
	Failed  bool       `json:"failed"`
	Since   *time.Time `json:"since,omitempty"`
	Message string     `json:"message,omitempty"`
}

// newDocument describes a view: its pools, and their nodes that are to be shown.
func newDocument(v source.View, origin string, show func(progress.Node) bool) *document {
	d := &document{TypeMeta: typeMeta("Rollout"), Time: v.Time.UTC(), From: origin, Pools: []documentPool{}}
	for _, p := range v.Pools {
		doc := documentPool{
			Name: p.Name, Target: documentTarget(p.Target), Paused: p.Paused, Blocked: p.Blocked, Complete: p.IsDone(), MaxUnavailable: p.MaxUnavailable,
			Counts: documentCounts{
				Nodes: p.Total(), Done: p.Done, Updating: p.Updating, Stuck: p.Stuck, Waiting: p.Waiting, Unreported: p.Unreported, Missing: p.Missing,
			},
			Typical: seconds(p.Typical, p.Typical > 0), Problems: []documentCondition{}, Nodes: []documentNode{},
		}
		switch {
		case p.Remaining != nil && p.Stuck > 0:
			doc.OthersRemain = seconds(*p.Remaining, true)
		case p.Remaining != nil:
			doc.Remaining = seconds(*p.Remaining, true)
		}
		for _, c := range p.Problems {
			doc.Problems = append(doc.Problems, documentCondition{c.Type, instant(c.Since), c.Message})
		}
		if c := p.Build; c != nil {
			doc.Build = &documentCondition{c.Type, instant(c.Since), c.Message}
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
		Desired: documentTarget(n.Desired), Current: documentTarget(n.Current), Step: string(n.Step), Message: n.Message,
		Seconds: seconds(n.For, n.For > 0), TypicalSeconds: seconds(n.Typical, n.Samples > 0), Samples: n.Samples,
		Since: instant(n.Since), Ordered: instant(n.Ordered), Begun: instant(n.Begun), Ended: instant(n.Ended), DegradedSince: instant(n.Degraded),
	}
	if n.State == progress.Stuck {
		doc.Next = screen.Next(n)
	}
	for _, s := range n.Steps {
		doc.Steps = append(doc.Steps, documentStep{string(s.Phase), string(s.State), instant(s.End), seconds(s.Duration, !s.End.IsZero()), s.Message})
	}
	for _, s := range n.PinnedImageSets {
		doc.PinnedImageSets = append(doc.PinnedImageSets, documentPinned{s.Name, s.Failed, instant(s.Since), s.Message})
	}
	return doc
}

// documentMove is a line of -w -o json.
type documentMove struct {
	Time    time.Time      `json:"time"`
	Move    string         `json:"move"`
	Pool    string         `json:"pool"`
	Target  documentTarget `json:"target"`
	Done    int            `json:"done"`
	Nodes   int            `json:"nodes"`
	Node    string         `json:"node,omitempty"`
	Step    string         `json:"step,omitempty"`
	Next    string         `json:"next,omitempty"`
	Seconds *int           `json:"seconds,omitempty"`
	Message string         `json:"message,omitempty"`
}

func describeMove(m screen.Move) documentMove {
	return documentMove{
		Time: m.Time.UTC(), Move: string(m.Kind), Pool: m.Pool, Target: documentTarget(m.Target), Done: m.Done, Nodes: m.Nodes, Node: m.Node,
		Step: string(m.Step), Next: string(m.Next), Seconds: seconds(m.Took, m.Took > 0), Message: m.Message,
	}
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func seconds(d time.Duration, known bool) *int {
	if !known {
		return nil
	}
	s := int(d.Seconds())
	return &s
}
