package simulation_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

const (
	// maxBackoff is the longest pause between two retries, with its jitter.
	maxBackoff = 30 * time.Second
	// each is what one request takes in fair weather, with the limit of client-go.
	each = 250 * time.Millisecond
)

// isUnborn reports whether a controller's call has failed because the daemon has not created the object.
func (c *call) isUnborn() bool {
	return c.caller == "controller" && strings.Contains(c.err.Error(), "has not created the MachineConfigNode")
}

// isShown reports whether a version of the object has shown the text of a call.
func (s *simulation) isShown(c *call) bool {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.server.shown[string(c.phase)+c.token]
}

// checkCall checks what a call promises when it returns: without an error, the report is written.
// ErrPending means that it is queued. While the API server is well, a report is written when its call
// returns.
func (s *simulation) checkCall(c *call) {
	switch {
	case c.caller == "controller" && errors.Is(c.err, upgrademonitor.ErrNoUpdate):
		if s.server.isUnderWay(c.started) {
			s.fail("%s: %s: rejected during an update: %v", c.caller, c.name, c.err)
		}
	case !c.isAccepted() && !strings.Contains(c.err.Error(), upgrademonitor.ErrQueueFull.Error()):
		s.fail("%s: %s: rejected, and nothing is wrong with it: %v", c.caller, c.name, c.err)
	case c.token == "" || c.isDead():
	case c.err != nil && c.settled && !c.isUnborn():
		s.fail("%s: %s %s: not written when the call returned, in fair weather: %v", c.caller, c.name, c.token, c.err)
	case c.err == nil && !c.silent && !s.isShown(c) && !s.isLate(c):
		sleep(time.Millisecond) // for a call that returns at the same time, and has replaced the text
		s.mu.Lock()
		calls := slices.Clone(s.calls)
		s.mu.Unlock()
		if !s.isReplaced(c, calls) {
			s.fail("%s: %s %s: not written when the call returned without an error", c.caller, c.name, c.token)
		}
	}
}

// checkNothingLost checks the calls of a process that had returned at a tick: an accepted report is shown,
// or a later report of the same phase replaced its text while no caller waited for it, or the controller made
// it in an outage, and the update had ended when it could be written.
func (s *simulation) checkNothingLost(p *process, tick int64) {
	s.mu.Lock()
	calls := append([]*call(nil), s.calls...)
	s.mu.Unlock()
	dropped := len(p.about(upgrademonitor.ErrNoUpdate.Error()))
	missing := map[string]bool{} // a call that repeats a pending report accepts no other one
	for _, c := range calls {
		if c.process != p || c.to >= tick || !c.isAccepted() || c.token == "" {
			continue
		}
		if s.isShown(c) || s.isLate(c) || s.isReplaced(c, calls) {
			continue
		}
		missing[c.name+c.token] = true
		if len(missing) > dropped {
			s.fail("%s: %s %s is lost", c.caller, c.name, c.token)
		}
	}
	for _, line := range p.about("Dropped an accepted change") {
		if p.name != "controller" || !strings.Contains(line, upgrademonitor.ErrNoUpdate.Error()) {
			s.fail("nothing is wrong with the report: %s", line)
		}
	}
}

// isLate reports whether a call that starts an update is older than the end of an update that came before
// it: then it changes nothing. Such an end is of another client, or has its time from one.
func (s *simulation) isLate(c *call) bool {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	isStart := c.phase == phases.Updated && c.status == metav1.ConditionFalse
	for end, at := range s.server.ends {
		if isStart && end < number(c.token) && c.started.Unix() < at.Unix() {
			return true
		}
	}
	return false
}

// isReplaced reports whether the text of a call was replaced, by one that is shown, or replaced in turn.
func (s *simulation) isReplaced(c *call, calls []*call) bool {
	for _, other := range calls {
		isNewer := other.process == c.process && other.phase == c.phase && other.status == c.status && other.isAccepted() && other.to > c.from && other != c
		if isNewer && (other.token == "" || s.isShown(other)) {
			return true
		}
	}
	return false
}

// end checks the state after the API server is well again.
func (s *simulation) end() {
	p := s.processes["daemon"]
	c := &caller{simulation: s, name: "daemon", rng: s.rng, patient: true}
	n, _ := p.Pending()
	sleep(maxBackoff + time.Duration(n+1)*2*each)
	for name := range s.processes {
		s.checkPending(name)
	}
	if s.stopped = true; s.problem != nil {
		return
	}
	c.reportDegraded(metav1.ConditionTrue, c.text()) // without a Lister, it shows the writes of others
	sleep(time.Second)                               // the last write may have been slow
	for range 4 {                                    // a repeat must be true of the object
		c.degraded()
		status := c.calls[len(c.calls)-1].status
		if o := s.server.Get(nodeName); o == nil || conditions.StatusOf(o.Status.Conditions, phases.NodeDegraded) != status {
			s.fail("NodeDegraded is not %s at the end", status)
		}
	}
	for range 2 {
		c.imageSets()
		var names []string
		for _, set := range s.server.Get(nodeName).Status.PinnedImageSets {
			names = append(names, fmt.Sprint(set.Name, set.DesiredGeneration))
		}
		for _, set := range s.sets {
			if !slices.Contains(names, fmt.Sprint(set.Name, set.Generation)) || len(names) != len(s.sets) {
				s.fail("the image sets are %v at the end, reported were %v", names, s.sets)
			}
		}
	}
	if s.problem != nil {
		return
	}
	s.log("one more update, in fair weather")
	c.rng = nil
	c.update()
	s.checkUpdated()
	sleep(maxBackoff + time.Minute)
	for name := range s.processes {
		s.checkPending(name)
	}
}

// checkPending checks that everything that a process has accepted is done.
func (s *simulation) checkPending(name string) {
	p := s.processes[name]
	if n, _ := p.Pending(); n > 0 {
		s.fail("%s: %d reports are pending at the end", name, n)
	}
	s.checkNothingLost(p, math.MaxInt64)
}

// checkUpdated checks the object between updates.
func (s *simulation) checkUpdated() {
	o, node := s.server.Get(nodeName), s.node()
	for _, p := range phases.All(s.images) {
		c := conditions.Find(o.Status.Conditions, p)
		want := metav1.ConditionFalse
		if p == phases.Updated {
			want = metav1.ConditionTrue
		}
		if c == nil || phases.KindOf(p) != phases.Singleton && c.Status != want {
			s.fail("at the end %s is %+v", p, c)
		}
	}
	current := node.Annotations[nodemeta.CurrentConfig]
	if v := o.Status.ConfigVersion; v == nil || v.Current != current || v.Desired != current || o.Spec.ConfigVersion.Desired != current {
		s.fail("at the end the versions are %+v and %+v, the Node has %s", v, o.Spec, current)
	}
	if o.Status.ObservedGeneration != o.Generation {
		s.fail("at the end observedGeneration is %d, the generation %d", o.Status.ObservedGeneration, o.Generation)
	}
}
