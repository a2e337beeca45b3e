package scope

import (
	"slices"
	"strconv"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// Policy returns the policy that keeps the service account to the object of the node which
// its token is bound to. It denies, in this order:
//
//  1. a user without NodeNameClaim, or with several values of it;
//  2. any write of another node's object, and one that would be for another node;
//  3. DELETE, of a collection too;
//  4. a change of labels, annotations or finalizers;
//  5. owners other than the Node, with the UID of NodeUIDClaim where the user has one, and
//     the loss of an owner.
//
// Reads are not admission's business: the service account can read the objects of all nodes.
func (g Guard) Policy() *admissionv1.ValidatingAdmissionPolicy {
	return g.policy(g.complete().Name,
		[]admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
		[]string{resource, resource + "/*"},
		admissionv1.ValidatingAdmissionPolicySpec{Variables: slices.Clone(policyVariables), Validations: policyValidations()})
}

// PolicyBinding puts Policy in force.
func (g Guard) PolicyBinding() *admissionv1.ValidatingAdmissionPolicyBinding {
	return binding(g.complete().Name)
}

// No expression may fail: the API server answers such a failure with 422, as if the object
// were invalid. So what may be absent is asked for with "?". No variable is an optional:
// the server finds no field in one.
var policyVariables = []admissionv1.Variable{
	{Name: "nodes", Expression: claim(NodeNameClaim)},
	{Name: "uids", Expression: claim(NodeUIDClaim)},
	{Name: "node", Expression: `variables.nodes.size() == 1 ? variables.nodes[0] : ""`},
	{Name: "before", Expression: `oldObject == null ? dyn({}) : dyn(oldObject.metadata)`},
	{Name: "after", Expression: `object == null ? dyn({}) : dyn(object.metadata)`},
	{Name: "name", Expression: `(object == null ? variables.before : variables.after).?name.orValue("")`},
	{Name: "ownersBefore", Expression: `variables.before.?ownerReferences.orValue([])`},
	{Name: "owners", Expression: `variables.after.?ownerReferences.orValue([])`},
}

func claim(key string) string {
	return "request.userInfo.?extra[?" + strconv.Quote(key) + "].orValue([])"
}

// policyValidations returns a new list: the caller completes it.
func policyValidations() []admissionv1.Validation {
	return []admissionv1.Validation{
		{
			Expression: `variables.nodes.size() > 0`,
			Message:    `this user must have a "` + NodeNameClaim + `" claim`,
		},
		{
			Expression: `variables.nodes.size() == 1`,
			Message:    `this user must have one "` + NodeNameClaim + `" claim, not several`,
		},
		{
			Expression:        `variables.name == variables.node && (object == null || object.?spec.?node.?name.orValue("") == variables.node)`,
			Message:           `updates to an MCN can only be done from the MCN's owner node`,
			MessageExpression: `"updates to MCN " + variables.name + " can only be done from the MCN's owner node"`,
		},
		{
			Expression: `request.operation != "DELETE"`,
			Message:    `this service account deletes no MCN: it goes with its Node, or an administrator deletes it`,
		},
		{
			Expression: `object == null ||
variables.after.?labels.orValue({}) == variables.before.?labels.orValue({}) &&
variables.after.?annotations.orValue({}) == variables.before.?annotations.orValue({}) &&
variables.after.?finalizers.orValue([]) == variables.before.?finalizers.orValue([])`,
			Message: `this service account changes no labels, annotations or finalizers of an MCN: leave them as they are`,
		},
		{
			Expression: `variables.owners.all(o, o in variables.ownersBefore ||
  o.apiVersion == "v1" && o.kind == "Node" && o.name == variables.node &&
  (variables.uids.size() == 0 || o.uid in variables.uids) &&
  !o.?controller.orValue(false) && !o.?blockOwnerDeletion.orValue(false))`,
			Message: `the one owner that this service account gives to an MCN is its Node, with the Node's UID`,
		},
		{
			Expression: `object == null || variables.ownersBefore.all(b, b in variables.owners ||
  b.apiVersion == "v1" && b.kind == "Node" &&
  variables.owners.exists(o, o.apiVersion == "v1" && o.kind == "Node" && o.name == variables.node))`,
			Message: `this service account takes no owner from an MCN: leave the owner references of others as they are`,
		},
	}
}
