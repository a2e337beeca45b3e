package core_test

import (
	"fmt"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const (
	a, b, c = "rendered-a", "rendered-b", "rendered-c"
	i, j    = "image-i", "image-j"
)

var (
	starts      = step{phase: phases.Updated, status: metav1.ConditionFalse, current: a, desired: b}
	startsAgain = step{phase: phases.Updated, status: metav1.ConditionFalse, current: a, desired: c}
	prepared    = step{phase: phases.UpdatePrepared, status: metav1.ConditionTrue, current: a, desired: c}
	drains      = step{phase: phases.Drained, status: metav1.ConditionUnknown, current: a, desired: b}
	applied     = step{phase: phases.AppliedFilesAndOS, status: metav1.ConditionTrue, current: a, desired: b, completes: true}
	resumed     = step{phase: phases.Resumed, status: metav1.ConditionTrue, current: b, desired: b}
	updated     = step{phase: phases.Updated, status: metav1.ConditionTrue, current: b, desired: b}
	specCall    = step{current: a, desired: c}
)

var worlds = []world{
	{
		name: "updates", depth: 3, often: 5,
		starts: []start{missing, bare, betweenUpdates},
		steps:  []step{starts, updated, drains, prepared, specCall, startsAgain, applied, resumed},
		events: []event{done, lostResponse, lost, denied, rejected, othersDegrade, othersAdd, othersEnd, othersDelete, restarts},
		pauses: []pause{restartsBetween},
	},
	{
		name: "other changes", depth: 2, often: 3,
		starts: []start{missing, bare, betweenUpdates},
		steps: []step{
			starts, updated, drains,
			{phase: phases.Drained, notRequired: true, current: a, desired: b},
			{sets: []plan.ImageSet{{Name: "set", Generation: 2, Failure: "no route"}}, current: a, desired: b},
			{sets: []plan.ImageSet{{Name: "set", Generation: 1, Done: true}}, current: a, desired: b},
			{ofNode: true, current: b, desired: b},
			{phase: phases.Updated, status: metav1.ConditionTrue, current: a, desired: a}, // the target b is withdrawn
		},
		events: []event{done, lostResponse, lost, denied, rejected, othersDegrade, othersEnd, othersDesire, othersDelete, restarts, listedMeanwhile, repeated},
		pauses: []pause{restartsBetween},
	},
	{
		name: "image mode", depth: 2, often: 3, mode: plan.Image,
		starts: []start{bare, betweenUpdates},
		steps: []step{
			{phase: phases.Updated, status: metav1.ConditionFalse, current: a, desired: a, currentImage: i, desiredImage: j},
			{phase: phases.UpdatePrepared, status: metav1.ConditionTrue, current: a, desired: a, currentImage: i, desiredImage: j},
			{phase: phases.AppliedOSImage, status: metav1.ConditionTrue, current: a, desired: a, currentImage: i, desiredImage: j},
			{phase: phases.Updated, status: metav1.ConditionTrue, current: a, desired: a, currentImage: j, desiredImage: j},
			{phase: phases.Updated, status: metav1.ConditionFalse, current: a, desired: a, currentImage: j},
			{current: a, desired: a, currentImage: i, desiredImage: j},
		},
		events: []event{done, lostResponse, lost, denied, rejected, othersDegrade, othersDelete, restarts},
		pauses: []pause{restartsBetween},
	},
	{
		name: "a Lister", depth: 2, often: 3,
		starts: []start{missing, betweenUpdates},
		steps:  []step{starts, drains, updated, specCall},
		events: []event{done, lostResponse, denied, othersDegrade, othersEnd, othersDelete, listedMeanwhile, repeated},
		pauses: []pause{listed, listedEnd, listedOld, listedTrimmed, unlisted, deletedAndUnlisted},
	},
	{
		name: "an outage", depth: 3, often: 3, outage: true,
		starts: []start{betweenUpdates},
		steps: []step{
			starts, drains,
			{phase: phases.Drained, status: metav1.ConditionFalse, current: a, desired: b},
			updated, {current: a, desired: b},
		},
		events: []event{done, lostResponse, lost, denied, rejected, othersEnd, repeated, rejectedThenRepeated},
		pauses: []pause{listedEnd},
	},
}

// step is a call of a daemon, with the configs and images that the Node has then. Without a phase, image
// sets or a change of the Node it is the spec call.
type step struct {
	phase                      phases.Phase
	status                     metav1.ConditionStatus
	completes, notRequired     bool
	sets                       []plan.ImageSet
	ofNode                     bool
	current, desired           string
	currentImage, desiredImage string
}

func (s step) String() string {
	call := "the spec call"
	switch {
	case s.notRequired:
		call = fmt.Sprintf("report %s not required", s.phase)
	case s.phase != "":
		call = fmt.Sprintf("report %s=%s", s.phase, s.status)
	case s.sets != nil:
		call = fmt.Sprintf("report image sets %v", s.sets)
	case s.ofNode:
		call = "the Node has changed"
	}
	return fmt.Sprintf("%s, current %s %s, desired %s %s", call, s.current, s.currentImage, s.desired, s.desiredImage)
}

// change returns the change that a step is, or nil for the spec call.
func (s step) change(now time.Time, mode plan.Mode, message string) plan.Change {
	n := s.node(mode)
	at := metav1.NewTime(now)
	switch {
	case s.phase != "":
		return plan.PhaseChange{Node: n, Report: conditions.Report{
			NotRequired: s.notRequired,
			Phase:       s.phase, Status: s.status, Reason: "R" + string(s.phase), Message: message, CompletesParent: s.completes, Time: at,
		}}
	case s.sets != nil:
		return plan.ImageSetsChange{Node: n, Sets: s.sets, Time: at}
	case s.ofNode:
		return plan.NodeChange{Node: n}
	}
	return nil
}

func (s step) node(mode plan.Mode) plan.Node {
	return plan.Node{
		Owner: metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "node"},
		Pool:  "worker",
		Mode:  mode,
		Versions: plan.Versions{
			CurrentConfig: s.current, DesiredConfig: s.desired, CurrentImage: s.currentImage, DesiredImage: s.desiredImage,
		},
	}
}

