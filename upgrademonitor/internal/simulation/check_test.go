package simulation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The simulation checks seven rules:
//
//  1. A call ends within Config.Timeout or with its ctx, and Flush ends with its ctx.
//  2. A call without an error has written its report. Every report is accepted, unless the queue is full or, in a
//     controller, no update is under way.
//  3. No accepted report is lost. After a Flush without an error, and at the end, each was written. Only a later report of
//     the same status may replace its text, and the end of an update ends the reports of a controller. A start that is
//     late (see isLate) changes nothing.
//  4. Each write is legal: a watcher sees each status, and the fields of other clients do not change. A controller writes
//     only conditions, and starts no update.
//  5. After the faults, the API server has all reports within the longest pause between two retries. Then each
//     report is written by its call, and the object shows it.
//  6. After an update, spec, status and Node agree.
//  7. The status desires what the daemon has taken up. If Updated is True and the spec is observed, the node has run what the
//     spec desires. An old process does not keep this rule.

const (
	// longestPause is the longest pause between two retries, with its jitter.
	longestPause = 30 * time.Second
	// perRequest is the time of a request without faults, with the limit of client-go.
	perRequest = 250 * time.Millisecond
)

// checkCall checks rules 1, 2 and 5.
func (s *simulation) checkCall(c *call) {
	switch {
	case c.took > c.limit:
		s.fail("%s: took %v, more than %v", c, c.took, c.limit)
	case errors.Is(c.err, upgrademonitor.ErrNoUpdate) && c.caller == "controller":
		if s.server.isUnderWay(c.started) {
			s.fail("%s: rejected during an update: %v", c, c.err)
		}
	case !c.isAccepted() && !strings.Contains(c.err.Error(), upgrademonitor.ErrQueueFull.Error()):
		s.fail("%s: rejected, although it is allowed: %v", c, c.err)
	case s.calm.Load() && c.err != nil && !c.isSilent:
		s.fail("%s: not written after the faults: %v", c, c.err)
	case s.calm.Load() && c.status != "" && s.statusOf(c.phase) != c.status:
		s.fail("%s: the object shows %s", c, s.statusOf(c.phase))
	case c.err == nil && s.isLost(c):
		s.fail("%s: not written, although the call has returned no error", c)
	}
}

// isLost reports whether the text of a call was neither in a version of the object nor replaced by another report.
func (s *simulation) isLost(c *call) bool {
	if c.token == "" || c.isDead() || s.server.hasShown(c) || s.server.isLate(c) {
		return false
	}
	sleep(time.Millisecond) // the call that has replaced the text may return at the same time
	isReplaced := slices.ContainsFunc(s.made(), func(other *call) bool {
		isLater := other != c && other.process == c.process && other.phase == c.phase && other.status == c.status && other.to > c.from
		return isLater && other.isAccepted() && (other.token == "" || s.server.hasShown(other))
	})
	isEnded := c.caller == "controller" && len(c.about(upgrademonitor.ErrNoUpdate.Error())) > 0
	return !isReplaced && !isEnded
}

// checkNothingLost checks rule 3 for the calls of a process that have returned before the given tick.
func (s *simulation) checkNothingLost(p *process, tick int64) {
	for _, c := range s.made() {
		if c.process == p && c.to < tick && c.isAccepted() && s.isLost(c) {
			s.fail("%s is lost", c)
		}
	}
	for _, line := range p.about("Dropped an accepted change") {
		if p.name != "controller" || !strings.Contains(line, upgrademonitor.ErrNoUpdate.Error()) {
			s.fail("a report that is allowed was dropped: %s", line)
		}
	}
}

// flush calls Flush, and checks rules 1 and 3.
func (s *simulation) flush(p *process, limit time.Duration) {
	tick, started := s.ticks.Add(1), time.Now()
	ctx, cancel := context.WithTimeout(p.context(context.Background()), limit)
	defer cancel()
	err := p.Flush(ctx)
	took := time.Since(started)
	s.log("%s: Flush: %v after %v", p.name, err, took)
	switch {
	case took > limit:
		s.fail("Flush took %v, more than %v", took, limit)
	case err == nil:
		s.checkNothingLost(p, tick)
	case !errors.Is(err, upgrademonitor.ErrPending) && p.name != "controller":
		s.fail("Flush has dropped a report that is allowed: %v", err)
	}
}

// checkWrite checks rule 4 for a write of a process with a Monitor.
func (s *weatherServer) checkWrite(process string, before, after *mcfgv1.MachineConfigNode) {
	if err := conditionstest.CheckTransitions(before.Status.Conditions, after.Status.Conditions); err != nil {
		s.fail("a watcher misses a status: %v", err)
	}
	if x, y := ofOthers(before), ofOthers(after); x != y {
		s.fail("the fields of other clients have changed from %s to %s", x, y)
	}
	isAhead := before.Status.ObservedGeneration > before.Generation // written by an old process
	if after.Status.ObservedGeneration > after.Generation && !isAhead {
		s.fail("observedGeneration is %d, the generation %d", after.Status.ObservedGeneration, after.Generation)
	}
	if process != "controller" {
		s.checkNode(after)
		return
	}
	x, y := before.Status.DeepCopy(), after.Status.DeepCopy()
	x.Conditions, y.Conditions = nil, nil
	if before.Spec != after.Spec || !reflect.DeepEqual(x, y) {
		s.fail("a controller has written %+v %+v over %+v %+v", after.Spec, y, before.Spec, x)
	}
	isUpdated := func(mcn *mcfgv1.MachineConfigNode) bool {
		return conditions.StatusOf(mcn.Status.Conditions, phases.Updated) == metav1.ConditionTrue
	}
	if isUpdated(before) && !isUpdated(after) {
		s.fail("a controller has started an update")
	}
}

