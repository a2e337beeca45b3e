package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

const (
	messageTime   = "may not set a lastTransitionTime that clients cannot read"
	messageNumber = "may not set a generation above 2147483647"

	poison       = "2026-01-02t03:04:05z"
	poisonNumber = "3000000000"
)

// Times and numbers in the forms that the CRD has to judge: those of the first list by each request, the rest by
// one. An API server before Kubernetes 1.36 accepts more numbers than a later one.
var (
	times    = []string{"2026-01-02T03:04:05Z", poison, "2026-01-02T03:04:05+25:00"}
	allTimes = append([]string{
		"2026-01-02T03:04:05.123Z", "2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05-23:59", "0001-01-01T00:00:00Z",
		"2026-01-02T03:04:05z", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05x7Z", "2026-01-02T03:04:05,7Z",
		"2026-01-02T03:04:05+99:99", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05-23:60",
		"2026-02-30T03:04:05Z", "2025-02-29T03:04:05Z", "2026-13-01T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T23:59:60Z",
		"2026-01-02T3:04:05Z", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "2026-01-02",
	}, times...)
	numbers    = []string{"2147483647", "2147483648", "9223372036854775808"}
	allNumbers = append([]string{"0", "1", "-2147483649", poisonNumber, "3e9", "2147483648.0", "9007199254740993", "9223372036854775807"}, numbers...)
	// unusual are times that no client writes, and that Go reads. The policy denies them, too.
	unusual = regexp.MustCompile(`(,7Z|[+]24:00|-23:60)$`)
)

// statusesWith returns a status for each value in each field that can have it.
func statusesWith(times, numbers []string) map[string]string {
	list := map[string]string{}
	for _, at := range times {
		list["a condition at "+at] = string(statuses{unowned: "False at " + at}.patch())
		list["a release at "+at] = statusOfRelease(`"lastTransitionTime":"` + at + `"`)
	}
	for _, n := range numbers {
		for _, field := range []string{"currentGeneration", "desiredGeneration", "lastFailedGeneration"} {
			list[field+" "+n] = `{"status":{"pinnedImageSets":[{"name":"set","lastFailedGenerationError":"failed","` + field + `":` + n + `}]}}`
		}
		list["observedGeneration "+n] = `{"status":{"observedGeneration":` + n + `}}`
		list["observedGeneration of a condition "+n] = strings.Replace(string(statuses{unowned: "False"}.patch()), `"type"`, `"observedGeneration":`+n+`,"type"`, 1)
		list["observedGeneration of a release "+n] = statusOfRelease(`"lastTransitionTime":"` + early + `","observedGeneration":` + n)
	}
	return list
}

func statusOfRelease(fields string) string {
	return `{"status":{"internalReleaseImage":{"releases":[{"name":"ocp-release-bundle-4.18.0-x86_64","conditions":[
		{"type":"Available","status":"True","reason":"Test","message":"",` + fields + `}]}]}}}`
}

// writes are the requests that can carry a status. Each takes the object as it is, with the status of
// the test.
var writes = map[string]func(c rest.Interface, name string, object []byte) *rest.Request{
	"create": func(c rest.Interface, _ string, object []byte) *rest.Request {
		return c.Post().Resource("machineconfignodes").Body(object)
	},
	"update":             put(),
	"status update":      put("status"),
	"merge patch":        patch(types.MergePatchType),
	"status merge patch": patch(types.MergePatchType, "status"),
	"status JSON patch": func(c rest.Interface, name string, object []byte) *rest.Request {
		var o struct{ Status json.RawMessage }
		_ = json.Unmarshal(object, &o)
		return patch(types.JSONPatchType, "status")(c, name, fmt.Appendf(nil, `[{"op":"add","path":"/status","value":%s}]`, o.Status))
	},
	"apply":        patch(types.ApplyPatchType),
	"status apply": patch(types.ApplyPatchType, "status"),
}

func put(subresources ...string) func(rest.Interface, string, []byte) *rest.Request {
	return func(c rest.Interface, name string, object []byte) *rest.Request {
		return c.Put().Resource("machineconfignodes").Name(name).SubResource(subresources...).Body(object)
	}
}

func patch(kind types.PatchType, subresources ...string) func(rest.Interface, string, []byte) *rest.Request {
	return func(c rest.Interface, name string, object []byte) *rest.Request {
		request := c.Patch(kind).Resource("machineconfignodes").Name(name).SubResource(subresources...).Param("fieldManager", "poison").Body(object)
		if kind == types.ApplyPatchType {
			request.Param("force", "true")
		}
		return request
	}
}

// TestUnreadableValues: where the policy is in force, a daemon that RBAC allows everything writes no value that a
// client cannot read, by whatever request, and every other that the CRD accepts.
func TestUnreadableValues(t *testing.T) {
	needGuards(t, standard)
	w := unguardedNodeOn(t, standard, "unreadable")
	admin := mcfgClient(t, standard.Config()).MachineconfigurationV1()
	daemon := mcfgClient(t, newIdentity(t, standard, wideGuard).podToken(w.name)).MachineconfigurationV1().RESTClient()
	denied := map[string]int{}
	for request, write := range writes {
		list := statusesWith(times, numbers)
		if request == "status merge patch" {
			list = statusesWith(allTimes, allNumbers)
		}
		base := w.plainObject(request != "create")
		for name, status := range list {
			what := request + " of " + name
			object := withStatus(t, base, status)
			answer, refused := write(admin.RESTClient(), w.name, object).Param("dryRun", "All").Do(t.Context()).Raw()
			readable := json.Unmarshal(answer, &mcfgv1.MachineConfigNode{}) == nil && !unusual.MatchString(name)

			err := write(daemon, w.name, object).Do(t.Context()).Error()

			_, listed := admin.MachineConfigNodes().List(t.Context(), metav1.ListOptions{})
			require.NoError(t, listed, what)
			switch {
			case refused != nil:
				assert.Error(t, err, what)
			case readable:
				assert.NoError(t, err, what)
				base = w.plainObject(request != "create")
			default:
				message := map[bool]string{true: messageNumber, false: messageTime}[strings.Contains(name, "Generation")]
				deniedWith(t, err, message)
				denied[message]++
			}
		}
	}
	t.Logf("denied: %v", denied)
	assert.Positive(t, denied[messageTime], "else the CRD does the work of the policy")
}

