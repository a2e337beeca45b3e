package pool_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestStepOfANode: what the pool reports of a node in each phase of an update.
func TestStepOfANode(t *testing.T) {
	const yes, running = metav1.ConditionTrue, metav1.ConditionUnknown
	type conditions map[phases.Phase]metav1.ConditionStatus
	for _, test := range []struct {
		conditions conditions
		want       string
	}{
		{conditions{"UpdatePrepared": running}, "preparing"},
		{conditions{"UpdatePrepared": yes, "UpdateExecuted": running}, "cordoning"},
		{conditions{"UpdateExecuted": running, "Cordoned": running}, "cordoning"},
		{conditions{"UpdateExecuted": running, "Cordoned": yes, "Drained": running}, "draining"},
		{conditions{"UpdateExecuted": running, "AppliedFilesAndOS": running}, "applying files and OS"},
		{conditions{"UpdateExecuted": running, "AppliedFiles": running}, "applying files"},
		{conditions{"UpdateExecuted": running, "AppliedFiles": yes, "ImagePulledFromRegistry": running}, "pulling the image"},
		{conditions{"UpdateExecuted": running, "ImagePulledFromRegistry": yes, "AppliedOSImage": running}, "applying the OS image"},
		{conditions{"UpdateExecuted": yes, "UpdatePostActionComplete": running}, "running post-update actions"},
		{conditions{"Drained": running, "RebootedNode": running}, "rebooting"},
		{conditions{"RebootedNode": yes, "Resumed": running}, "resuming"},
		{conditions{"RebootedNode": yes, "UpdateComplete": running, "Uncordoned": running}, "uncordoning"},
		{conditions{"RebootedNode": yes, "Resumed": yes, "UpdateComplete": yes, "Uncordoned": yes}, "completing the update"},
		{conditions{"UpdatePrepared": running, "NodeDegraded": running, "PinnedImageSetsProgressing": running, "Other": running}, "preparing"},
	} {
		for range 3 { // in any order of the conditions
			m := newMCN("worker-3", began)
			for p, status := range test.conditions {
				phase(p, status)(m)
			}
			status := pool.Status(newPool("worker"), nodes{newNode("worker-3")}, mcns{m}, pool.Options{}, now)
			assert.Equal(t, "All nodes are updating to MachineConfig rendered-worker-bbb. 0 of 1 nodes have it, 1 is being updated. "+
				"worker-3 is "+test.want+" since 12:37 UTC on 22 May. See oc describe machineconfignode/worker-3",
				condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message, "%v", test.conditions)
		}
	}
}

// TestTheSlowestComeFirst in the message.
func TestTheSlowestComeFirst(t *testing.T) {
	var ns nodes
	var ms mcns
	for i := range 7 {
		name := fmt.Sprintf("worker-%d", i)
		m := newMCN(name, began, phase("UpdatePrepared", metav1.ConditionTrue), phase("Drained", metav1.ConditionUnknown))
		began := metav1.NewTime(earlier.Add(time.Duration(-i/2) * time.Minute))
		m.Status.Conditions[2].LastTransitionTime, m.Status.Conditions[3].LastTransitionTime = began, began
		ns, ms = append(ns, newNode(name)), append(ms, m)
	}
	status := pool.Status(newPool("worker"), ns, ms, pool.Options{}, now)
	assert.Equal(t, "All nodes are updating to MachineConfig rendered-worker-bbb. 0 of 7 nodes have it, 7 are being updated. "+
		"worker-6 is draining since 12:34 UTC on 22 May, worker-4 is draining since 12:35 UTC on 22 May, "+
		"worker-5 is draining since 12:35 UTC on 22 May, worker-2 is draining since 12:36 UTC on 22 May, "+
		"worker-3 is draining since 12:36 UTC on 22 May, and 2 more. See oc describe machineconfignode/worker-6",
		condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message)
}