// startsAnother reports whether a step starts another update than the update to b, which others have ended.
func (s step) startsAnother() bool {
	return s.phase == phases.Updated && s.status == metav1.ConditionFalse && s.desired != b
}

// start makes the object that a path starts with.
type start struct {
	name string
	make func(*path)
}

var (
	missing = start{"missing", func(*path) {}}
	bare    = start{"without a status", func(p *path) {
		var o core.Object
		o.State = o.Sync(step{current: a, desired: a, currentImage: i, desiredImage: i}.node(p.mode))
		p.server.create(o)
	}}
	betweenUpdates = start{"between updates", func(p *path) {
		bare.make(p)
		p.end(a, startTime.Add(-time.Hour))
		p.server.object.Foreign = []metav1.Condition{foreign}
		if p.mode == plan.Image {
			p.server.object.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{CurrentImage: i, DesiredImage: i}
		}
	}}
)

// event is an event of a request.
type event struct {
	name    string
	happens func(*path, core.Request) (goesOn bool, err error)
}

var (
	done = event{"done", func(p *path, r core.Request) (bool, error) {
		p.done(r, p.server.make(r))
		return true, nil
	}}
	lostResponse = event{"done, the response is lost", func(p *path, r core.Request) (bool, error) {
		p.server.make(r)
		return p.fails(r, apierr.Retry), nil
	}}
	lost = event{"lost on the way", func(p *path, r core.Request) (bool, error) {
		return p.fails(r, apierr.Retry), nil
	}}
	denied = event{"denied", func(p *path, r core.Request) (bool, error) {
		return p.fails(r, apierr.Denied), nil
	}}
	rejected = event{"rejected", func(p *path, r core.Request) (bool, error) {
		return p.fails(r, apierr.Terminal), nil
	}}
	othersDegrade = event{"others report NodeDegraded first", func(p *path, r core.Request) (bool, error) {
		p.degrade()
		return done.happens(p, r)
	}}
	othersAdd = event{"others add a condition first", func(p *path, r core.Request) (bool, error) {
		if p.server.exists && len(p.server.object.Foreign) == 0 {
			p.server.object.Foreign = []metav1.Condition{foreign}
			p.server.bump(false)
		}
		return done.happens(p, r)
	}}
	othersEnd = event{"others end the update first, a second later", func(p *path, r core.Request) (bool, error) {
		p.endLater()
		return done.happens(p, r)
	}}
	othersDesire = event{"others desire another config first", func(p *path, r core.Request) (bool, error) {
		if p.server.exists {
			p.server.object.Spec.ConfigVersion.Desired = c
			p.server.bump(true)
		}
		return done.happens(p, r)
	}}
	othersDelete = event{"others delete the object first", func(p *path, r core.Request) (bool, error) {
		p.delete()
		return done.happens(p, r)
	}}
	restarts = event{"the process restarts before it", func(p *path, _ core.Request) (bool, error) {
		p.restart()
		return false, nil
	}}
	listedMeanwhile = event{"the Lister shows it before the response, and an old version", func(p *path, r core.Request) (bool, error) {
		old := p.server.object
		result := p.server.make(r)
		if p.server.exists {
			p.shows(p.server.object)
			p.shows(old)
		}
		p.done(r, result)
		return true, nil
	}}
	rejectedThenRepeated = event{"rejected, and the last step is repeated", func(p *path, r core.Request) (bool, error) {
		goesOn, _ := rejected.happens(p, r)
		if err := p.right.finished(&p.core); err != nil {
			return false, err
		}
		return goesOn, p.make(p.last)
	}}
	repeated = event{"the last step is repeated before the response", func(p *path, r core.Request) (bool, error) {
		if err := p.make(p.last); err != nil {
			return false, err
		}
		return done.happens(p, r)
	}}
)

