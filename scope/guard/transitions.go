package guard

import (
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// TransitionPolicy returns the policy that enforces the state machine of package phases for status
// writes of the service account. The policy is generated from package phases. It denies:
//
//  1. a transition that phases.Path rejects, or for which phases.Path returns more than one status.
//     A missing condition counts as False. As an exception, a write that starts or ends an update
//     may change phases from Unknown to False. After such a write, every step of an update is
//     False, except that UpdatePrepared may be Unknown;
//  2. a Parent that turns True while a child of this Parent is Unknown;
//  3. a lastTransitionTime that changes by a second or more while the status stays the same;
//  4. the removal of a condition, because a client could remove a condition and add it again to
//     circumvent the other rules. A condition that exists only in standard mode may be
//     removed if the new list has a condition that exists only in image mode, and vice versa,
//     because a node may change its mode.
//
// The policy applies only to conditions whose type is a phase. If the status of a condition
// changes, the policy allows any lastTransitionTime, because a late write has the time when its
// report was accepted.
//
// Objects includes the policy if EnforceTransitions is set.
func (g Guard) TransitionPolicy() *admissionv1.ValidatingAdmissionPolicy {
	return g.policy(g.transitionName(),
		[]admissionv1.OperationType{admissionv1.Update},
		[]string{resource + "/status"},
		admissionv1.ValidatingAdmissionPolicySpec{Variables: transitionVariables(), Validations: transitionValidations()})
}

// machine is a state machine, and the phases that use it.
type machine struct {
	phases []phases.Phase
	steps  []string // the transitions that one write may publish, as "<from> to <to>"
}

var statuses = []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}

// machines returns each state machine that forbids at least one transition, with its phases.
func machines() []machine {
	var list []machine
	for _, p := range knownPhases() {
		steps := stepsOf(p)
		if len(steps) == len(statuses)*len(statuses) {
			continue // singletons may change to any status
		}
		same := func(m machine) bool { return slices.Equal(m.steps, steps) }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].phases = append(list[i].phases, p)
		} else {
			list = append(list, machine{phases: []phases.Phase{p}, steps: steps})
		}
	}
	return list
}

func stepsOf(p phases.Phase) []string {
	var steps []string
	for _, from := range statuses {
		for _, to := range statuses {
			if path, err := phases.Path(p, from, to); err == nil && len(path) <= 1 {
				steps = append(steps, string(from)+" to "+string(to))
			}
		}
	}
	return steps
}

// knownPhases returns the phases of both modes, without duplicates.
func knownPhases() []phases.Phase {
	return append(phases.All(false), onlyIn(true)...)
}

// onlyIn returns the phases that exist only in the given mode.
func onlyIn(imageMode bool) []phases.Phase {
	return slices.DeleteFunc(phases.All(imageMode), func(p phases.Phase) bool { return phases.ExistsIn(p, !imageMode) })
}

// unfinished returns a CEL expression that is true if the transition m turns a Parent True while a
// child of this Parent is Unknown.
func unfinished() string {
	running := map[phases.Phase][]string{}
	var parents, cases []string
	for _, p := range knownPhases() {
		if parent, ok := phases.ParentOf(p); ok {
			if running[parent] == nil {
				parents = append(parents, string(parent))
			}
			running[parent] = append(running[parent], string(p)+" Unknown")
		}
	}
	for _, parent := range parents {
		cases = append(cases, `m.type == `+strconv.Quote(parent)+` && `+celList(running[phases.Phase(parent)])+`.exists(s, s in variables.statusesAfter)`)
	}
	return `m.to == "True" && (` + strings.Join(cases, " ||\n  ") + `)`
}

