// Package guard evaluates the policies of package scope/guard with the CEL library of the API server. Each clause of the
// policies has its test here. Package scope/guard only compares the policies with the manifests.
package guard_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/openshift/upgrademonitor/scope/guard"
)

// daemon is the user name of the guard's service account. node is the name of the daemon's node.
const (
	daemon = "system:serviceaccount:openshift-machine-config-operator:machine-config-daemon"
	node   = "worker-0"
)

// request is a request of the daemon, which has the token of a Pod on its node.
type request struct {
	operation     admission.Operation // Update if empty
	subresource   string
	user          string              // daemon if empty
	claims        map[string][]string // if nil, those of a token of a Pod on the node
	before, after string              // the object as JSON; "" if it does not exist
}

// denials returns the messages of all validations that deny a request.
func (r request) denials(t *testing.T) (messages []string) {
	t.Helper()
	operation, claims := cmp.Or(r.operation, admission.Update), r.claims
	if claims == nil {
		claims = map[string][]string{guard.NodeNameClaim: {node}, guard.NodeUIDClaim: {"uid-of-node"}}
	}
	resource, paths := mcfgv1.GroupVersion.WithResource("machineconfignodes"), []string{"machineconfignodes"}
	if r.subresource != "" {
		paths = []string{"machineconfignodes/*", "machineconfignodes/" + r.subresource}
	}
	attributes := admission.NewAttributesRecord(object(t, r.after), object(t, r.before), mcfgv1.GroupVersion.WithKind("MachineConfigNode"), "", node,
		resource, r.subresource, operation, nil, false, &user.DefaultInfo{Name: cmp.Or(r.user, daemon), Extra: claims})
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedObject: attributes.GetObject(), VersionedOldObject: attributes.GetOldObject()}
	sent := plugincel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(attributes.GetKind()))
	for _, policy := range policies(t) {
		rule := policy.Spec.MatchConstraints.ResourceRules[0]
		evaluate := func(f plugincel.ConditionEvaluator) []plugincel.EvaluationResult {
			results, _, err := f.ForInput(t.Context(), versioned, sent, plugincel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
			require.NoError(t, err)
			return results
		}
		if !slices.Contains(rule.APIGroups, resource.Group) || !slices.Contains(rule.APIVersions, resource.Version) ||
			!slices.Contains(rule.Operations, admissionv1.OperationType(operation)) ||
			!slices.ContainsFunc(paths, func(path string) bool { return slices.Contains(rule.Resources, path) }) ||
			evaluate(policy.conditions)[0].EvalResult != types.True {
			continue
		}
		texts := evaluate(policy.messages)
		for i, result := range evaluate(policy.validations) {
			require.NoError(t, result.Error)
			if result.EvalResult != types.True {
				require.NoError(t, texts[i].Error)
				messages = append(messages, cmp.Or(texts[i].EvalResult.Value().(string), policy.Spec.Validations[i].Message))
			}
		}
	}
	return messages
}

// object returns the object in a JSON text, or nil for "".
func object(t *testing.T, data string) runtime.Object {
	t.Helper()
	if data == "" {
		return nil
	}
	o := &unstructured.Unstructured{}
	require.NoError(t, json.Unmarshal([]byte(data), &o.Object))
	return o
}

// merge returns an object after a merge patch.
func merge(t *testing.T, object, patch string) string {
	t.Helper()
	merged, err := jsonpatch.MergePatch([]byte(object), []byte(patch))
	require.NoError(t, err, patch)
	return string(merged)
}

// policy has the compiled expressions of a policy.
type policy struct {
	*admissionv1.ValidatingAdmissionPolicy
	conditions, validations, messages plugincel.ConditionEvaluator
}

var compiled []policy

// policies returns both policies of a guard.
func policies(t *testing.T) []policy {
	t.Helper()
	if compiled != nil {
		return compiled
	}
	var options plugincel.OptionalVariableDeclarations
	g := guard.Guard{EnforceTransitions: true}
	for _, p := range []*admissionv1.ValidatingAdmissionPolicy{g.Policy(), g.TransitionPolicy()} {
		compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
		require.NoError(t, err)
		for _, v := range p.Spec.Variables {
			compiler.CompileAndStoreVariable(expression{v.Name, v.Expression}, options, environment.StoredExpressions)
		}
		var conditions, validations, messages []plugincel.ExpressionAccessor
		for _, c := range p.Spec.MatchConditions {
			conditions = append(conditions, expression{"", c.Expression})
		}
		for _, v := range p.Spec.Validations {
			validations = append(validations, expression{"", v.Expression})
			messages = append(messages, expression{"", cmp.Or(v.MessageExpression, `""`)})
		}
		compile := func(list []plugincel.ExpressionAccessor) plugincel.ConditionEvaluator {
			condition := compiler.CompileCondition(list, options, environment.StoredExpressions)
			require.Empty(t, condition.CompilationErrors())
			return condition
		}
		compiled = append(compiled, policy{p, compile(conditions), compile(validations), compile(messages)})
	}
	return compiled
}

// expression implements plugincel.NamedExpressionAccessor.
type expression struct{ name, expression string }

func (e expression) GetName() string          { return e.name }
func (e expression) GetExpression() string    { return e.expression }
func (e expression) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType} }
