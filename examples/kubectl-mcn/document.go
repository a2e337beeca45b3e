package main

import (
	"time"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// document is the JSON and YAML of a view of the pools. What is not known is omitted.
type document struct {
	Time  time.Time      `json:"time"`
	Pools []documentPool `json:"pools"`
}

type documentPool struct {
	Name           string          `json:"name"`
	Target         string          `json:"target"`
	Paused         bool            `json:"paused"`
	Blocked        bool            `json:"blocked"`
	MaxUnavailable int             `json:"maxUnavailable,omitempty"`
	Counts         documentCounts  `json:"counts"`
	TypicalSeconds *int            `json:"typicalSeconds,omitempty"`
	LeftSeconds    *int            `json:"leftSeconds,omitempty"`
	Stuck          []documentStuck `json:"stuck"`
	Nodes          []documentNode  `json:"nodes"`
}

type documentCounts struct {
	Nodes      int `json:"nodes"`
	Done       int `json:"done"`
	Updating   int `json:"updating"`
	Ordered    int `json:"ordered"`
	Waiting    int `json:"waiting"`
	Unreported int `json:"unreported"`
	Missing    int `json:"missing,omitempty"`
	Stuck      int `json:"stuck"`
}

type documentStuck struct {
	Node           string `json:"node"`
	Step           string `json:"step"`
	Degraded       bool   `json:"degraded"`
	Seconds        int    `json:"seconds"`
	TypicalSeconds *int   `json:"typicalSeconds,omitempty"`
	Samples        int    `json:"samples,omitempty"`
	Message        string `json:"message"`
}

type documentNode struct {
	Name     string         `json:"name"`
	State    string         `json:"state"`
	Desired  string         `json:"desired"`
	Current  string         `json:"current"`
	Step     string         `json:"step,omitempty"`
	Since    *time.Time     `json:"since,omitempty"`
	Ordered  *time.Time     `json:"ordered,omitempty"`
	Begun    *time.Time     `json:"begun,omitempty"`
	Ended    *time.Time     `json:"ended,omitempty"`
	Degraded *time.Time     `json:"degraded,omitempty"`
	Message  string         `json:"message,omitempty"`
	Steps    []documentStep `json:"steps,omitempty"`
}

type documentStep struct {
	Phase   string     `json:"phase"`
	Mark    string     `json:"mark"`
	End     *time.Time `json:"end,omitempty"`
	Seconds *int       `json:"seconds,omitempty"`
}

// newDocument describes a view: its pools, and their nodes that are to be shown.
func newDocument(v view, show func(progress.Node) bool) document {
	d := document{Time: v.time.UTC(), Pools: []documentPool{}}
	for _, p := range v.pools {
		doc := documentPool{
			Name: p.Name, Target: p.Target, Paused: p.Paused, Blocked: p.Blocked, MaxUnavailable: p.MaxUnavailable,
			Counts: documentCounts{
				Nodes: screen.Total(p), Done: p.Done, Updating: p.Updating, Ordered: p.Ordered,
				Waiting: p.Waiting, Unreported: p.Unreported, Missing: p.Missing, Stuck: len(p.Stuck),
			},
			TypicalSeconds: seconds(p.Typical, p.Typical > 0),
			LeftSeconds:    seconds(p.Left, p.LeftKnown),
			Stuck:          []documentStuck{}, Nodes: []documentNode{},
		}
		for _, s := range p.Stuck {
			if show == nil || show(s.Node) {
				doc.Stuck = append(doc.Stuck, documentStuck{
					Node: s.Node.Name, Step: string(s.Node.Step), Degraded: s.Node.IsDegraded(), Seconds: int(s.For.Seconds()),
					TypicalSeconds: seconds(s.Typical, s.Samples > 0), Samples: s.Samples, Message: s.Node.Why,
				})
			}
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
		Name: n.Name, State: string(n.State), Desired: n.Desired, Current: n.Current, Step: string(n.Step), Message: n.Why,
		Since: instant(n.Since), Ordered: instant(n.Ordered), Begun: instant(n.Begun), Ended: instant(n.Ended), Degraded: instant(n.Degraded),
	}
	for _, s := range n.Steps {
		doc.Steps = append(doc.Steps, documentStep{
			Phase: string(s.Phase), Mark: string(s.Mark), End: instant(s.End), Seconds: seconds(s.Took, !s.End.IsZero()),
		})
	}
	return doc
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
