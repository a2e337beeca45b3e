package guard_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope/guard"
)

// Parts of the policies' messages.
const (
	noClaim   = `must have a "authentication.kubernetes.io/node-name" claim`
	oneClaim  = `must have exactly one "authentication.kubernetes.io/node-name" claim`
	notOwn    = "updates to MCN worker-0 can only be done from the MCN's owner node"
	notNamed  = "updates to MCN worker-1 can only be done from the MCN's owner node"
	noDelete  = "may not delete MachineConfigNodes"
	metadata  = "may not change labels, annotations or finalizers"
	newOwner  = "may not add owner references"
	oldOwner  = "may not remove owner references"
	badTime   = "may not set a lastTransitionTime that clients cannot read (the format is 2026-01-02T03:04:05Z): "
	badNumber = "may not set a generation above 2147483647, which clients cannot read: "
	jump      = "invalid transition "
	running   = "may not complete a phase while a child is Unknown: "
	removed   = "may not remove conditions of phases: "
	retimed   = "may not change lastTransitionTime without the status: "
)

// base is the object of the node, which other clients have changed. bare is a merge patch that reverts their changes.
// configMap and own are the owners of base.
const (
	base = `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode","metadata":{"name":"worker-0",
		"labels":{"of":"others"},"annotations":{"of":"others"},"finalizers":["of.others/finalizer"],"ownerReferences":[` + configMap + `,` + own + `]},
		"spec":{"node":{"name":"worker-0"},"pool":{"name":"worker"}}}`
	bare      = `{"metadata":{"labels":null,"annotations":null,"finalizers":null,"ownerReferences":[` + own + `]}}`
	configMap = `{"apiVersion":"v1","kind":"ConfigMap","name":"of-others","uid":"1"}`
	own       = `{"apiVersion":"v1","kind":"Node","name":"worker-0","uid":"uid-of-node"}`
)

// changed returns own with another value of a field.
func changed(field, value string) string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(own), &fields)
	fields[field] = json.RawMessage(value)
	data, _ := json.Marshal(fields)
	return string(data)
}

func owners(list ...string) string {
	return `{"metadata":{"ownerReferences":[` + strings.Join(list, ",") + `]}}`
}

// status returns a merge patch of a status with conditions. The entries are separated by spaces. An entry is
// "Drained=Unknown" or, with a time, "Updated=True@2026-01-01T01:00:00Z". It replaces an earlier entry of its type, which
// "-Drained" removes.
func status(entries string) string {
	type condition struct{ Type, Status, LastTransitionTime string }
	list := []condition{}
	for _, entry := range strings.Fields(entries) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(entry, "-"), "=")
		value, at, found := strings.Cut(rest, "@")
		if !found {
			at = "2026-01-01T00:00:00Z"
		}
		list = slices.DeleteFunc(list, func(c condition) bool { return c.Type == name })
		if value != "" {
			list = append(list, condition{name, value, at})
		}
	}
	var texts []string
	for _, c := range list {
		texts = append(texts, fmt.Sprintf(`{"type":%q,"status":%q,"lastTransitionTime":%q}`, c.Type, c.Status, c.LastTransitionTime))
	}
	return `{"status":{"conditions":[` + strings.Join(texts, ",") + `]}}`
}

// release returns a merge patch of a status with a release that has a condition.
func release(name, condition, at string) string {
	return fmt.Sprintf(`{"status":{"internalReleaseImage":{"releases":[{"name":%q,"conditions":[{"type":%q,"lastTransitionTime":%q}]}]}}}`, name, condition, at)
}

// set returns a merge patch of a status with a pinned image set that has a generation.
func set(name, field, generation string) string {
	return fmt.Sprintf(`{"status":{"pinnedImageSets":[{"name":%q,%q:%s}]}}`, name, field, generation)
}

// clause is a request that the policies deny, and a similar request that they allow.
type clause struct {
	name    string
	request request // its objects are set from the patches
	before  string  // a merge patch of base: the object before the request
	denied  string  // a merge patch of that object: the denied request
	allowed string  // a merge patch of that object: the allowed request; "" is an update of base that changes nothing
	because []string
}

