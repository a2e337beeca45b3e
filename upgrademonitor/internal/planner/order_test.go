package planner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// orderWorld is one update in which the Node gets another order at one moment, and one fault happens.
type orderWorld struct {
	images   bool   // image mode
	operator bool   // an operator writes the spec at once
	order    string // the change of the Node
	at       int    // the Node changes before the report with this number
	fault    string // what happens at the report faultAt: nothing, a restart before it, or a lost response
	faultAt  int
}

// orderReports are the reports of an update, as a daemon with a drain makes them. The Node runs the order from "runs" on.
var orderReports = strings.Split(`Updated=False
UpdatePrepared=Unknown
UpdatePrepared=True
Drained=True
AppliedFilesAndOS=Unknown
AppliedFilesAndOS=True completes
RebootedNode=True
Uncordoned=True completes
runs
Updated=True`, "\n")

// orderChanges are the changes of the Node. x is what the daemon works on.
var orderChanges = map[string]func(n *planner.Node){
	"another config": func(n *planner.Node) { n.DesiredConfig = "y" },
	"another image":  func(n *planner.Node) { n.DesiredImage = "k" },
	"withdrawn":      func(n *planner.Node) { n.DesiredConfig, n.DesiredImage = n.CurrentConfig, n.CurrentImage },
}

// The Node may desire something else at any moment. The status still desires only what the daemon has prepared, or what the
// node runs. Updated=True at the observed generation means that the node runs what spec and status desire.
func TestTheStatusDesiresOnlyWhatTheDaemonHasPrepared(t *testing.T) {
	worlds := 0
	for _, images := range []bool{false, true} {
		for _, operator := range []bool{false, true} {
			for order := range orderChanges {
				for at := range len(orderReports) + 1 {
					for faultAt := range orderReports {
						for _, fault := range []string{"restart", "lost response", "none"} {
							if fault == "none" && faultAt > 0 || order == "another image" && !images {
								continue
							}
							w := orderWorld{images, operator, order, at, fault, faultAt}
							if problem := w.run(); problem != nil {
								t.Fatalf("%+v: %v", w, problem)
							}
							worlds++
						}
					}
				}
			}
		}
	}
	require.Greater(t, worlds, 2000)
}

// orderWalk is a process and its object in an orderWorld.
type orderWalk struct {
	script
	prepared []target // what UpdatePrepared=True was about, and the target of the last update
	takenUp  target   // what the daemon works on
	isNew    bool     // the process has not taken up an order
}

type target struct{ config, image string }

func desiredBy(n planner.Node) target { return target{n.DesiredConfig, n.DesiredImage} }
func runBy(n planner.Node) target     { return target{n.CurrentConfig, n.CurrentImage} }

func (w orderWorld) run() error {
	walk := &orderWalk{}
	fields := "object between-updates"
	if w.images {
		fields += " mode=Image currentImage=i desiredImage=i"
	}
	walk.do(mustParse(fields))
	walk.prepared = []target{runBy(walk.node)}
	walk.order(w, func(n *planner.Node) {
		n.DesiredConfig, n.DesiredImage = "x", strings.Replace(n.DesiredImage, "i", "j", 1)
	})
	for round := range 2 {
		for k, report := range orderReports {
			if round == 0 && k == w.at {
				walk.order(w, orderChanges[w.order])
			}
			isFault := round == 0 && k == w.faultAt
			if isFault && w.fault == "restart" {
				walk.restart()
				walk.isNew = true
			}
			if err := walk.report(report, isFault && w.fault == "lost response"); err != nil {
				return fmt.Errorf("round %d, %s: %w", round, report, err)
			}
		}
		if round == 0 && w.at == len(orderReports) {
			walk.order(w, orderChanges[w.order])
		}
		if desiredBy(walk.node) == runBy(walk.node) {
			break
		}
	}
	walk.do(mustParse("flush"))
	if err := walk.make(false); err != nil {
		return err
	}
	o := walk.server.object
	spec := target{o.Spec.ConfigVersion.Desired, string(o.Spec.ConfigImage.DesiredImage)}
	if want := desiredBy(walk.node); runBy(walk.node) == want && (spec != want || walk.desired() != want || o.Status.ObservedGeneration != o.Generation) {
		return fmt.Errorf("at the end, spec and status desire %v and %v, generation %d of %d, but the Node %v", spec, walk.desired(), o.Status.ObservedGeneration, o.Generation, want)
	}
	return nil
}

// order gives the Node another order.
func (w *orderWalk) order(world orderWorld, change func(*planner.Node)) {
	change(&w.node)
	if world.operator && !w.server.object.HasSpecOf(w.node) {
		w.server.object.State = w.server.object.WithSpecOf(w.node)
		w.server.bump(true)
	}
}

// report makes a report, and the requests that follow.
func (w *orderWalk) report(report string, loses bool) error {
	switch {
	case report == "runs":
		w.node.CurrentConfig, w.node.CurrentImage = w.takenUp.config, w.takenUp.image
		return nil
	case report == "Updated=False", report == "UpdatePrepared=True" && w.isNew:
		w.takenUp, w.isNew = desiredBy(w.node), false
	}
	if report == "UpdatePrepared=True" {
		w.prepared = append(w.prepared, w.takenUp)
	}
	if w.node.Mode == planner.Image {
		report = strings.Replace(report, "AppliedFilesAndOS", "AppliedOSImage", 1)
	}
	w.do(mustParse("report " + report))
	return w.make(loses)
}

// make makes the requests, and checks each version of the object.
func (w *orderWalk) make(loses bool) error {
	for {
		if err := w.next(); err != nil || w.request == nil {
			return err
		}
		if err := w.send(); err != nil {
			return err
		}
		if err := w.check(); err != nil {
			return err
		}
		answer := w.respond
		if loses && w.request.Verb == planner.PatchStatus {
			loses, answer = false, func() error { return simple["lose"](&w.script) }
		}
		if err := answer(); err != nil {
			return err
		}
	}
}

func (w *orderWalk) desired() target {
	s := w.server.object.Status
	return target{s.ConfigVersion.Desired, string(s.ConfigImage.DesiredImage)}
}

// check checks a version of the object.
func (w *orderWalk) check() error {
	o := w.server.object
	isUpdated := conditions.StatusOf(o.Status.Conditions, phases.Updated) == "True"
	if isEnd := isUpdated && w.desired() == runBy(w.node); !isEnd && !slices.Contains(w.prepared, w.desired()) {
		return fmt.Errorf("the status desires %v, but the daemon has prepared %v", w.desired(), w.prepared)
	}
	spec := target{o.Spec.ConfigVersion.Desired, string(o.Spec.ConfigImage.DesiredImage)}
	if isUpdated && o.Status.ObservedGeneration == o.Generation && (spec != runBy(w.node) || w.desired() != spec) {
		return fmt.Errorf("Updated is True at the observed generation, the spec desires %v, the status %v, but the node runs %v", spec, w.desired(), runBy(w.node))
	}
	return nil
}
