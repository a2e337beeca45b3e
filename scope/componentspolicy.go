package scope

import (
	"strconv"

	operatorv1 "github.com/openshift/api/operator/v1"
	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/openshift/upgrademonitor/internal/machineconfiguration"
)

// WriterPolicy returns the policy that denies the operator and the controller a write of the
// status in which a condition of the other is added, changed or removed. Requests of other users
// are not affected.
func (c Components) WriterPolicy() *admissionv1.ValidatingAdmissionPolicy {
	c = c.complete()
	operator := strconv.Quote(username(c.Namespace, c.OperatorServiceAccount))
	controller := strconv.Quote(username(c.Namespace, c.ControllerServiceAccount))
	rule := admissionv1.Rule{
		APIGroups: []string{operatorv1.GroupName}, APIVersions: []string{operatorv1.GroupVersion.Version}, Resources: []string{configurations + "/status"},
	}
	return newPolicy(c.Name+writerSuffix, []admissionv1.OperationType{admissionv1.Update}, rule, admissionv1.ValidatingAdmissionPolicySpec{
		MatchConditions: []admissionv1.MatchCondition{{
			Name:       "only-these-service-accounts",
			Expression: "request.userInfo.username in [" + operator + ", " + controller + "]",
		}},
		Variables: []admissionv1.Variable{
			{Name: "theirs", Expression: "request.userInfo.username == " + operator + " ? " + celList(typesOf(machineconfiguration.Controller)) + " : " + celList(typesOf(machineconfiguration.Operator))},
			{Name: "before", Expression: "dyn(oldObject).?status.?conditions.orValue([])"},
			{Name: "after", Expression: "dyn(object).?status.?conditions.orValue([])"},
			{Name: "changed", Expression: "variables.theirs.filter(t, variables.before.filter(c, c.type == t) != variables.after.filter(c, c.type == t))"},
		},
		Validations: []admissionv1.Validation{{
			Expression:        "variables.changed.size() == 0",
			Message:           "may not change the conditions of another component",
			MessageExpression: `"may not change the conditions of another component: " + variables.changed.join(", ")`,
		}},
	})
}

// WriterPolicyBinding returns the binding of WriterPolicy.
func (c Components) WriterPolicyBinding() *admissionv1.ValidatingAdmissionPolicyBinding {
	return binding(c.complete().Name + writerSuffix)
}

// typesOf returns the types of the conditions that a process writes.
func typesOf(writer string) []string {
	var types []string
	for _, c := range machineconfiguration.WrittenBy(writer) {
		types = append(types, c.Type())
	}
	return types
}