// check asserts that the policies deny the request denied, allow the request allowed, and deny no request of another user.
func (c clause) check(t *testing.T) {
	t.Helper()
	denied := c.request
	denied.before = merge(t, base, c.before)
	if c.denied != "" {
		denied.after = merge(t, denied.before, c.denied)
	}
	allowed := denied
	if c.allowed != "" {
		allowed.after = merge(t, denied.before, c.allowed)
	} else {
		allowed = request{before: base, after: base}
	}
	if c.request.operation == admission.Create {
		denied.before, allowed.before = "", ""
	}
	messages := denied.denials(t)
	require.Len(t, messages, len(c.because), "%q", messages)
	for i := range messages {
		assert.Contains(t, messages[i], c.because[i])
	}
	assert.Empty(t, allowed.denials(t), "the policies must allow the similar request")
	denied.user = "system:serviceaccount:openshift-machine-config-operator:another"
	assert.Empty(t, denied.denials(t), "the policies must not apply to another service account")
}

func checkAll(t *testing.T, clauses []clause) {
	t.Helper()
	for _, c := range clauses {
		t.Run(c.name, c.check)
	}
}

func why(list ...string) []string { return list }

var (
	create     = request{operation: admission.Create}
	remove     = request{operation: admission.Delete}
	report     = request{subresource: "status"}
	withoutUID = request{claims: map[string][]string{guard.NodeNameClaim: {node}}}
	earlier    = changed("uid", `"earlier"`)
)

const (
	late    = "2026-01-02T03:04:05Z"
	poison  = "2026-01-02t03:04:05z" // the CRD accepts this time, and Go cannot parse it
	foreign = "InternalReleaseImageDegraded"
	large   = "2147483648"
)

func TestADaemonWritesOnlyTheObjectOfItsNode(t *testing.T) {
	claims := func(names ...string) request {
		return request{claims: map[string][]string{guard.NodeNameClaim: names, guard.NodeUIDClaim: {"uid-of-node"}}}
	}
	checkAll(t, []clause{
		{"no claim", request{claims: map[string][]string{}}, "{}", "{}", "", why(noClaim, oneClaim, notOwn)},
		{"only the claim of the UID", request{claims: map[string][]string{guard.NodeUIDClaim: {node}}}, "{}", "{}", "", why(noClaim, oneClaim, notOwn)},
		{"two claims", claims(node, "worker-1"), "{}", "{}", "", why(oneClaim, notOwn)},
		{"two equal claims", claims(node, node), "{}", "{}", "", why(oneClaim, notOwn)},
		{"a longer name", claims("worker-01"), "{}", "{}", "", why(notOwn)},
		{"a shorter name", claims("worker-"), "{}", "{}", "", why(notOwn)},
		{"a name in upper case", claims("WORKER-0"), "{}", "{}", "", why(notOwn)},
		{"a pattern", claims("worker-."), "{}", "{}", "", why(notOwn)},
		{"an empty name", claims(""), "{}", "{}", "", why(notOwn)},
		{"another object", request{}, `{"metadata":{"name":"worker-1"}}`, "{}", "", why(notNamed)},
		{"the status of another object", report, `{"metadata":{"name":"worker-1"}}`, "{}", "", why(notNamed)},
		{"another node in the spec", request{}, "{}", `{"spec":{"node":{"name":"worker-1"}}}`, `{"spec":{"pool":{"name":"infra"}}}`, why(notOwn)},
		{"no node in the spec", request{}, "{}", `{"spec":null}`, `{}`, why(notOwn)},
		{"a new object of another node", create, bare, `{"metadata":{"name":"worker-1"}}`, "{}", why(notNamed)},
	})
}

