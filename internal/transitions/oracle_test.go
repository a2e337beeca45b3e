package transitions_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/truncate"
	"github.com/openshift/upgrademonitor/phases"
)

// The oracle is a second implementation of the rules of package transitions. It shares the table of the phases with the
// library, but no code, so an error in the library is only missed if the oracle has the same error.

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue

	disruption  = "This node is not updated, sensed disruption via a manual update."
	unannounced = "This node is not updated, the start of its update is not known."
	prefix      = "Action during update to "
)

var (
	restarts = []string{"Resumed", "UpdateComplete", "Uncordoned"} // a daemon reports them also when it restarts
	statuses = []metav1.ConditionStatus{no, running, done}
)

func typesOf(inImageMode bool) (types []string) {
	for _, p := range phasetable.In(inImageMode) {
		types = append(types, string(p))
	}
	return types
}

func parentOf(typ string) string { return string(phasetable.Of(phases.Phase(typ)).Parent) }

func isSingleton(typ string) bool {
	return phasetable.Of(phases.Phase(typ)).Kind == phasetable.Singleton
}

func isStep(typ string) bool { return typ != "Updated" && !isSingleton(typ) }

// called has the arguments of Next for a report, and all writes that Next returns for it.
type called struct {
	list        []metav1.Condition
	inImageMode bool
	report      request
	writes      [][]metav1.Condition
	err         error
}

// event is the effect of a report on the update as a whole.
type event string

const (
	eventNone       event = "changes its phase"
	eventStart      event = "starts an update"
	eventRepeat     event = "repeats the start"
	eventEnd        event = "ends the update"
	eventDisruption event = "is a disruption"
	eventTarget     event = "starts an update by UpdatePrepared"
	eventText       event = "changes no status"
	eventLate       event = "is older than the end of its update"
)

// rule is what a check of the oracle is about. A failure begins with it.
type rule string

const (
	ruleRejected rule = "only what the state machine forbids is rejected"
	ruleWrites   rule = "a report has no write more than it needs"
	ruleStep     rule = "each write is one legal step"
	ruleComplete rule = "the list has each condition of the mode"
	ruleStatus   rule = "a report leads to its statuses, and to those of its parent or its update"
	ruleText     rule = "reasons and messages tell the last report, and the update that it was in"
)

func (r rule) broken(format string, args ...any) error {
	return fmt.Errorf("the rule %q is broken: %w", r, fmt.Errorf(format, args...))
}

// check returns an error if the writes of a report break a rule. The error names the rule.
func (c called) check() error {
	before := c.completed()
	if c.report.NotRequired { // NotRequired means True if the phase has started, otherwise False, and starts no update
		c.report.Status, c.report.NewTarget, c.report.Ended = done, false, true
		if status(before, string(c.report.Phase)) == no {
			c.report.Status = no
		}
	}
	if wantErr := c.isRejected(before); wantErr || c.err != nil {
		if !wantErr || c.err == nil || c.writes != nil {
			return ruleRejected.broken("the report must be rejected: %v; the error is %w, and there are %d writes", wantErr, c.err, len(c.writes))
		}
		return nil
	}
	what, want := c.expect(before)
	if n := c.mostWrites(what, before); len(c.writes) > n {
		return ruleWrites.broken("%s: %d writes, want at most %d", what, len(c.writes), n)
	}
	last := before
	for i, list := range c.writes {
		if err := c.checkWrite(what, last, list); err != nil {
			return ruleStep.broken("%s, write %d: %w", what, i+1, err)
		}
		if isEqual(last, list) && (i > 0 || c.alreadyComplete()) {
			return ruleWrites.broken("%s, write %d changes nothing", what, i+1)
		}
		last = list
	}
	if len(c.writes) == 0 && !c.alreadyComplete() {
		return ruleComplete.broken("%s: no write adds the missing conditions, or removes those of the other mode", what)
	}
	for _, condition := range last {
		if w := want[condition.Type]; condition.Status != w {
			return ruleStatus.broken("%s: %s ends at %s, want %s", what, condition.Type, condition.Status, w)
		}
	}
	if err := c.checkText(what, before, last); err != nil {
		return ruleText.broken("%s: %w", what, err)
	}
	return nil
}

// mostWrites returns the maximum number of writes of a report. A phase that changes from False to True needs two. If a
// step starts an update, a write that resets the other steps may come first.
func (c called) mostWrites(what event, before []metav1.Condition) int {
	switch {
	case what == eventEnd, what == eventText, what == eventLate, what == eventStart && status(before, "UpdatePrepared") != done:
		return 1
	case what == eventDisruption, what == eventTarget:
		return 3
	}
	return 2
}

