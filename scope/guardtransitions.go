package scope

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// TransitionPolicy returns the policy on what a status write of the service account may do
// to the history that a watcher sees. It is made from package phases. It denies:
//
//  1. a phase that jumps: what phases.Path does in more than one step, or refuses. A
//     missing condition counts as False. A write after which every phase of the cycle is
//     False, UpdatePrepared False or Unknown, may take phases from Unknown back to False;
//  2. a lastTransitionTime that moves, by a second or more, while the status does not;
//  3. a condition that disappears, which would be the way around both, unless one of the
//     other mode is there.
//
// It looks at the conditions of package phases only, and at no time that goes with a move:
// a report that was pending says rightly that it is of an earlier time.
//
// It is part of the manifests where EnforceTransitions is set.
func (g Guard) TransitionPolicy() *admissionv1.ValidatingAdmissionPolicy {
	return g.policy(g.transitionName(),
		[]admissionv1.OperationType{admissionv1.Update},
		[]string{resource + "/status"},
		admissionv1.ValidatingAdmissionPolicySpec{Variables: transitionVariables(), Validations: transitionValidations()})
}

// TransitionPolicyBinding puts TransitionPolicy in force.
func (g Guard) TransitionPolicyBinding() *admissionv1.ValidatingAdmissionPolicyBinding {
	return binding(g.transitionName())
}

// machine is what phases have in common that may make the same steps in one write.
type machine struct {
	phases []phases.Phase
	steps  []string // of all nine "<from> to <to>", those that are one write or none
}

var statuses = []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}

// machines groups the phases that may not make every step.
func machines() []machine {
	var list []machine
	for _, p := range knownPhases() {
		steps := stepsOf(p)
		if len(steps) == len(statuses)*len(statuses) {
			continue // a singleton
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

// knownPhases returns the phases of both modes, each once.
func knownPhases() []phases.Phase {
	return append(phases.All(false), onlyIn(true)...)
}

// onlyIn returns the phases that the other mode does not have.
func onlyIn(imageMode bool) []phases.Phase {
	return slices.DeleteFunc(phases.All(imageMode), func(p phases.Phase) bool { return phases.In(p, !imageMode) })
}

// transitionVariables looks things up in lists of strings: comparing each condition with each
// other one would cost a third of the write.
func transitionVariables() []admissionv1.Variable {
	cycle := slices.DeleteFunc(knownPhases(), func(p phases.Phase) bool { return !phases.OfCycle(p) })
	var jumps []string
	for _, m := range machines() {
		jumps = append(jumps, `m.type in `+celList(m.phases)+` &&
  !(m.from + " to " + m.to in `+celList(m.steps)+`)`)
	}
	return []admissionv1.Variable{
		{Name: "before", Expression: `oldObject.?status.?conditions.orValue([]).filter(c, c.type in ` + celList(knownPhases()) + `)`},
		{Name: "after", Expression: `object.?status.?conditions.orValue([]).filter(c, c.type in ` + celList(knownPhases()) + `)`},
		{Name: "was", Expression: `variables.before.map(b, b.type + " " + b.status)`},
		{Name: "stamps", Expression: `variables.before.map(b, b.type + " " + string(b.lastTransitionTime))`},
		{Name: "is", Expression: `variables.after.map(c, c.type)`},
		{Name: "moves", Expression: `variables.after.filter(c, !(c.type + " " + c.status in variables.was)).map(c, {
  "type": string(c.type),
  "from": c.type + " True" in variables.was ? "True" : c.type + " Unknown" in variables.was ? "Unknown" : "False",
  "to": string(c.status),
})`},
		{Name: "takenBack", Expression: `variables.after.all(c, c.status == "False" || !(c.type in ` + celList(cycle) + `) ||
  c.type == "` + string(phases.UpdatePrepared) + `" && c.status == "Unknown")`},
		{Name: "jumps", Expression: `variables.moves.filter(m, (` + strings.Join(jumps, " ||\n  ") + `) &&
  !(m.from == "Unknown" && m.to == "False" && variables.takenBack))`},
		{Name: "gone", Expression: `variables.before.filter(b, !(b.type in variables.is) &&
  !(b.type in ` + celList(onlyIn(false)) + ` && variables.is.exists(p, p in ` + celList(onlyIn(true)) + `)) &&
  !(b.type in ` + celList(onlyIn(true)) + ` && variables.is.exists(p, p in ` + celList(onlyIn(false)) + `)))`},
		{Name: "restamped", Expression: `variables.after.filter(c,
  c.type + " " + c.status in variables.was && !(c.type + " " + string(c.lastTransitionTime) in variables.stamps) &&
  variables.before.exists(b, b.type == c.type && int(timestamp(b.lastTransitionTime)) != int(timestamp(c.lastTransitionTime))))`},
	}
}

func transitionValidations() []admissionv1.Validation {
	return []admissionv1.Validation{
		{
			Expression:        `variables.jumps.size() == 0`,
			Message:           `a phase goes from False to Unknown to True to False, one step a write`,
			MessageExpression: `"a phase goes from False to Unknown to True to False, one step a write: " + variables.jumps.map(m, m.type + " from " + m.from + " to " + m.to).join(", ") + " is none"`,
		},
		{
			Expression:        `variables.gone.size() == 0`,
			Message:           `the condition of a phase stays, once it is there`,
			MessageExpression: `"the condition of a phase stays, once it is there: " + variables.gone.map(c, c.type).join(", ") + " would be gone"`,
		},
		{
			Expression:        `variables.restamped.size() == 0`,
			Message:           `lastTransitionTime moves with the status, and not without it`,
			MessageExpression: `"lastTransitionTime moves with the status, and not without it: leave that of " + variables.restamped.map(c, c.type).join(", ")`,
		},
	}
}