func TestADaemonDeletesNoObject(t *testing.T) {
	checkAll(t, []clause{
		{"the object of its node", remove, "{}", "", "", why(noDelete)},
		{"the object of another node", remove, `{"metadata":{"name":"worker-1"}}`, "", "", why(notNamed, noDelete)},
	})
}

func TestADaemonChangesNoLabelAnnotationOrFinalizer(t *testing.T) {
	checkAll(t, []clause{
		{"a label added", request{}, "{}", `{"metadata":{"labels":{"mine":""}}}`, `{"metadata":{"labels":{"of":"others"}}}`, why(metadata)},
		{"the labels removed", request{}, "{}", `{"metadata":{"labels":null}}`, "{}", why(metadata)},
		{"the first label", request{}, bare, `{"metadata":{"labels":{"mine":""}}}`, `{"metadata":{"labels":{}}}`, why(metadata)},
		{"an annotation changed", request{}, "{}", `{"metadata":{"annotations":{"of":"mine"}}}`, `{"metadata":{"annotations":{"of":"others"}}}`, why(metadata)},
		{"the annotations removed", request{}, "{}", `{"metadata":{"annotations":null}}`, "{}", why(metadata)},
		{"a finalizer added", request{}, "{}", `{"metadata":{"finalizers":["of.others/finalizer","mine/finalizer"]}}`, `{"metadata":{"finalizers":["of.others/finalizer"]}}`, why(metadata)},
		{"the finalizers removed", request{}, "{}", `{"metadata":{"finalizers":null}}`, "{}", why(metadata)},
		{"a new object with a label", create, bare, `{"metadata":{"labels":{"mine":""}}}`, "{}", why(metadata)},
		{"a new object with a finalizer", create, bare, `{"metadata":{"finalizers":["mine/finalizer"]}}`, "{}", why(metadata)},
		{"a label in a status write", report, "{}", `{"metadata":{"labels":{"mine":""}}}`, "{}", why(metadata)},
	})
}

func TestADaemonAddsOnlyItsNodeAsAnOwner(t *testing.T) {
	checkAll(t, []clause{
		{"another API version", request{}, owners(configMap), owners(configMap, changed("apiVersion", `"v2"`)), owners(configMap, own), why(newOwner)},
		{"another kind", request{}, owners(configMap), owners(configMap, changed("kind", `"Pod"`)), owners(configMap, own), why(newOwner)},
		{"another Node", request{}, owners(configMap), owners(configMap, own, changed("name", `"worker-1"`)), owners(configMap, own), why(newOwner)},
		{"another UID", request{}, owners(configMap), owners(configMap, earlier), owners(configMap, own), why(newOwner)},
		{"a controller", request{}, owners(configMap), owners(configMap, changed("controller", `true`)), owners(configMap, changed("controller", `false`)), why(newOwner)},
		{"a blocked deletion", request{}, owners(configMap), owners(configMap, changed("blockOwnerDeletion", `true`)), owners(configMap, changed("blockOwnerDeletion", `false`)), why(newOwner)},
		{"another owner of a new object", create, bare, owners(own, configMap), owners(own), why(newOwner)},
		{"a token without a UID", withoutUID, owners(configMap), owners(configMap, changed("name", `"worker-1"`)), owners(configMap, earlier), why(newOwner)},
	})
}

// A daemon may remove a previous Node from the owners if its own Node is an owner afterwards.
func TestADaemonRemovesAnOwnerOnlyIfItIsANode(t *testing.T) {
	checkAll(t, []clause{
		{"an owner of another kind removed", request{}, "{}", owners(own), owners(own, configMap), why(oldOwner)},
		{"an owner of another API version removed", request{}, owners(changed("apiVersion", `"v2"`), own), owners(own), "{}", why(oldOwner)},
		{"the Node removed", request{}, "{}", owners(configMap), "{}", why(oldOwner)},
		{"a previous Node removed", request{}, owners(earlier), owners(), owners(own), why(oldOwner)},
		{"a previous Node removed, and another API version kept", request{}, owners(earlier, changed("apiVersion", `"v2"`)), owners(changed("apiVersion", `"v2"`)), owners(changed("apiVersion", `"v2"`), own), why(oldOwner)},
		{"a previous Node removed, and another kind kept", request{}, owners(earlier, changed("kind", `"Pod"`)), owners(changed("kind", `"Pod"`)), owners(changed("kind", `"Pod"`), own), why(oldOwner)},
		{"a previous Node removed, and another Node kept", request{}, owners(earlier, changed("name", `"worker-1"`)), owners(changed("name", `"worker-1"`)), owners(own), why(oldOwner)},
	})
}