// transitionVariables returns the CEL variables of TransitionPolicy. The expressions search lists
// of strings, because comparing all pairs of conditions would make a write a third more expensive.
func transitionVariables() []admissionv1.Variable {
	cycle := slices.DeleteFunc(knownPhases(), func(p phases.Phase) bool { return !phases.IsUpdateStep(p) })
	onlyStandard, onlyImage := celList(onlyIn(false)), celList(onlyIn(true)) // phases that exist in one mode only
	var invalid []string
	for _, m := range machines() {
		invalid = append(invalid, `m.type in `+celList(m.phases)+` &&
  !(m.from + " to " + m.to in `+celList(m.steps)+`)`)
	}
	return []admissionv1.Variable{
		{Name: "before", Expression: `oldObject.?status.?conditions.orValue([]).filter(c, c.type in ` + celList(knownPhases()) + `)`},
		{Name: "after", Expression: `object.?status.?conditions.orValue([]).filter(c, c.type in ` + celList(knownPhases()) + `)`},
		{Name: "statusesBefore", Expression: `variables.before.map(b, b.type + " " + b.status)`},
		{Name: "timesBefore", Expression: `variables.before.map(b, b.type + " " + string(b.lastTransitionTime))`},
		{Name: "typesAfter", Expression: `variables.after.map(c, c.type)`},
		{Name: "transitions", Expression: `variables.after.filter(c, !(c.type + " " + c.status in variables.statusesBefore)).map(c, {
  "type": string(c.type),
  "from": c.type + " True" in variables.statusesBefore ? "True" : c.type + " Unknown" in variables.statusesBefore ? "Unknown" : "False",
  "to": string(c.status),
})`},
		{Name: "reset", Expression: `variables.after.all(c, c.status == "False" || !(c.type in ` + celList(cycle) + `) ||
  c.type == "` + string(phases.UpdatePrepared) + `" && c.status == "Unknown")`},
		{Name: "invalid", Expression: `variables.transitions.filter(m, (` + strings.Join(invalid, " ||\n  ") + `) &&
  !(m.from == "Unknown" && m.to == "False" && variables.reset))`},
		{Name: "statusesAfter", Expression: `variables.after.map(c, c.type + " " + c.status)`},
		{Name: "unfinished", Expression: `variables.transitions.filter(m, ` + unfinished() + `)`},
		{Name: "removed", Expression: `variables.before.filter(b, !(b.type in variables.typesAfter) &&
  !(b.type in ` + onlyStandard + ` && variables.typesAfter.exists(p, p in ` + onlyImage + `)) &&
  !(b.type in ` + onlyImage + ` && variables.typesAfter.exists(p, p in ` + onlyStandard + `)))`},
		{Name: "retimed", Expression: `variables.after.filter(c,
  !(c.type + " " + string(c.lastTransitionTime) in variables.timesBefore) && c.type + " " + c.status in variables.statusesBefore &&
  variables.before.exists(b, b.type == c.type && ` + isReadable("b") + ` && ` + isReadable("c") + ` &&
    int(timestamp(b.lastTransitionTime)) != int(timestamp(c.lastTransitionTime))))`},
	}
}

func transitionValidations() []admissionv1.Validation {
	return []admissionv1.Validation{
		{
			Expression:        `variables.invalid.size() == 0`,
			Message:           `invalid transition: ` + ruleOfTransitions,
			MessageExpression: `"invalid transition " + variables.invalid.map(m, m.type + " from " + m.from + " to " + m.to).join(", ") + ": ` + ruleOfTransitions + `"`,
		},
		{
			Expression:        `variables.unfinished.size() == 0`,
			Message:           `may not complete a phase while a child is Unknown`,
			MessageExpression: `"may not complete a phase while a child is Unknown: " + variables.unfinished.map(m, m.type).join(", ")`,
		},
		{
			Expression:        `variables.removed.size() == 0`,
			Message:           `may not remove conditions of phases`,
			MessageExpression: `"may not remove conditions of phases: " + variables.removed.map(c, c.type).join(", ")`,
		},
		{
			Expression:        `variables.retimed.size() == 0`,
			Message:           `may not change lastTransitionTime without the status`,
			MessageExpression: `"may not change lastTransitionTime without the status: " + variables.retimed.map(c, c.type).join(", ")`,
		},
	}
}

const ruleOfTransitions = `one write may change a phase from False to Unknown, from Unknown to True, or from True to False`
