package command

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// document is the JSON and YAML output: the pools, or one node. Unknown values are
// omitted.
type document struct {
	metav1.TypeMeta `json:",inline"`

	Time          time.Time        `json:"time,omitzero"`
	From          string           `json:"from,omitempty"`
	UpdatingTo    string           `json:"updatingTo,omitempty"` // the version that the cluster is not yet updated to
	Pools         []documentPool   `json:"pools,omitzero"`
	Leftover      []string         `json:"leftover,omitempty"`   // MachineConfigNodes without a Node
	Unselected    []string         `json:"unselected,omitempty"` // nodes in no pool
	*documentNode `json:",inline"` // the node; set by the command node only
	Entries       []documentEntry  `json:"entries,omitempty"` // the problems of the node, or else of the ClusterOperator machine-config, and of nodes that several pools select
}

// DeepCopyObject returns d itself, because no code changes a document.
func (d *document) DeepCopyObject() runtime.Object { return d }

type documentPool struct {
	Name           string                  `json:"name"`
	Target         documentTarget          `json:"target"`
	Release        string                  `json:"release,omitempty"` // the OpenShift version of the target's config
	Changes        string                  `json:"changes,omitempty"` // how the MachineConfigs of the target differ from the last ones
	Complete       bool                    `json:"complete"`          // see cluster.Pool.IsDone
	Updated        bool                    `json:"updated"`           // see cluster.Pool.Updated
	Paused         bool                    `json:"paused"`
	PausedBy       mco.Write               `json:"pausedBy,omitzero"` // the last write of the manager that paused the pool
	Blocked        bool                    `json:"blocked"`
	Stalled        bool                    `json:"stalled"`
	Unavailable    int                     `json:"unavailable"`
	MaxUnavailable int                     `json:"maxUnavailable,omitempty"`
	FromStatus     bool                    `json:"fromStatus,omitempty"` // the counts are from the status of the pool
	Counts         documentCounts          `json:"counts"`
	Typical        *int                    `json:"typicalSeconds,omitempty"`
	Remaining      *int                    `json:"remainingSeconds,omitempty"`
	Problems       []cluster.PoolCondition `json:"problems"`
	Build          *cluster.PoolCondition  `json:"build,omitempty"`
	Entries        []documentEntry         `json:"entries"` // the problems that the screen shows, one for each node
	Nodes          []documentNode          `json:"nodes"`
}

// documentCounts are the numbers of nodes by state. Nodes is the sum. Missing nodes also count as done or
// unreported, unless a dump has other Nodes.
type documentCounts struct {
	Nodes          int `json:"nodes"`
	cluster.Counts `json:",inline"`
	Missing        int `json:"missing"`
}

// documentEntry is a problem that the screen shows.
type documentEntry struct {
	Stops   bool      `json:"stops"` // the problem stops the rollout
	Subject string    `json:"subject"`
	Nodes   []string  `json:"nodes,omitempty"`
	What    string    `json:"what"`
	Since   time.Time `json:"since,omitzero"`
	Message string    `json:"message,omitempty"`
	Details []string  `json:"details,omitempty"`
	Next    []string  `json:"next,omitempty"`
}

type documentTarget struct {
	Config string `json:"config"`
	Image  string `json:"image"`
}

type documentNode struct {
	Name            string                `json:"name"`
	Pool            string                `json:"pool"`
	State           cluster.State         `json:"state"`
	Slow            bool                  `json:"slow,omitempty"`
	Failing         bool                  `json:"failing,omitempty"`
	Degraded        bool                  `json:"degraded,omitempty"`
	DegradedSince   time.Time             `json:"degradedSince,omitzero"`
	Unavailable     []documentUnavailable `json:"unavailable,omitempty"`
	OffTarget       bool                  `json:"offTarget,omitempty"` // see cluster.Node.OffTarget
	Desired         documentTarget        `json:"desired"`
	Current         documentTarget        `json:"current"`
	KubeletVersion  string                `json:"kubeletVersion,omitempty"`
	OSImage         string                `json:"osImage,omitempty"`
	Step            string                `json:"step,omitempty"`
	Since           time.Time             `json:"since,omitzero"`
	Seconds         *int                  `json:"seconds,omitempty"` // the time since the node became degraded or, if it is not degraded, since its step started
	Requested       time.Time             `json:"requested,omitzero"`
	Started         time.Time             `json:"started,omitzero"`
	Completed       time.Time             `json:"completed,omitzero"`
	Message         string                `json:"message,omitempty"`
	Next            []string              `json:"next,omitempty"`
	Steps           []documentStep        `json:"steps,omitempty"`
	PinnedImageSets []mco.PinnedImageSet  `json:"pinnedImageSets,omitempty"`
}