// A daemon may not add an unreadable time, but may write an object that already has one.
func TestADaemonAddsNoUnreadableTime(t *testing.T) {
	const alsoPoison = "2026-01-02t03:04:06z"
	clauses := []clause{
		{"a condition", report, "{}", status(foreign + "=False@" + poison), status(foreign + "=False@" + late), why(badTime + foreign)},
		{"a second condition", report, status("A=True@" + poison), status("A=True@" + poison + " B=True@" + poison), status("A=False@" + poison), why(badTime + "B")},
		{"another time of a condition", report, status("A=True@" + poison), status("A=True@" + alsoPoison), "{}", why(badTime + "A")},
		{"a release", report, "{}", release("r", "A", poison), release("r", "A", late), why(badTime + "internalReleaseImage")},
		{"another release", report, release("r", "A", poison), release("s", "A", poison), "{}", why(badTime + "internalReleaseImage")},
		{"another condition of a release", report, release("r", "A", poison), release("r", "B", poison), release("r", "B", late), why(badTime + "internalReleaseImage")},
		{"another time of a release", report, release("r", "A", poison), release("r", "A", alsoPoison), "{}", why(badTime + "internalReleaseImage")},
		{"a new object", create, bare, status("A=True@" + poison), status("A=True@" + late), why(badTime + "A")},
	}
	for _, at := range []string{"2026-01-02t03:04:05Z", "2026-01-02T03:04:05z", "2026-01-02T03:04:05,7Z", "2026-01-02T03:04:05+24:00",
		"2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05", "2026-01-02T03:04:05Zx", "x2026-01-02T03:04:05Z"} {
		clauses = append(clauses, clause{at, report, "{}", status("A=True@" + at), status("A=True@2026-01-02T03:04:05.123-23:59"), why(badTime + "A")})
	}
	checkAll(t, clauses)
}

// A daemon may not add an unreadable number, but may write an object that already has one.
func TestADaemonAddsNoUnreadableNumber(t *testing.T) {
	clauses := []clause{
		{"a new object", create, bare, set("s", "desiredGeneration", large), set("s", "desiredGeneration", "1"), why(badNumber + "s")},
		{"a second set", report, set("s", "desiredGeneration", large), set("t", "desiredGeneration", large), "{}", why(badNumber + "t")},
		{"another value of an unreadable number", report, set("s", "desiredGeneration", large), set("s", "desiredGeneration", "2147483649"), "{}", why(badNumber + "s")},
		{"a second number of a set", report, set("s", "desiredGeneration", large), set("s", "currentGeneration", large), "{}", why(badNumber + "s")},
	}
	for _, field := range []string{"currentGeneration", "desiredGeneration", "lastFailedGeneration"} {
		clauses = append(clauses, clause{field, report, "{}", set("s", field, large), set("s", field, "2147483647"), why(badNumber + "s")})
	}
	checkAll(t, clauses)
}

// The conditions of a node during an update, and after its end. In a reset, Drained changes from Unknown to False.
const (
	ran   = "Updated=False UpdatePrepared=True UpdateExecuted=Unknown Drained=Unknown Cordoned=True "
	ended = "Updated=True UpdatePrepared=False UpdateExecuted=False Drained=False Cordoned=False "
)

// transition returns a clause about status writes.
func transition(name, before, denied, allowed string, because ...string) clause {
	return clause{name, report, status(before), status(denied), status(allowed), because}
}

