package guard

import (
	"slices"
	"strconv"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// Parts of the messages of Policy. OpenShift's tests expect these texts, so they are the same as in
// machine-config-operator's policy mcn-guards.
const (
	missingNodeNameClaim = `this user must have a "` + NodeNameClaim + `" claim`
	updatesTo            = "updates to MCN "
	onlyFromOwnerNode    = " can only be done from the MCN's owner node"
)

// Policy returns the admission policy that restricts each write of the service account to the
// MachineConfigNode of one node: the node that the token of the request is bound to. The policy
// denies:
//
//  1. a request whose token does not have exactly one NodeNameClaim;
//  2. a write to the object of another node, and a write that names another node in spec.node;
//  3. a deletion, and a change of labels, annotations or finalizers;
//  4. the addition of an owner other than the Node, and the removal of an owner. But the Node may
//     replace another owner of the kind Node. If the token has a NodeUIDClaim, the added owner must
//     have this UID;
//  5. a status with a new value that the Go type MachineConfigNode cannot decode. One object with
//     such a value would make all informers of MachineConfigNodes fail.
//
// Admission policies do not apply to reads, so the service account can read all objects.
func (g Guard) Policy() *admissionv1.ValidatingAdmissionPolicy {
	return g.policy(g.complete().Name,
		[]admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
		[]string{resource, resource + "/*"},
		admissionv1.ValidatingAdmissionPolicySpec{Variables: slices.Clone(policyVariables), Validations: policyValidations()})
}

// policyVariables are the CEL variables of Policy. If a field may be absent, the expression selects it
// with "?". Otherwise the expression would have an error, and the API server would respond with 422
// instead of 403. No variable has an optional type, because the API server cannot select a field of
// such a variable.
var policyVariables = []admissionv1.Variable{
	{Name: "nodes", Expression: claim(NodeNameClaim)},
	{Name: "uids", Expression: claim(NodeUIDClaim)},
	{Name: "node", Expression: `variables.nodes.size() == 1 ? variables.nodes[0] : ""`},
	{Name: "before", Expression: `oldObject == null ? dyn({}) : dyn(oldObject.metadata)`},
	{Name: "after", Expression: `object == null ? dyn({}) : dyn(object.metadata)`},
	{Name: "name", Expression: `(object == null ? variables.before : variables.after).?name.orValue("")`},
	{Name: "ownersBefore", Expression: `variables.before.?ownerReferences.orValue([])`},
	{Name: "owners", Expression: `variables.after.?ownerReferences.orValue([])`},
	{Name: "statusBefore", Expression: `oldObject == null ? dyn({}) : dyn(oldObject.?status.orValue({}))`},
	{Name: "status", Expression: `object == null ? dyn({}) : dyn(object.?status.orValue({}))`},
	{Name: "unreadableTimes", Expression: unreadableTimes},
	{Name: "unreadableNumbers", Expression: unreadableNumbers},
}

func claim(key string) string {
	return "request.userInfo.?extra[?" + strconv.Quote(key) + "].orValue([])"
}

// policyValidations returns a new list, which the caller may change.
func policyValidations() []admissionv1.Validation {
	return []admissionv1.Validation{
		{
			Expression: `variables.nodes.size() > 0`,
			Message:    missingNodeNameClaim,
		},
		{
			Expression: `variables.nodes.size() == 1`,
			Message:    `this user must have exactly one "` + NodeNameClaim + `" claim`,
		},
		{
			Expression: `variables.name == variables.node && ` +
				`(object == null || object.?spec.?node.?name.orValue("") == variables.node)`,
			Message:           `updates to an MCN` + onlyFromOwnerNode,
			MessageExpression: strconv.Quote(updatesTo) + ` + variables.name + ` + strconv.Quote(onlyFromOwnerNode),
		},
		{
			Expression: `request.operation != "DELETE"`,
			Message:    `may not delete MachineConfigNodes: they are garbage-collected with their Node`,
		},
		{
			Expression: `object == null ||
variables.after.?labels.orValue({}) == variables.before.?labels.orValue({}) &&
variables.after.?annotations.orValue({}) == variables.before.?annotations.orValue({}) &&
variables.after.?finalizers.orValue([]) == variables.before.?finalizers.orValue([])`,
			Message: `may not change labels, annotations or finalizers of MachineConfigNodes`,
		},
		{
			Expression: `variables.owners.all(o, o in variables.ownersBefore ||
  o.apiVersion == "v1" && o.kind == "Node" && o.name == variables.node &&
  (variables.uids.size() == 0 || o.uid in variables.uids) &&
  !o.?controller.orValue(false) && !o.?blockOwnerDeletion.orValue(false))`,
			Message: `may not add owner references to MachineConfigNodes, ` +
				`except a reference to their Node, with its UID and without controller and blockOwnerDeletion`,
		},
		{
			Expression: `object == null || variables.ownersBefore.all(b, b in variables.owners ||
  b.apiVersion == "v1" && b.kind == "Node" &&
  variables.owners.exists(o, o.apiVersion == "v1" && o.kind == "Node" && o.name == variables.node))`,
			Message: `may not remove owner references of MachineConfigNodes`,
		},
		{
			Expression:        `variables.unreadableTimes.size() == 0`,
			Message:           deniedTimes,
			MessageExpression: strconv.Quote(deniedTimes+": ") + ` + variables.unreadableTimes.join(", ")`,
		},
		{
			Expression:        `variables.unreadableNumbers.size() == 0`,
			Message:           deniedNumbers,
			MessageExpression: strconv.Quote(deniedNumbers+": ") + ` + variables.unreadableNumbers.join(", ")`,
		},
	}
}