type documentStep struct {
	Phase   string        `json:"phase"`
	State   mco.StepState `json:"state"`
	End     time.Time     `json:"end,omitzero"`
	Seconds *int          `json:"seconds,omitempty"`
	Message string        `json:"message,omitempty"`
}

type documentUnavailable struct {
	Reason  progress.UnavailableReason `json:"reason"`
	Since   time.Time                  `json:"since,omitzero"`
	Message string                     `json:"message,omitempty"` // of the condition of the Node
}

func newDocument(v source.View, origin string) *document {
	d := &document{
		TypeMeta:   typeMeta("Rollout"),
		Time:       v.Time.UTC(),
		From:       origin,
		Pools:      []documentPool{},
		Leftover:   v.Leftover,
		Unselected: v.Unselected,
		Entries:    entries(append(screen.OfOperator(v.Pools, wholeOptions(v)), screen.OfConflicts(v.Cluster)...)),
	}
	if v.Version.IsUpdating {
		d.UpdatingTo = v.Version.Desired
	}
	for _, p := range v.Pools {
		doc := documentPool{
			Name:           p.Name,
			Target:         documentTarget(p.Target),
			Release:        v.Configs[p.Target.Config].Release,
			Changes:        screen.Changes(p, wholeOptions(v)),
			Complete:       p.IsDone(),
			Paused:         p.Paused,
			PausedBy:       p.PausedBy,
			Updated:        p.Updated,
			Blocked:        p.Blocked,
			Stalled:        p.Stalled,
			Entries:        entries(screen.Problems(p, wholeOptions(v))),
			Unavailable:    p.Unavailable,
			MaxUnavailable: p.MaxUnavailable,
			FromStatus:     p.FromStatus,
			Typical:        seconds(p.Typical, p.Typical > 0),
			Remaining:      seconds(ptr.Deref(p.Remaining, 0), p.Remaining != nil),
			Problems:       append([]cluster.PoolCondition{}, p.Problems...),
			Build:          p.Build,
			Nodes:          []documentNode{},
			Counts:         documentCounts{p.Total(), p.Counts, p.Missing},
		}
		for _, n := range p.Nodes {
			doc.Nodes = append(doc.Nodes, describe(n, wholeOptions(v)))
		}
		d.Pools = append(d.Pools, doc)
	}
	return d
}

func describe(n cluster.Node, o screen.Options) documentNode {
	doc := documentNode{
		Name:            n.Name,
		Pool:            n.Pool,
		State:           n.State,
		Slow:            n.Slow,
		Failing:         n.Failing,
		Degraded:        n.Degraded,
		DegradedSince:   n.DegradedSince,
		OffTarget:       n.OffTarget,
		Desired:         documentTarget(n.Desired),
		Current:         documentTarget(n.Current),
		KubeletVersion:  n.Kubelet,
		OSImage:         n.OS,
		Step:            string(n.Step),
		Since:           n.Since,
		Seconds:         seconds(n.For, n.For > 0),
		Requested:       n.Requested,
		Started:         n.Started,
		Completed:       n.Completed,
		Message:         n.Message,
		Next:            screen.Next(n, o),
		PinnedImageSets: n.PinnedImageSets,
	}
	for _, u := range n.Unavailable {
		doc.Unavailable = append(doc.Unavailable, documentUnavailable{u.Reason, u.Since, n.Messages[u.Reason]})
	}
	for _, s := range n.Steps {
		took := seconds(s.Duration, !s.End.IsZero())
		doc.Steps = append(doc.Steps, documentStep{string(s.Phase), s.State, s.End, took, s.Message})
	}
	return doc
}

// wholeOptions returns the options for the entries of a document.
func wholeOptions(v source.View) screen.Options {
	return screen.Options{Facts: v.Facts, Now: v.Time, Whole: true}
}

func entries(problems []screen.Problem) []documentEntry {
	all := []documentEntry{}
	for _, p := range problems {
		all = append(all, documentEntry{p.Tone == screen.Alarm, p.Subject, p.About, p.What, p.Began(), p.Message, p.Details, p.Next})
	}
	return all
}

func seconds(d time.Duration, known bool) *int {
	if !known {
		return nil
	}
	s := int(d.Seconds())
	return &s
}