func TestAWriteMakesOneStepOrResetsAllSteps(t *testing.T) {
	const noReset = jump + "UpdateExecuted from Unknown to False, Drained from Unknown to False: one write may change"
	checkAll(t, []clause{
		transition("two jumps", ended, ended+"Drained=True Cordoned=True", ended+"Drained=Unknown", jump+"Drained from False to True, Cordoned from False to True"),
		transition("a reset without a step that is True", ran, ended+"Cordoned=True", ended, noReset),
		transition("a reset without a step that starts", ran, ended+"Resumed=Unknown", ended+"Updated=False", noReset),
		transition("a reset without UpdatePrepared", ran, ended+"UpdatePrepared=True", ended+"NodeDegraded=True", noReset),
		transition("a reset that starts UpdatePrepared again", ran, ended+"UpdatePrepared=Unknown", ended, jump+"UpdatePrepared from True to Unknown: "),
		transition("a reset that completes UpdatePrepared", ran+"UpdatePrepared=Unknown", ended+"UpdatePrepared=True", ended+"UpdatePrepared=Unknown", noReset),
		transition("a reset of Updated", ended+"Updated=Unknown", ended+"Updated=Unknown Drained=True", ended+"Updated=False", jump+"Drained from False to True: "),
	})
}

func TestAParentCompletesAfterItsChildren(t *testing.T) {
	checkAll(t, []clause{
		transition("a child is Unknown", ran, ran+"UpdateExecuted=True", ran+"UpdateExecuted=True Drained=True", running+"UpdateExecuted"),
		transition("another parent's child", ran, ran+"UpdateExecuted=True Uncordoned=Unknown", ran+"UpdateComplete=Unknown Uncordoned=Unknown", running+"UpdateExecuted"),
		transition("the parent was True before", ran+"UpdateExecuted=True Cordoned=False", ran+"UpdateExecuted=True Cordoned=True", ran+"UpdateExecuted=True Cordoned=Unknown", jump+"Cordoned from False to True"),
	})
}

func TestATransitionTimeChangesOnlyWithTheStatus(t *testing.T) {
	const readable, unreadable = "Drained=Unknown@2026-01-01T00:00:00.9Z", "Drained=Unknown@" + poison
	checkAll(t, []clause{
		transition("a later time", ran, ran+"Drained=Unknown@"+late, ran+"Drained=True@"+late, retimed+"Drained"),
		transition("an earlier time, but not another time zone", ran, ran+"Drained=Unknown@2025-01-01T00:00:00Z", ran+"Drained=Unknown@2026-01-01T02:00:00+02:00", retimed+"Drained"),
		transition("the time of a singleton", "NodeDegraded=True", "NodeDegraded=True@"+late, "NodeDegraded=False@"+late, retimed+"NodeDegraded"),
		transition("another second, but not a fraction", readable, "Drained=Unknown@2026-01-01T00:00:01Z", "Drained=Unknown@2026-01-01T00:00:00Z", retimed+"Drained"),
		transition("the time of another phase", "Cordoned=Unknown@"+late+" "+readable, "Cordoned=Unknown@"+late+" Drained=Unknown@"+late, "Cordoned=Unknown@"+late+" Drained=Unknown@2026-01-01T00:00:00Z", retimed+"Drained"),
		transition("a time before the first that clients can write", "Drained=Unknown@0000-01-01T00:00:00+01:00", "Drained=Unknown@0000-01-01T00:00:01Z", "Drained=Unknown@0000-01-01T00:00:00Z", retimed+"Drained"),
		transition("a time after the last that clients can write", "Drained=Unknown@9999-12-31T23:59:59-01:00", "Drained=Unknown@9998-12-31T23:59:59Z", "Drained=Unknown@9999-12-31T23:59:59Z", retimed+"Drained"),
		transition("another spelling of a time in the year 0", "Drained=Unknown@0000-01-01T02:00:00+01:00", "Drained=Unknown@0000-01-01T00:00:00Z", "Drained=Unknown@0000-01-01T01:00:00Z", retimed+"Drained"),
		transition("another spelling at the end of a century", "Drained=Unknown@1999-12-31T23:00:00-02:00", "Drained=Unknown@1999-12-31T23:00:00Z", "Drained=Unknown@2000-01-01T01:00:00Z", retimed+"Drained"),
		transition("an unreadable time may be corrected", unreadable, "Drained=True@2026-01-01T00:00:00z", "Drained=Unknown@"+late, badTime+"Drained"),
		transition("a time becomes unreadable", ran, ran+unreadable, ran, badTime+"Drained"),
	})
}

