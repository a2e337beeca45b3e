package guard

import (
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// TransitionPolicy returns the admission policy that enforces the state machine of package phases for
// status writes of the service account. It applies only to conditions whose type is a phase. A
// missing condition counts as False. The policy denies:
//
//  1. a change of a status that one write may not make: a step may change from False to Unknown, from
//     Unknown to True, and from True to False. But a write that starts or ends an update may change
//     steps of the update from Unknown to False. After such a write, every step is False, except that
//     UpdatePrepared may be Unknown;
//  2. a Parent that turns True while one of its children is Unknown;
//  3. a lastTransitionTime that changes by a second or more while the status stays the same. If the
//     status changes, any time is allowed, because a write may be late. A time that no client can write
//     may become the nearest time that clients can write, and a time that clients cannot read may become
//     any time;
//  4. the removal of a condition, because a client could otherwise circumvent the policy. But when a
//     node changes its mode, the conditions of the earlier mode may be removed: the new list must
//     have a condition that exists only in the new mode.
//
// Objects includes the policy if EnforceTransitions is set.
func (g Guard) TransitionPolicy() *admissionv1.ValidatingAdmissionPolicy {
	spec := admissionv1.ValidatingAdmissionPolicySpec{
		Variables:   transitionVariables(),
		Validations: transitionValidations(),
	}
	operations := []admissionv1.OperationType{admissionv1.Update}
	return g.policy(g.transitionName(), operations, []string{resource + "/status"}, spec)
}

// machine is a state machine, and the phases that use it.
type machine struct {
	phases  []phases.Phase
	allowed []string // the changes that one write may make, as "<from> to <to>"
}

var statuses = []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}

// machines returns the state machines of all phases except singletons, which may change to any
// status.
func machines() []machine {
	var list []machine
	for _, p := range phasetable.Both() {
		allowed := allowedChanges(p)
		if len(allowed) == len(statuses)*len(statuses) {
			continue
		}
		same := func(m machine) bool { return slices.Equal(m.allowed, allowed) }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].phases = append(list[i].phases, p)
		} else {
			list = append(list, machine{phases: []phases.Phase{p}, allowed: allowed})
		}
	}
	return list
}

// allowedChanges returns the changes that one write may make to a phase, as "<from> to <to>".
func allowedChanges(p phases.Phase) []string {
	var allowed []string
	for _, from := range statuses {
		for _, to := range statuses {
			if path, err := transitions.Path(p, from, to); err == nil && len(path) <= 1 {
				allowed = append(allowed, string(from)+" to "+string(to))
			}
		}
	}
	return allowed
}

// unfinished returns a CEL expression that is true if the transition m turns a Parent True while a
// child of this Parent is Unknown.
func unfinished() string {
	var parents []phases.Phase
	unknown := map[phases.Phase][]string{} // "<child> Unknown" for each child of a parent
	for _, p := range phasetable.Both() {
		parent, ok := phases.ParentOf(p)
		if !ok {
			continue
		}
		if unknown[parent] == nil {
			parents = append(parents, parent)
		}
		unknown[parent] = append(unknown[parent], string(p)+" Unknown")
	}
	var cases []string
	for _, parent := range parents {
		isParent := `m.type == ` + strconv.Quote(string(parent))
		cases = append(cases, isParent+` && `+celList(unknown[parent])+`.exists(s, s in variables.statusesAfter)`)
	}
	return `m.to == "True" && (` + strings.Join(cases, " ||\n  ") + `)`
}