// completed returns the list with one condition for each phase of the mode.
func (c called) completed() []metav1.Condition {
	var list []metav1.Condition
	for _, typ := range typesOf(c.inImageMode) {
		i := slices.IndexFunc(c.list, func(o metav1.Condition) bool { return o.Type == typ })
		if i >= 0 {
			list = append(list, c.list[i])
			continue
		}
		list = append(list, metav1.Condition{Type: typ, Status: no, Reason: "NotYetOccurred",
			Message: "This node has not yet entered the " + typ + " phase", LastTransitionTime: c.now()})
	}
	return list
}

// alreadyComplete reports whether the list holds exactly the conditions of the mode, apart from
// the conditions of other clients.
func (c called) alreadyComplete() bool {
	there := map[string]bool{}
	for _, condition := range c.list {
		there[condition.Type] = true
	}
	for _, typ := range append(typesOf(false), typesOf(true)...) {
		if there[typ] != slices.Contains(typesOf(c.inImageMode), typ) {
			return false
		}
	}
	return true
}

func (c called) now() metav1.Time {
	return metav1.NewTime(time.Unix(c.report.Time.Unix(), 0).UTC())
}

func (c called) isRejected(before []metav1.Condition) bool {
	typ, to := string(c.report.Phase), c.report.Status
	if !slices.Contains(typesOf(c.inImageMode), typ) {
		return true
	}
	if typ == "Updated" {
		return to == running
	}
	between := status(before, "Updated") == done
	starts := typ == "UpdatePrepared" && c.isReplaced(before) && c.replacesAnUpdate(before) || c.isUnannounced(before)
	if to == done && !between && !starts {
		for _, b := range before {
			if parentOf(b.Type) == typ && b.Status == running {
				return true
			}
		}
	}
	return isStep(typ) && !between && status(before, typ) == running && to == no
}

// expect returns the effect of the report, and the statuses after its last write.
func (c called) expect(before []metav1.Condition) (event, map[string]metav1.ConditionStatus) {
	typ, to := string(c.report.Phase), c.report.Status
	want, reset := map[string]metav1.ConditionStatus{}, map[string]metav1.ConditionStatus{}
	for _, b := range before {
		want[b.Type], reset[b.Type] = b.Status, b.Status
		if isStep(b.Type) {
			reset[b.Type] = no
		}
	}
	between := want["Updated"] == done
	switch {
	case typ == "Updated" && to == done && between:
		return eventText, want
	case typ == "Updated" && to == done:
		reset["Updated"], reset["NodeDegraded"] = done, endOfDegraded(reset["NodeDegraded"])
		return eventEnd, reset
	case typ == "Updated" && between && c.report.Ended && !c.report.NewTarget:
		return eventLate, want
	case typ == "Updated" && (between || !c.report.NotRequired && !c.replacesAnUpdate(before) || c.isReplaced(before)):
		reset["Updated"], reset["UpdatePrepared"] = no, running
		return eventStart, reset
	case typ == "Updated":
		want["Updated"] = no
		if want["UpdatePrepared"] == no && !c.report.NotRequired {
			want["UpdatePrepared"] = running
		}
		return eventRepeat, want
	case typ == "UpdatePrepared" && to != no && c.isReplaced(before) && c.replacesAnUpdate(before):
		reset["UpdatePrepared"] = to
		return eventTarget, reset
	case isStep(typ) && between && (to == no || c.report.Ended || slices.Contains(restarts, typ)):
		return eventText, want
	case isStep(typ) && between || c.isUnannounced(before):
		reset["Updated"] = no
		c.expectChild(reset, typ, no)
		return eventDisruption, reset
	default:
		from := want[typ]
		c.expectChild(want, typ, from)
		return eventNone, want
	}
}

// isReplaced reports whether UpdatePrepared is True, and the Node desires another target than the status.
func (c called) isReplaced(before []metav1.Condition) bool {
	return c.report.NewTarget && status(before, "UpdatePrepared") == done
}

// isUnannounced reports whether the report is of a step of an update whose start was never reported.
func (c called) isUnannounced(before []metav1.Condition) bool {
	typ, between := string(c.report.Phase), status(before, "Updated") == done
	return isStep(typ) && !slices.Contains(restarts, typ) && c.report.Status != no && !c.report.Ended && !between && !c.replacesAnUpdate(before)
}

// endOfDegraded expects that the end of an update clears NodeDegraded.
func endOfDegraded(before metav1.ConditionStatus) metav1.ConditionStatus {
	if before == done {
		return no
	}
	return before
}