func TestAWriteRemovesNoConditionExceptAtAChangeOfTheMode(t *testing.T) {
	checkAll(t, []clause{
		transition("a step", ran, ran+"-Drained", ran, removed+"Drained"),
		transition("a singleton", ran+"NodeDegraded=False "+foreign+"=False", ran, ran+"NodeDegraded=False", removed+"NodeDegraded"),
		transition("beside a foreign condition", ran+foreign+"=True@"+late, ran+"-Cordoned", ran+foreign+"=False", removed+"Cordoned"),
		transition("a step of standard mode", ran+"AppliedFilesAndOS=Unknown", ran, ran+"AppliedFiles=False AppliedOSImage=Unknown", removed+"AppliedFilesAndOS"),
		transition("a step of image mode", ran+"AppliedFiles=True AppliedOSImage=Unknown", ran+"AppliedFiles=True", ran+"AppliedFilesAndOS=False", removed+"AppliedOSImage"),
		transition("a step of both modes, to image mode", ran+"AppliedFilesAndOS=Unknown", ran+"-Drained AppliedFiles=False", ran+"AppliedFiles=False", removed+"Drained"),
		transition("a step of both modes, to standard mode", ran+"AppliedFiles=Unknown", ran+"-Drained AppliedFilesAndOS=False", ran+"AppliedFilesAndOS=False", removed+"Drained"),
	})
}

// The policy allows exactly the transitions of package transitions. A reset must leave every step False, and a parent must
// not turn True while a child is Unknown. A new row of the table of phases is enough.
func TestThePolicyHasTheStateMachineOfEachPhase(t *testing.T) {
	phasetable.Insert(t, phases.AppliedFiles, phasetable.Row{Phase: "FilesVerified", Kind: phasetable.Child, Parent: phases.UpdateExecuted, Mode: phasetable.StandardOnly})
	compiled = nil
	t.Cleanup(func() { compiled = nil })
	values := []metav1.ConditionStatus{"", metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue}
	denials := func(before, after string) []string {
		old := merge(t, base, status(before))
		return request{subresource: "status", before: old, after: merge(t, old, status(after))}.denials(t)
	}
	entry := func(p phases.Phase, s metav1.ConditionStatus) string {
		if s == "" {
			return ""
		}
		return " " + string(p) + "=" + string(s)
	}
	for _, p := range phasetable.Both() {
		other := phases.Resumed // a step that runs, so that no write is a reset
		if p == other {
			other = phases.RebootedNode
		}
		for _, from := range values {
			for _, to := range values[1:] {
				path, err := transitions.Path(p, from, to)
				isStep := err == nil && len(path) <= 1
				messages := denials(entry(other, "Unknown")+entry(p, from), entry(other, "Unknown")+entry(p, to))
				assert.Equal(t, isStep || from == to, len(messages) == 0, "%s from %q to %s: %q", p, from, to, messages)
			}
		}
		reset := denials(entry(other, "Unknown")+entry(p, "True"), entry(other, "False")+entry(p, "True"))
		assert.Equal(t, phasetable.IsStep(p), len(reset) > 0, "a reset that leaves %s True: %q", p, reset)
		if parent, ok := phases.ParentOf(p); ok {
			assert.Equal(t, []string{running + string(parent)}, denials(entry(parent, "Unknown")+entry(p, "Unknown"), entry(parent, "True")+entry(p, "Unknown")))
		}
	}
}