// transitionVariables returns the CEL variables of TransitionPolicy. The expressions search lists
// of strings, because comparing all pairs of conditions would make a write a third more expensive.
//
// Why a reset is a rule about the whole list: the start and the end of an update take back steps that run, also a drain
// that failed. The policy cannot know which report a write belongs to, but no other write leaves every step False.
func transitionVariables() []admissionv1.Variable {
	steps := slices.DeleteFunc(slices.Clone(phasetable.Both()), func(p phases.Phase) bool { return !phasetable.IsStep(p) })
	onlyStandard, onlyImage := celList(phasetable.OnlyIn(false)), celList(phasetable.OnlyIn(true))
	var invalid []string
	for _, m := range machines() {
		invalid = append(invalid, `m.type in `+celList(m.phases)+` &&
  !(m.from + " to " + m.to in `+celList(m.allowed)+`)`)
	}
	isPhase := `.filter(c, c.type in ` + celList(phasetable.Both()) + `)`
	return []admissionv1.Variable{
		{Name: "before", Expression: `oldObject.?status.?conditions.orValue([])` + isPhase},
		{Name: "after", Expression: `object.?status.?conditions.orValue([])` + isPhase},
		{Name: "statusesBefore", Expression: `variables.before.map(b, b.type + " " + b.status)`},
		{Name: "timesBefore", Expression: `variables.before.map(b, b.type + " " + string(b.lastTransitionTime))`},
		{Name: "typesAfter", Expression: `variables.after.map(c, c.type)`},
		{Name: "transitions", Expression: `variables.after.filter(c, !(c.type + " " + c.status in variables.statusesBefore)).map(c, {
  "type": string(c.type),
  "from": c.type + " True" in variables.statusesBefore ? "True" : ` +
			`c.type + " Unknown" in variables.statusesBefore ? "Unknown" : "False",
  "to": string(c.status),
})`},
		{Name: "reset", Expression: `variables.after.all(c, c.status == "False" || !(c.type in ` + celList(steps) + `) ||
  c.type == "` + string(phases.UpdatePrepared) + `" && c.status == "Unknown")`},
		{Name: "invalid", Expression: `variables.transitions.filter(m, (` + strings.Join(invalid, " ||\n  ") + `) &&
  !(m.from == "Unknown" && m.to == "False" && variables.reset))`},
		{Name: "statusesAfter", Expression: `variables.after.map(c, c.type + " " + c.status)`},
		{Name: "unfinished", Expression: `variables.transitions.filter(m, ` + unfinished() + `)`},
		{Name: "removed", Expression: `variables.before.filter(b, !(b.type in variables.typesAfter) &&
  !(b.type in ` + onlyStandard + ` && variables.typesAfter.exists(p, p in ` + onlyImage + `)) &&
  !(b.type in ` + onlyImage + ` && variables.typesAfter.exists(p, p in ` + onlyStandard + `)))`},
		{Name: "retimed", Expression: `variables.after.filter(c,
  !(c.type + " " + string(c.lastTransitionTime) in variables.timesBefore) && ` +
			`c.type + " " + c.status in variables.statusesBefore &&
  variables.before.exists(b, b.type == c.type && ` + isReadable("b") + ` && ` + isReadable("c") + ` &&
    [` + seconds("b") + `].exists(s, !(` + seconds("c") + ` in [s, ` + writable("s") + `]))))`},
	}
}

func transitionValidations() []admissionv1.Validation {
	return []admissionv1.Validation{
		{
			Expression: `variables.invalid.size() == 0`,
			Message:    `invalid transition: ` + ruleOfTransitions,
			MessageExpression: `"invalid transition " + ` +
				`variables.invalid.map(m, m.type + " from " + m.from + " to " + m.to).join(", ") + ` +
				`": ` + ruleOfTransitions + `"`,
		},
		{
			Expression: `variables.unfinished.size() == 0`,
			Message:    `may not complete a phase while a child is Unknown`,
			MessageExpression: `"may not complete a phase while a child is Unknown: " + ` +
				`variables.unfinished.map(m, m.type).join(", ")`,
		},
		{
			Expression: `variables.removed.size() == 0`,
			Message:    `may not remove conditions of phases`,
			MessageExpression: `"may not remove conditions of phases: " + ` +
				`variables.removed.map(c, c.type).join(", ")`,
		},
		{
			Expression: `variables.retimed.size() == 0`,
			Message:    `may not change lastTransitionTime without the status`,
			MessageExpression: `"may not change lastTransitionTime without the status: " + ` +
				`variables.retimed.map(c, c.type).join(", ")`,
		},
	}
}

const ruleOfTransitions = `one write may change a phase from False to Unknown, ` +
	`from Unknown to True, or from True to False`