// completes reports whether the report turns the parent True: no other child may be Unknown.
func (c called) completes(list func(typ string) metav1.ConditionStatus) bool {
	typ := string(c.report.Phase)
	for _, child := range typesOf(c.inImageMode) {
		if child != typ && parentOf(child) == parentOf(typ) && list(child) == running {
			return false
		}
	}
	return (c.report.Status == done || c.report.NotRequired) && c.report.CompletesParent
}

// expectChild sets the statuses of the phase and of its parent after the report.
func (c called) expectChild(want map[string]metav1.ConditionStatus, typ string, from metav1.ConditionStatus) {
	to := c.report.Status
	want[typ] = to
	parent := parentOf(typ)
	switch {
	case parent == "":
	case c.completes(func(typ string) metav1.ConditionStatus { return want[typ] }):
		want[parent] = done
	case want[parent] == no, to == running && from != running && !c.isLate(parent):
		want[parent] = running
	}
}

// isLate reports whether the parent turned True in a later second than the second of the report.
func (c called) isLate(parent string) bool {
	for _, o := range c.completed() {
		if o.Type == parent {
			return o.Status == done && c.report.Time.Unix() < o.LastTransitionTime.Unix()
		}
	}
	return false
}

// checkWrite checks one write: the order of the conditions, their transitions and times.
func (c called) checkWrite(what event, from, to []metav1.Condition) error {
	if len(to) != len(from) {
		return fmt.Errorf("%d conditions, want %d", len(to), len(from))
	}
	for i := range to {
		a, b := from[i], to[i]
		switch {
		case b.Type != a.Type:
			return fmt.Errorf("the order of the conditions: got %s, want %s", b.Type, a.Type)
		case a.Status == b.Status && !a.LastTransitionTime.Equal(&b.LastTransitionTime):
			return fmt.Errorf("%s: lastTransitionTime changed, but the status did not", a.Type)
		case a.Status == b.Status:
			continue
		case b.LastTransitionTime != latest(a.LastTransitionTime, c.now()):
			return fmt.Errorf("%s: %s→%s has the lastTransitionTime %s", a.Type, a.Status, b.Status, b.LastTransitionTime)
		case b.Status == done && b.Type != string(c.report.Phase) && (b.Type != parentOf(string(c.report.Phase)) || !c.report.CompletesParent):
			return fmt.Errorf("%s turned True without a report", b.Type)
		}
		resets := (what == eventStart || what == eventTarget || what == eventEnd || what == eventDisruption) && allReset(to)
		if what == eventEnd && a.Type == "NodeDegraded" && a.Status == done && b.Status == no {
			continue
		}
		if err := c.checkArrow(a.Type, string(a.Status+"→"+b.Status), resets); err != nil {
			return err
		}
	}
	return c.checkTogether(what, from, to)
}

// latest returns the later time: lastTransitionTime never decreases, even if the clocks of processes differ.
func latest(a, b metav1.Time) metav1.Time {
	if b.Before(&a) {
		return a
	}
	return b
}

// allReset reports whether all steps are False, except that UpdatePrepared may be Unknown. In such a write, and in no
// other, the TransitionPolicy of scope/guard allows a step to change from Unknown to False.
func allReset(list []metav1.Condition) bool {
	return !slices.ContainsFunc(list, func(o metav1.Condition) bool {
		return isStep(o.Type) && o.Status != no && (o.Type != "UpdatePrepared" || o.Status != running)
	})
}

func (c called) checkArrow(typ, arrow string, resets bool) error {
	switch {
	case isSingleton(typ):
		if typ != string(c.report.Phase) {
			return fmt.Errorf("%s changed by %s without a report of this singleton", typ, arrow)
		}
	case typ == "Updated":
		if strings.HasSuffix(arrow, "→Unknown") {
			return fmt.Errorf("%s: %s", typ, arrow)
		}
	case slices.Contains([]string{"False→Unknown", "Unknown→True", "True→False"}, arrow):
	case arrow == "Unknown→False" && resets:
	default:
		return fmt.Errorf("%s: %s", typ, arrow)
	}
	return nil
}