// plainObject is resetObject without what only the API server writes.
func (w *testNode) plainObject(exists bool) *mcfgv1.MachineConfigNode {
	object := w.resetObject(exists)
	object.TypeMeta = metav1.TypeMeta{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigNode"}
	object.ManagedFields = nil
	return object
}

// withStatus returns the JSON of an object with a status.
func withStatus(t *testing.T, object *mcfgv1.MachineConfigNode, status string) []byte {
	t.Helper()
	data, err := json.Marshal(object)
	require.NoError(t, err)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &fields))
	require.NoError(t, json.Unmarshal([]byte(status), &fields))
	data, err = json.Marshal(fields)
	require.NoError(t, err)
	return data
}

// TestPoisonedObject: one object stops every controller and its own daemon, until it is found and deleted as docs/security.md
// says. The daemon cannot add another such value.
func TestPoisonedObject(t *testing.T) {
	f := newFleet(t)
	f.run()
	w := f.node("hostile", "worker", "rendered-1")
	f.eventually("hostile", exists)
	f.stop()
	w.guard()
	m, _ := w.monitor("worker")
	m.ReportDegraded(t.Context(), errors.New("its own report"))
	require.False(t, isPending(m))
	require.NoError(t, w.writeStatus(w.admin, types.JSONPatchType,
		`[{"op":"add","path":"/status/conditions/-","value":{"type":"`+unowned+`","status":"False","reason":"Test","message":"","lastTransitionTime":"`+poison+`"}}]`))
	require.NoError(t, w.writeStatus(w.admin, types.MergePatchType, statusOfRelease(`"lastTransitionTime":"`+poison+`"`)))
	_, err := w.admin.List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot parse", "no typed client can list")
	found := []string{"hostile " + unowned + " " + poison + "\nhostile internalReleaseImage " + poison + "\n", "none\n"}
	const set = `{"name":"set","desiredGeneration":` + poisonNumber + `}`
	number := w.writeStatus(w.admin, types.MergePatchType, `{"status":{"pinnedImageSets":[`+set+`]}}`) == nil // before 1.36
	if number {
		found[1] = "hostile set 1 " + poisonNumber + " <no value>\n" // with the 1 that is written below
	}

	m.ReportDegraded(t.Context(), nil)
	require.True(t, isPending(m), "it cannot read the object either")
	daemon := nodesOf(t, w.config)
	for change, message := range map[string]string{
		`"conditions/-","value":{"type":"Other","status":"True","reason":"Test","message":"","lastTransitionTime":"` + poison + `"}`: messageTime + ", other than 2026-01-02T03:04:05Z: Other",
		`"conditions/0/lastTransitionTime","value":"` + poison + `"`:                                                                 messageTime,
		`"pinnedImageSets/-","value":` + strings.Replace(set, "set", "other", 1):                                                     messageNumber + ", which clients cannot read: other",
		`"pinnedImageSets/0/desiredGeneration","value":3000000001`:                                                                   messageNumber,
		`"pinnedImageSets/0/currentGeneration","value":1`:                                                                            "",
	} {
		if number || !strings.Contains(change, "pinned") {
			err := w.writeStatus(daemon, types.JSONPatchType, `[{"op":"add","path":`+strings.Replace(change, `"`, `"/status/`, 1)+`}]`)
			if message != "" {
				deniedWith(t, err, message)
			} else {
				assert.NoError(t, err)
			}
		}
	}

	f.run()
	f.runPool()
	f.node("other", "worker", "rendered-1")
	page, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	commands := regexp.MustCompile(`(?m)^\$ (kubectl get machineconfignodes -o go-template.*)$`).FindAllSubmatch(page, -1)
	require.Len(t, commands, len(found))
	for i, command := range commands {
		out, err := shell(t, f.cluster, string(command[1]))
		require.NoError(t, err)
		assert.Equal(t, found[i], out)
	}
	_, err = f.cluster.Kubectl(t.Context(), "delete", "machineconfignode", strings.Fields(found[0])[0])
	require.NoError(t, err)
	f.eventually("other", hasSpec("worker", "rendered-1"))
	f.eventually("hostile", hasSpec("worker", "rendered-1"))
	f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.MachineCount == 2 })
}

// writeStatus patches the status. What is answered may be more than the client can read.
func (w *testNode) writeStatus(c nodes, kind types.PatchType, patch string) error {
	_, err := c.Patch(w.t.Context(), w.name, kind, []byte(patch), metav1.PatchOptions{}, "status")
	if err != nil && strings.Contains(err.Error(), "cannot unmarshal") || err != nil && strings.Contains(err.Error(), "parsing time") {
		return nil
	}
	return err
}