// checkNode checks rule 7.
func (s *simulation) checkNode(after *mcfgv1.MachineConfigNode) {
	if s.old != "none" || after.Status.ConfigVersion == nil {
		return
	}
	spec, desired := after.Spec.ConfigVersion.Desired, after.Status.ConfigVersion.Desired
	isUpdated := conditions.StatusOf(after.Status.Conditions, phases.Updated) == metav1.ConditionTrue
	s.mu.Lock()
	_, isTakenUp := s.orders[desired]
	hasRun := func(config string) bool { // a report that was queued in an outage may be older than the Node
		return slices.ContainsFunc(s.nodes, func(n *corev1.Node) bool { return n.Annotations[nodemeta.CurrentConfig] == config })
	}
	runsDesired, runsSpec := hasRun(desired), hasRun(spec)
	s.mu.Unlock()
	if isEnd := isUpdated && runsDesired; !isTakenUp && !isEnd && desired != nodemeta.NotYetSet {
		s.fail("the status desires %s, which the daemon has not taken up", desired)
	}
	if isUpdated && after.Status.ObservedGeneration == after.Generation && !runsSpec {
		s.fail("Updated is True and the spec %s is observed, but the node has not run it", spec)
	}
}

// ofOthers returns the fields of other clients in the status, as JSON.
func ofOthers(mcn *mcfgv1.MachineConfigNode) string {
	found := []any{mcn.Status.IrreconcilableChanges}
	for _, c := range mcn.Status.Conditions {
		if phases.KindOf(phases.Phase(c.Type)) == "" {
			found = append(found, c)
		}
	}
	data, _ := json.Marshal(found)
	return string(data)
}

// checkEnd makes another update after the faults, and checks rules 3, 5 and 6.
func (s *simulation) checkEnd() {
	s.checkAllWritten()
	s.calm.Store(true)
	c := &caller{simulation: s, name: "daemon", rng: s.rng, patient: true}
	c.reportDegraded(metav1.ConditionTrue, c.text()) // without a Lister, only a write shows the writes of others
	for range 4 {
		c.degraded()
	}
	s.log("one more update, after the faults")
	c.rng = nil
	c.update()
	c.spec()
	c.imageSets()
	s.checkAllWritten()
	s.checkAgreement()
}

// checkAllWritten waits for the longest pause between two retries, and checks rules 3 and 5.
func (s *simulation) checkAllWritten() {
	most := 0
	for _, p := range s.processes {
		n, _ := p.Pending()
		most = max(most, n)
	}
	sleep(longestPause + time.Duration(most+2)*2*perRequest)
	for name, p := range s.processes {
		if n, _ := p.Pending(); n > 0 {
			s.fail("%s: %d reports are pending at the end", name, n)
		}
		s.checkNothingLost(p, math.MaxInt64)
	}
}

// checkAgreement checks rule 6.
func (s *simulation) checkAgreement() {
	o, node := s.server.Get(nodeName), s.node()
	for _, p := range phases.All(s.images) {
		want := metav1.ConditionFalse
		if p == phases.Updated {
			want = metav1.ConditionTrue
		}
		if phases.KindOf(p) != phases.Singleton && s.statusOf(p) != want {
			s.fail("after the last update, %s is %s", p, s.statusOf(p))
		}
	}
	current := node.Annotations[nodemeta.CurrentConfig]
	if v := o.Status.ConfigVersion; v == nil || v.Current != current || v.Desired != current || o.Spec.ConfigVersion.Desired != current {
		s.fail("after the last update, the configs are %+v in the status and %+v in the spec, but the Node has %s", v, o.Spec, current)
	}
	if o.Status.ObservedGeneration != o.Generation {
		s.fail("after the last update, observedGeneration is %d, but the generation is %d", o.Status.ObservedGeneration, o.Generation)
	}
	var sets, reported []string
	for _, set := range o.Status.PinnedImageSets {
		sets = append(sets, fmt.Sprint(set.Name, set.DesiredGeneration))
	}
	for _, set := range s.sets {
		reported = append(reported, fmt.Sprint(set.Name, set.Generation))
	}
	if !slices.Equal(sets, reported) {
		s.fail("the last report had the image sets %v, but the status has %v", reported, sets)
	}
}

// statusOf returns the status of a phase, or "" if there is none.
func (s *simulation) statusOf(p phases.Phase) metav1.ConditionStatus {
	if o := s.server.Get(nodeName); o != nil {
		if c := conditions.Find(o.Status.Conditions, p); c != nil {
			return c.Status
		}
	}
	return ""
}