// checkTogether checks that a child and its parent start in the same write, and that a child that completes its parent
// turns True in the same write as the parent.
func (c called) checkTogether(what event, from, to []metav1.Condition) error {
	child := string(c.report.Phase)
	parent := parentOf(child)
	if parent == "" || what == eventText {
		return nil
	}
	turns := func(typ string, s metav1.ConditionStatus) bool { return status(from, typ) != s && status(to, typ) == s }
	if turns(parent, done) && status(to, child) != done && !c.isSkipped() {
		return fmt.Errorf("%s is done before %s", parent, child)
	}
	completes := c.completes(func(typ string) metav1.ConditionStatus { return status(from, typ) })
	if completes && turns(child, done) && status(to, parent) != done {
		return fmt.Errorf("%s is done before its parent %s", child, parent)
	}
	if turns(child, running) && status(to, parent) == no {
		return fmt.Errorf("%s runs in a %s that has not started", child, parent)
	}
	if turns(parent, running) && status(to, child) == no && c.report.Status == running {
		return fmt.Errorf("%s starts before %s", parent, child)
	}
	return nil
}

// isSkipped reports whether the report says that a phase is not required, and the phase has not started.
func (c called) isSkipped() bool { return c.report.NotRequired && c.report.Status == no }

// unfinished returns the reason and message of the parent if the child turns True while another child is Unknown. A parent
// with the text of an Unknown child keeps it. Otherwise, the parent gets the text of the first Unknown child.
func (c called) unfinished(before []metav1.Condition, parent metav1.Condition) (reason, message string, ok bool) {
	if c.report.Status != done {
		return "", "", false
	}
	for _, o := range before {
		if parentOf(o.Type) != parent.Type || o.Type == string(c.report.Phase) || o.Status != running {
			continue
		}
		if o.Type == parent.Reason {
			return o.Type, o.Message, true
		}
		if !ok {
			reason, message, ok = o.Type, o.Message, true
		}
	}
	return reason, message, ok
}

func (c called) hasUnfinished(before []metav1.Condition, parent metav1.Condition) bool {
	_, _, ok := c.unfinished(before, parent)
	return ok
}

// checkText checks the reasons and messages of the last write.
func (c called) checkText(what event, before, last []metav1.Condition) error {
	r := c.report
	child := string(r.Phase)
	resets := what == eventStart || what == eventEnd || what == eventDisruption || what == eventTarget
	for i, b := range before {
		l := last[i]
		message := c.text(what, r.Message)
		switch {
		case what == eventLate:
			if b != l {
				return fmt.Errorf("%s has changed: %v", b.Type, l)
			}
		case b.Type == child:
			if l.Reason != r.Reason || l.Message != message && !c.keepsPrefix(what, b, l, r.Message) {
				return fmt.Errorf("%s has reason %.50q and message %.50q, want %.50q and %.50q", b.Type, l.Reason, l.Message, r.Reason, message)
			}
		case b.Type == parentOf(child) && b.Type != "" && b != l && what == eventNone && c.report.Status == running && c.isLate(b.Type):
			return fmt.Errorf("a late report changed parent %s", b.Type)
		case b.Type == parentOf(child) && b.Type != "" && c.isSkipped() && b.Status == l.Status && what != eventText:
			if b != l {
				return fmt.Errorf("a step that is not required changed parent %s to reason %.50q and message %.50q", b.Type, l.Reason, l.Message)
			}
		case b.Type == parentOf(child) && b.Type != "" && what == eventNone && l.Status == running && c.hasUnfinished(before, b):
			if reason, text, _ := c.unfinished(before, b); l.Reason != reason || l.Message != text {
				if b != l || c.isNews(before, last) {
					return fmt.Errorf("parent %s has reason %.50q and message %.50q, want %.50q and %.50q", b.Type, l.Reason, l.Message, reason, text)
				}
			}
		case b.Type == parentOf(child) && b.Type != "" && (b != l || resets):
			if what == eventText {
				return fmt.Errorf("a report between updates changed parent %s", b.Type)
			}
			completes := c.completes(func(typ string) metav1.ConditionStatus { return status(before, typ) }) || what == eventDisruption
			if !c.hasTextOfChild(what, completes, c.isNews(before, last), b, l) && !wasReset(b, l, r.Name) {
				return fmt.Errorf("parent %s has reason %.50q and message %.50q", b.Type, l.Reason, l.Message)
			}
		case b.Type == parentOf(child) && b.Status == running && what == eventNone && c.isNews(before, last) && (l.Reason != child || l.Message != c.text(what, c.report.Message)):
			return fmt.Errorf("parent %s still has reason %.50q and message %.50q", b.Type, l.Reason, l.Message)
		case b.Type == "Updated" && what == eventDisruption:
			text := disruption
			if b.Status != done {
				text = unannounced
			}
			if l.Reason != "Updated" || l.Message != text {
				return fmt.Errorf("Updated has reason %.50q and message %.50q, want %q and %q", l.Reason, l.Message, "Updated", text)
			}
		case b.Type == "UpdatePrepared" && (what == eventStart || what == eventRepeat && b.Status != l.Status):
			if l.Reason != "UpdatePrepared" || l.Message != message {
				return fmt.Errorf("UpdatePrepared has reason %.50q and message %.50q, want %q and %.50q", l.Reason, l.Message, "UpdatePrepared", message)
			}
		case what == eventEnd && b.Type == "NodeDegraded" && b.Status == done:
			b.LastTransitionTime = l.LastTransitionTime
			if b.Status = done; !wasReset(b, l, r.Name) {
				return fmt.Errorf("the end of an update changed the message of NodeDegraded from %.50q to %.50q", b.Message, l.Message)
			}
		case (what == eventStart || what == eventTarget) && b.Type == "NodeDegraded" && b.Status == done && c.replacesAnUpdate(before):
			if b.LastTransitionTime != l.LastTransitionTime || l.Status != done || l.Reason != b.Reason || l.Message != withPrefix(b.Message, r.Name) {
				return fmt.Errorf("the start of another update changed NodeDegraded from %v to %v", b, l)
			}
		case isStep(b.Type) && resets:
			if !wasReset(b, l, r.Name) {
				return fmt.Errorf("%s was not reset: its message was %.50q, is %.50q", b.Type, b.Message, l.Message)
			}
		case b != l:
			return fmt.Errorf("%s has nothing to do with the report and changed: %v", b.Type, l)
		}
	}
	return nil
}

