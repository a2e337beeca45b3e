package e2e

import (
	"encoding/json"
	"errors"
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
	poison       = "2026-01-02t03:04:05z"
	poisonNumber = "3000000000"
)

// Times and numbers of which the CRD rejects some, and of which a typed client cannot read some. Before Kubernetes 1.36, the
// API server accepts more numbers.
var (
	times = []string{
		"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123Z", "2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05-23:59", "0001-01-01T00:00:00Z",
		poison, "2026-01-02T03:04:05z", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05x7Z", "2026-01-02T03:04:05,7Z",
		"2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05+99:99", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05-23:60",
		"2026-02-30T03:04:05Z", "2025-02-29T03:04:05Z", "2026-13-01T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T23:59:60Z",
		"2026-01-02T3:04:05Z", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "2026-01-02",
	}
	numbers = []string{"0", "1", "-2147483649", "2147483647", "2147483648", poisonNumber, "3e9", "2147483648.0", "9007199254740993", "9223372036854775807", "9223372036854775808"}
	// unusual matches times that Go can read, but that the policy denies, because no client writes them.
	unusual = regexp.MustCompile(`(,7Z|[+]24:00|-23:60)$`)
)

// statuses returns a patch of the status for each field and each value. The keys are names for messages.
func statuses() map[string]string {
	list := map[string]string{}
	for _, at := range times {
		list["a condition at "+at] = string(conditionsPatch(unowned + "=False at " + at))
		list["a release at "+at] = statusOfRelease(`"lastTransitionTime":"` + at + `"`)
	}
	for _, n := range numbers {
		for _, field := range []string{"currentGeneration", "desiredGeneration", "lastFailedGeneration"} {
			list[field+" "+n] = `{"status":{"pinnedImageSets":[{"name":"set","lastFailedGenerationError":"failed","` + field + `":` + n + `}]}}`
		}
		list["observedGeneration "+n] = `{"status":{"observedGeneration":` + n + `}}`
		list["observedGeneration of a condition "+n] = strings.Replace(string(conditionsPatch(unowned+"=False")), `"type"`, `"observedGeneration":`+n+`,"type"`, 1)
		list["observedGeneration of a release "+n] = statusOfRelease(`"lastTransitionTime":"` + early + `","observedGeneration":` + n)
	}
	return list
}

func statusOfRelease(fields string) string {
	return `{"status":{"internalReleaseImage":{"releases":[{"name":"ocp-release-bundle-4.18.0-x86_64","conditions":[
		{"type":"Available","status":"True","reason":"Test","message":"",` + fields + `}]}]}}}`
}

// Of the values that the CRD accepts, the policy denies exactly the values that a typed client cannot read.
func TestUnreadableValuesAreDenied(t *testing.T) {
	installGuards(t, standard)
	w := unguardedNodeOn(t, standard, "unreadable")
	w.resetObject(true)
	admin := mcfgClient(t, standard.Config()).MachineconfigurationV1().RESTClient()
	daemon := mcfgClient(t, newIdentity(t, standard, wideGuard).podToken(w.name)).MachineconfigurationV1().RESTClient()
	denied := map[string]int{}
	for name, status := range statuses() {
		patch := func(c rest.Interface) rest.Result {
			return c.Patch(types.MergePatchType).Resource("machineconfignodes").Name(w.name).SubResource("status").Param("dryRun", "All").Body([]byte(status)).Do(t.Context())
		}
		response, rejected := patch(admin).Raw()
		err := patch(daemon).Error()
		isReadable := json.Unmarshal(response, &mcfgv1.MachineConfigNode{}) == nil && !unusual.MatchString(name)
		switch {
		case rejected != nil:
			assert.Error(t, err, name)
		case isReadable:
			assert.NoError(t, err, name)
		default:
			message := map[bool]string{true: messageNumber, false: messageTime}[strings.Contains(name, "Generation")]
			deniedWith(t, err, message)
			denied[message]++
		}
	}
	t.Logf("denied: %v", denied)
	assert.Positive(t, denied[messageTime], "the policy must deny a time; if the CRD rejects all unreadable times, the policy is not needed")
}

// While an object has a value that a typed client cannot read, no typed client can list the objects, and the daemon cannot
// report. The commands in docs/security.md find the object. After it is deleted, the controllers of nodes and pools continue.
func TestAPoisonedObjectIsFoundAndDeleted(t *testing.T) {
	f := newFleet(t)
	c := f.run()
	w := f.node("hostile", "worker", "rendered-1")
	f.eventually("hostile", exists)
	c.stop()
	w.guard()
	m, _ := w.monitor("worker")
	m.ReportDegraded(t.Context(), errors.New("its own report"))
	require.False(t, isPending(m))
	require.NoError(t, w.writeStatus(w.admin, types.JSONPatchType,
		`[{"op":"add","path":"/status/conditions/-","value":{"type":"`+unowned+`","status":"False","reason":"Test","message":"","lastTransitionTime":"`+poison+`"}}]`))
	require.NoError(t, w.writeStatus(w.admin, types.MergePatchType, statusOfRelease(`"lastTransitionTime":"`+poison+`"`)))
	_, err := w.admin.List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot parse")
	found := []string{"hostile " + unowned + " " + poison + "\nhostile internalReleaseImage " + poison + "\n", "none\n"}
	number := w.writeStatus(w.admin, types.MergePatchType, `{"status":{"pinnedImageSets":[{"name":"set","desiredGeneration":`+poisonNumber+`}]}}`) == nil
	if number { // the API server is older than 1.36
		found[1] = "hostile set <no value> " + poisonNumber + " <no value>\n"
	}
	m.ReportDegraded(t.Context(), nil)
	require.True(t, isPending(m), "the report stays pending, because the daemon cannot read the response")

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

// writeStatus patches the status. It returns no error if only the client could not read the response.
func (w *testNode) writeStatus(c nodes, kind types.PatchType, patch string) error {
	_, err := c.Patch(w.t.Context(), w.name, kind, []byte(patch), metav1.PatchOptions{}, "status")
	if err != nil && strings.Contains(err.Error(), "cannot unmarshal") || err != nil && strings.Contains(err.Error(), "parsing time") {
		return nil
	}
	return err
}