// keeps its start and its end, where the cause is.
func TestFewNodesShareTheRoom(t *testing.T) {
	text := func(n int) string { return "head " + strings.Repeat("x", n-len("head : disk full")) + ": disk full" }
	for name, test := range map[string]struct {
		lengths []int
		whole   []int // nodes whose message is not truncated
		listed  int
	}{
		"one that fits":             {[]int{7000}, []int{0}, 1},
		"one that does not":         {[]int{32768}, nil, 1},
		"two that fit":              {[]int{3000, 4500}, []int{0, 1}, 2},
		"a short and a long one":    {[]int{32768, 1000}, []int{1}, 2},
		"short ones and a long one": {[]int{100, 32768, 200, 300}, []int{0, 2, 3}, 4},
		"three long ones":           {[]int{32768, 32768, 32768}, nil, 3},
		"as many as fit":            {[]int{600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600}, nil, 14},
		"more":                      {slices.Repeat([]int{32768}, 20), nil, 14},
		"many short ones":           {slices.Repeat([]int{20}, 200), nil, 14},
	} {
		t.Run(name, func(t *testing.T) {
			var ns nodes
			var ms mcns
			for i, n := range test.lengths {
				name := fmt.Sprintf("worker-%03d", i)
				ns, ms = append(ns, newNode(name)), append(ms, newMCN(name, withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, text(n))))
			}
			status := pool.Status(newPool("worker"), ns, ms, pool.Options{}, now)
			message := condition(t, status, mcfgv1.MachineConfigPoolNodeDegraded).Message
			assert.LessOrEqual(t, len(message), 8<<10)
			listed := strings.Count(message, `: "head `)
			assert.Equal(t, listed, strings.Count(message, `: disk full"`), "each keeps its end")
			assert.GreaterOrEqual(t, listed, test.listed)
			if listed < len(ns) {
				assert.Contains(t, message, fmt.Sprintf(", and %d more", len(ns)-listed))
			}
			for _, i := range test.whole {
				assert.Contains(t, message, fmt.Sprintf("Node worker-%03d is reporting: %q", i, text(test.lengths[i])))
			}
			if len(test.whole) < min(len(ns), 14) && len(ns) < 100 {
				assert.Greater(t, len(message), 7<<10, "the room is used")
			}
			summary := condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message
			assert.LessOrEqual(t, len(summary), 8<<10)
			assert.Equal(t, message, summary)
		})
	}
}

// TestCausesShareTheRoom: Degraded has the causes whole if they fit together. If not, short ones
// leave their room to long ones.
func TestCausesShareTheRoom(t *testing.T) {
	order := []mcfgv1.MachineConfigPoolConditionType{
		mcfgv1.MachineConfigPoolNodeDegraded, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded,
		mcfgv1.MachineConfigPoolRenderDegraded, mcfgv1.MachineConfigPoolImageBuildDegraded, mcfgv1.MachineConfigPoolSynchronizerDegraded,
	}
	text := func(n int) string { return strings.Repeat("é", n/2) }
	invalid := func(n int) string { return strings.Repeat("a\xff", n/2) }
	for name, test := range map[string]struct {
		messages [5]string // of a node, of its images, and of the other causes, in order; "": no cause
		whole    int       // how many of the causes are not shortened
	}{
		"a long one of a node, short ones": {[5]string{text(5000), "", "no base config", "no registry", "no space"}, 4},
		"a long one of others":             {[5]string{"disk full", "no such image", text(7000), "", "no space"}, 4},
		"one that fits alone":              {[5]string{2: text(8192)}, 1},
		"two that fit":                     {[5]string{0: text(3000), 2: text(5000)}, 2},
		"two that do not":                  {[5]string{0: text(5000), 2: text(5000)}, 0},
		"a short one, two that do not":     {[5]string{text(1000), text(30000), text(30000)}, 1},
		"one too long, short ones":         {[5]string{2: text(30000), 0: "disk full", 3: "no registry", 4: "no space"}, 3},
		"four long ones":                   {[5]string{text(8000), "", text(8000), text(8000), text(8000)}, 0},
		"five long ones":                   {[5]string{text(30000), text(30000), text(30000), text(30000), text(30000)}, 0},
		"invalid UTF-8":                    {[5]string{0: invalid(7000), 2: invalid(2000), 3: invalid(7000)}, 0},
		"invalid UTF-8 of one node":        {[5]string{invalid(7000)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool("worker")
			for i, conditionType := range order[2:] {
				other := mcfgv1.MachineConfigPoolCondition{Type: conditionType, Status: corev1.ConditionFalse}
				if message := test.messages[2+i]; message != "" {
					other.Status, other.Message = corev1.ConditionTrue, message
				}
				p.Status.Conditions = append(p.Status.Conditions, other)
			}
			m := newMCN("worker-0")
			for i, conditionType := range []mcfgv1.StateProgress{mcfgv1.MachineConfigNodeNodeDegraded, mcfgv1.MachineConfigNodePinnedImageSetsDegraded} {
				if message := test.messages[i]; message != "" {
					withCondition(conditionType, metav1.ConditionTrue, message)(m)
				}
			}
			status := pool.Status(p, nodes{newNode("worker-0")}, mcns{m}, pool.Options{DegradeOnPinnedImageSets: true}, now)
			summary := condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message
			assert.LessOrEqual(t, len(summary), 8<<10)
			assert.True(t, utf8.ValidString(summary))

			var causes []string
			for _, conditionType := range order {
				if c := condition(t, status, conditionType); c.Status == corev1.ConditionTrue {
					causes = append(causes, strings.ToValidUTF8(c.Message, "\uFFFD"))
				}
			}
			parts := strings.Split(summary, ". ")
			require.Len(t, parts, len(causes))
			var whole int
			var shortened []int // how long they are
			for i, part := range parts {
				if strings.HasSuffix(part, causes[i]) {
					whole++
				} else {
					shortened = append(shortened, len(part))
				}
			}
			assert.Equal(t, test.whole, whole)
			if len(shortened) > 0 {
				assert.Greater(t, len(summary), 8<<10-250, "the room is used")
				assert.InDelta(t, slices.Min(shortened), slices.Max(shortened), 50, "and shared")
			}
		})
	}
}