// hasTextOfChild reports whether the parent has the name of the child as its reason, and the message of the report. A
// report that changes no status of the parent must not change its text, unless the parent is Unknown or is completed.
func (c called) hasTextOfChild(what event, completes, isNews bool, b, l metav1.Condition) bool {
	r := c.report
	moved := b.Status != l.Status || what == eventDisruption // a disruption resets the parent, and starts it again
	hasText := moved || isNews && (b.Status == running || completes)
	return hasText && l.Reason == string(r.Phase) && l.Message == c.text(what, c.report.Message)
}

// keepsPrefix reports whether a repeat between updates has left the message as it was, with the prefix of an update.
func (c called) keepsPrefix(what event, b, l metav1.Condition, message string) bool {
	return what == eventText && b.Message == l.Message &&
		strings.HasPrefix(b.Message, prefix) && strings.HasSuffix(b.Message, ": "+truncate.To(message, 4096))
}

// text returns the message of the condition for a reported message. Between updates, the message of a step gets the
// prefix of the last update.
func (c called) text(what event, message string) string {
	message = truncate.To(message, 4096)
	if what == eventText && isStep(string(c.report.Phase)) && c.report.Status != no && !strings.HasPrefix(message, prefix) {
		return truncate.To(prefix+c.report.Name+": "+message, 4096)
	}
	return message
}

// isNews reports whether the report changes the condition of its phase or the condition Updated.
func (c called) isNews(before, last []metav1.Condition) bool {
	for i, o := range before {
		if (o.Type == string(c.report.Phase) || o.Type == "Updated") && !isEqual(before[i:i+1], last[i:i+1]) {
			return true
		}
	}
	return false
}

// wasReset reports whether a condition became False and has the prefix of the update. A phase that was never reported
// gets no prefix.
func wasReset(b, l metav1.Condition, update string) bool {
	if b.Status == no {
		if isStep(b.Type) && b.Reason != "NotYetOccurred" && b.Reason != "NotYetOccured" {
			b.Message = withPrefix(b.Message, update)
		}
		return b == l
	}
	return l.Status == no && l.Reason == b.Reason && l.Message == withPrefix(b.Message, update)
}

// withPrefix returns a message with the prefix of an update. A message that already has a prefix gets no second one.
func withPrefix(message, update string) string {
	if !strings.HasPrefix(message, prefix) {
		message = prefix + update + ": " + message
	}
	return truncate.To(message, 4096)
}

// replacesAnUpdate reports whether an update is under way, which the start of another update replaces.
func (c called) replacesAnUpdate(before []metav1.Condition) bool {
	for _, o := range before {
		if o.Type == "Updated" {
			return o.Status != done && o.Reason != "NotYetOccurred" && o.Reason != "NotYetOccured"
		}
	}
	return false
}

func status(list []metav1.Condition, typ string) metav1.ConditionStatus {
	for _, c := range list {
		if c.Type == typ {
			return c.Status
		}
	}
	return no
}

// isEqual reports whether two lists have the same statuses, reasons and messages.
func isEqual(a, b []metav1.Condition) bool {
	return slices.EqualFunc(a, b, func(a, b metav1.Condition) bool {
		return a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message
	})
}
