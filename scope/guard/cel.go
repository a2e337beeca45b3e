package guard

import (
	"strconv"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// policy returns a policy that applies to the requests of the service account. A denied request
// gets status 403. A request is also rejected if an expression has an error (failurePolicy: Fail).
func (g Guard) policy(
	name string,
	operations []admissionv1.OperationType,
	resources []string,
	spec admissionv1.ValidatingAdmissionPolicySpec,
) *admissionv1.ValidatingAdmissionPolicy {
	rule := admissionv1.Rule{
		APIGroups:   []string{mcfgv1.GroupName},
		APIVersions: []string{mcfgv1.GroupVersion.Version},
		Resources:   resources,
		Scope:       new(admissionv1.AllScopes),
	}
	spec.FailurePolicy = new(admissionv1.Fail)
	spec.MatchConstraints = &admissionv1.MatchResources{
		MatchPolicy:       new(admissionv1.Equivalent),
		NamespaceSelector: &metav1.LabelSelector{},
		ObjectSelector:    &metav1.LabelSelector{},
		ResourceRules: []admissionv1.NamedRuleWithOperations{{
			RuleWithOperations: admissionv1.RuleWithOperations{Operations: operations, Rule: rule},
		}},
	}
	spec.MatchConditions = []admissionv1.MatchCondition{{
		Name:       "only-this-service-account",
		Expression: "request.userInfo.username == " + strconv.Quote(g.username()),
	}}
	for i := range spec.Validations {
		spec.Validations[i].Reason = new(metav1.StatusReasonForbidden)
	}
	return &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   typeMeta("ValidatingAdmissionPolicy"),
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       spec,
	}
}

func binding(policy string) *admissionv1.ValidatingAdmissionPolicyBinding {
	return &admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta:   typeMeta("ValidatingAdmissionPolicyBinding"),
		ObjectMeta: metav1.ObjectMeta{Name: policy + bindingSuffix},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: kind}
}

// celList formats strings as a CEL list.
func celList[S ~string](list []S) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(string(s))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