// broken returns n degraded nodes with messages as long as the CRD allows.
func broken(n int) (nodes, mcns) {
	cause := strings.Repeat("é", 32768)
	ns, ms := make(nodes, n), make(mcns, n)
	for i := range ns {
		name := fmt.Sprintf("worker-%04d", i)
		ns[i] = newNode(name)
		ms[i] = newMCN(name, updating,
			withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, cause),
			withCondition(mcfgv1.MachineConfigNodePinnedImageSetsDegraded, metav1.ConditionTrue, cause))
	}
	return ns, ms
}

// TestFiveThousandBrokenNodes: the status stays far below etcd's limit of 1.5 MB.
func TestFiveThousandBrokenNodes(t *testing.T) {
	ns, ms := broken(5000)
	status := pool.Status(newPool("worker"), ns, ms, pool.Options{DegradeOnPinnedImageSets: true}, now)
	text, err := json.Marshal(status)
	require.NoError(t, err)
	assert.Less(t, len(text), 25<<10)
	assert.Equal(t, counts{5000, 0, 0, 5000, 5000}, countsOf(status))

	for _, conditionType := range []mcfgv1.MachineConfigPoolConditionType{"NodeDegraded", "PinnedImageSetsDegraded"} {
		message := condition(t, status, conditionType).Message
		assert.True(t, utf8.ValidString(message))
		assert.Regexp(t, `^Node worker-0000 is reporting: "é+… \[truncated\]é+", Node worker-0001 is reporting: "é+… \[truncated\]é+", .*, and \d+ more$`, message)
		assert.Equal(t, 5000, strings.Count(message, `: "é`)+more(t, message))
	}
	summary := condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message
	assert.LessOrEqual(t, len(summary), 8<<10)
	assert.Regexp(t, `^NodeDegraded: Node worker-0000 .*, and \d+ more\. PinnedImageSetsDegraded: Node worker-0000 .*, and \d+ more$`, summary)
}

// more returns how many nodes a message omits.
func more(t *testing.T, message string) (n int) {
	t.Helper()
	_, err := fmt.Sscanf(message[strings.LastIndex(message, ", and "):], ", and %d more", &n)
	require.NoError(t, err)
	return n
}
