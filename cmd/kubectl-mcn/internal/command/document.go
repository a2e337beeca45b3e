package command

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// document is the JSON and YAML output: the pools, one node, or the components. Unknown values are
// omitted.
type document struct {
	metav1.TypeMeta `json:",inline"`

	Time          time.Time        `json:"time,omitzero"`
	From          string           `json:"from,omitempty"`
	Pools         []documentPool   `json:"pools,omitzero"`
	*documentNode `json:",inline"` // set by the command node only

	Health     components.Health  `json:"health,omitempty"` // the overall health
	Components []screen.Component `json:"components,omitempty"`
}

// DeepCopyObject returns a shallow copy, because no code changes a document.
func (d *document) DeepCopyObject() runtime.Object {
	other := *d
	return &other
}

type documentPool struct {
	Name           string              `json:"name"`
	Target         documentTarget      `json:"target"`
	Release        string              `json:"release,omitempty"` // the OpenShift version of the target's config
	Complete       bool                `json:"complete"`          // all nodes are done, and the pool has no problem
	Paused         bool                `json:"paused"`
	Blocked        bool                `json:"blocked"`
	Unavailable    int                 `json:"unavailable"`
	MaxUnavailable int                 `json:"maxUnavailable,omitempty"`
	FromStatus     bool                `json:"fromStatus,omitempty"` // the counts are from the status of the pool
	Counts         map[string]int      `json:"counts"`               // nodes by state; "nodes" is the sum, and "unreported" includes "missing"
	Typical        *int                `json:"typicalSeconds,omitempty"`
	Remaining      *int                `json:"remainingSeconds,omitempty"`
	Problems       []documentCondition `json:"problems"`
	Build          *documentCondition  `json:"build,omitempty"`
	Nodes          []documentNode      `json:"nodes"`
}

type documentTarget struct {
	Config string `json:"config"`
	Image  string `json:"image"`
}

type documentCondition struct {
	Type    string    `json:"type"`
	Since   time.Time `json:"since,omitzero"`
	Message string    `json:"message"`
}

type documentNode struct {
	Name            string                   `json:"name"`
	Pool            string                   `json:"pool"`
	State           cluster.State            `json:"state"`
	Slow            bool                     `json:"slow,omitempty"`
	Failing         bool                     `json:"failing,omitempty"`
	Degraded        bool                     `json:"degraded,omitempty"`
	DegradedSince   time.Time                `json:"degradedSince,omitzero"`
	NotReady        bool                     `json:"notReady,omitempty"`
	Cordoned        bool                     `json:"cordoned,omitempty"`
	Desired         documentTarget           `json:"desired"`
	Current         documentTarget           `json:"current"`
	Step            string                   `json:"step,omitempty"`
	Since           time.Time                `json:"since,omitzero"`
	Seconds         *int                     `json:"seconds,omitempty"` // the time since the node became degraded or, if it is not degraded, since its step started
	Requested       time.Time                `json:"requested,omitzero"`
	Started         time.Time                `json:"started,omitzero"`
	Completed       time.Time                `json:"completed,omitzero"`
	Message         string                   `json:"message,omitempty"`
	Next            []string                 `json:"next,omitempty"`
	Steps           []documentStep           `json:"steps,omitempty"`
	PinnedImageSets []documentPinnedImageSet `json:"pinnedImageSets,omitempty"`
}

type documentStep struct {
	Phase   string             `json:"phase"`
	State   progress.StepState `json:"state"`
	End     time.Time          `json:"end,omitzero"`
	Seconds *int               `json:"seconds,omitempty"`
	Message string             `json:"message,omitempty"`
}

type documentPinnedImageSet struct {
	Name    string    `json:"name,omitempty"`
	Failed  bool      `json:"failed"`
	Since   time.Time `json:"since,omitzero"`
	Message string    `json:"message,omitempty"`
}

func newDocument(v source.View, origin string) *document {
	d := &document{TypeMeta: typeMeta("Rollout"), Time: v.Time.UTC(), From: origin, Pools: []documentPool{}}
	for _, p := range v.Pools {
		doc := documentPool{
			Name: p.Name, Target: documentTarget(p.Target), Release: v.Releases[p.Target.Config], Complete: p.IsDone(), Paused: p.Paused,
			Blocked: p.Blocked, Unavailable: p.Unavailable, MaxUnavailable: p.MaxUnavailable, FromStatus: p.FromStatus,
			Typical: seconds(p.Typical, p.Typical > 0), Problems: []documentCondition{}, Nodes: []documentNode{},
			Counts: map[string]int{
				"nodes": p.Total(), "done": p.Done, "updating": p.Updating, "stuck": p.Stuck, "waiting": p.Waiting, "idle": p.Idle,
				"unreported": p.Unreported, "missing": p.Missing,
			},
		}
		if p.Remaining != nil {
			doc.Remaining = seconds(*p.Remaining, true)
		}
		for _, c := range p.Problems {
			doc.Problems = append(doc.Problems, documentCondition(c))
		}
		if p.Build != nil {
			build := documentCondition(*p.Build)
			doc.Build = &build
		}
		for _, n := range p.Nodes {
			doc.Nodes = append(doc.Nodes, describe(n))
		}
		d.Pools = append(d.Pools, doc)
	}
	return d
}

func describe(n cluster.Node) documentNode {
	doc := documentNode{
		Name: n.Name, Pool: n.Pool, State: n.State, Slow: n.Slow, Failing: n.Failing, Degraded: n.Degraded, DegradedSince: n.DegradedSince,
		NotReady: n.NotReady, Cordoned: n.Cordoned, Desired: documentTarget(n.Desired), Current: documentTarget(n.Current), Step: string(n.Step),
		Since: n.Since, Seconds: seconds(n.For, n.For > 0),
		Requested: n.Requested, Started: n.Started, Completed: n.Completed, Message: n.Message, Next: screen.Next(n),
	}
	for _, s := range n.Steps {
		doc.Steps = append(doc.Steps, documentStep{string(s.Phase), s.State, s.End, seconds(s.Duration, !s.End.IsZero()), s.Message})
	}
	for _, set := range n.PinnedImageSets {
		doc.PinnedImageSets = append(doc.PinnedImageSets, documentPinnedImageSet(set))
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