// pause is an event between two steps.
type pause struct {
	name    string
	happens func(*path) error
}

var (
	restartsBetween = pause{"the process restarts", func(p *path) error {
		p.restart()
		return nil
	}}
	listed = pause{"others report NodeDegraded, and the Lister shows it", func(p *path) error {
		p.degrade()
		if p.server.exists {
			p.shows(p.server.object)
		}
		return nil
	}}
	listedEnd = pause{"others end the update a second later, and the Lister shows it", func(p *path) error {
		p.endLater()
		if p.server.exists {
			p.shows(p.server.object)
		}
		return nil
	}}
	listedOld = pause{"the Lister shows an old version", func(p *path) error {
		if old := p.server.object; p.server.exists {
			old.ResourceVersion = "1"
			p.shows(old)
		}
		return nil
	}}
	listedTrimmed = pause{"others report NodeDegraded, and the Lister shows it without messages", func(p *path) error {
		p.degrade()
		if trimmed := p.server.object; p.server.exists {
			trimmed.Status.Conditions = slices.Clone(trimmed.Status.Conditions)
			for i := range trimmed.Status.Conditions {
				trimmed.Status.Conditions[i].Message = ""
			}
			p.shows(trimmed)
		}
		return nil
	}}
	unlisted = pause{"the Lister, which had the object, does not have it for a while", func(p *path) error {
		if p.server.exists {
			p.shows(p.server.object)
			p.unlist()
		}
		return nil
	}}
	deletedAndUnlisted = pause{"others delete the object, which the Lister had", func(p *path) error {
		if p.server.exists {
			p.shows(p.server.object)
			p.delete()
			p.unlist()
		}
		return nil
	}}
)

// degrade is a report of another process.
func (p *path) degrade() {
	p.server.write(func(status *mcfgv1.MachineConfigNodeStatus) {
		if degraded := conditions.Find(status.Conditions, phases.NodeDegraded); degraded != nil {
			degraded.Message = "by another"
		}
	})
}

func (p *path) endLater() {
	p.server.now = p.server.now.Add(time.Second)
	p.end(b, p.server.now)
	updated := conditions.Find(p.server.object.Status.Conditions, phases.Updated)
	p.ended = updated != nil && updated.LastTransitionTime.Time.Equal(p.server.now)
}

func (p *path) delete() {
	p.server.exists, p.server.object = false, core.Object{}
	p.ended = false
}

func (p *path) unlist() {
	_, listed := p.core.Version()
	p.core.See(core.View{Node: p.right.latest, Lists: true})
	if listed {
		p.right.knowledge, p.right.deleted = doubtful, true
	}
}

// restart loses the pending changes and the known object.
func (p *path) restart() {
	p.core = core.Core{}
	p.right.forget()
}
