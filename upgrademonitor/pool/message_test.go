package pool_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
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
		{conditions{}, "updating"},
		{conditions{"UpdatePrepared": running}, "preparing since 12:37 UTC on 22 May"},
		{conditions{"UpdatePrepared": yes}, "updating"},
		{conditions{"UpdatePrepared": yes, "UpdateExecuted": running}, "executing the update since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": running, "Cordoned": running}, "cordoning since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": running, "Cordoned": yes, "Drained": running}, "draining since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": running, "AppliedFilesAndOS": running}, "applying files and OS since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": running, "AppliedFiles": running}, "applying files since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": running, "AppliedFiles": yes, "ImagePulledFromRegistry": running}, "pulling the image since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": running, "ImagePulledFromRegistry": yes, "AppliedOSImage": running}, "applying the OS image since 12:37 UTC on 22 May"},
		{conditions{"UpdateExecuted": yes, "UpdatePostActionComplete": running}, "running post-update actions since 12:37 UTC on 22 May"},
		{conditions{"Drained": running, "RebootedNode": running}, "rebooting since 12:37 UTC on 22 May"},
		{conditions{"RebootedNode": yes, "Resumed": running}, "resuming since 12:37 UTC on 22 May"},
		{conditions{"UpdateComplete": running}, "completing the update since 12:37 UTC on 22 May"},
		{conditions{"UpdateComplete": running, "Uncordoned": running}, "uncordoning since 12:37 UTC on 22 May"},
		{conditions{"NodeDegraded": running, "PinnedImageSetsProgressing": running, "Other": running}, "updating"},
	} {
		for range 3 { // in any order of the conditions
			m := newMCN("worker-3", updating)
			for p, status := range test.conditions {
				phase(p, status)(m)
			}
			status := pool.Status(newPool("worker"), nodes{newNode("worker-3")}, mcns{m}, pool.Options{}, now)
			assert.Equal(t, "worker-3 is "+test.want+"; see oc describe machineconfignode/worker-3",
				condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message, "%v", test.conditions)
		}
	}
	all := append(phases.All(false), phases.All(true)...)
	for _, p := range all {
		if phases.OfCycle(p) {
			m := newMCN("a", updating, phase(p, running))
			status := pool.Status(newPool("worker"), nodes{newNode("a")}, mcns{m}, pool.Options{}, now)
			assert.Contains(t, condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message, " since ", "%s has no text", p)
		}
	}
}

// TestTheSlowestComeFirst in the message.
func TestTheSlowestComeFirst(t *testing.T) {
	var ns nodes
	var ms mcns
	for i := range 7 {
		name := fmt.Sprintf("worker-%d", i)
		m := newMCN(name, updating, phase("Drained", metav1.ConditionUnknown))
		m.Status.Conditions[3].LastTransitionTime = metav1.NewTime(earlier.Add(time.Duration(-i/2) * time.Minute))
		ns, ms = append(ns, newNode(name)), append(ms, m)
	}
	status := pool.Status(newPool("worker"), ns, ms, pool.Options{}, now)
	assert.Equal(t, "worker-6 is draining since 12:34 UTC on 22 May, worker-4 is draining since 12:35 UTC on 22 May, "+
		"worker-5 is draining since 12:35 UTC on 22 May, worker-2 is draining since 12:36 UTC on 22 May, "+
		"worker-3 is draining since 12:36 UTC on 22 May, and 2 more; see oc describe machineconfignode/worker-6",
		condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message)
}

// TestFewNodesShareTheRoom: a message that fits is not truncated, however long; one that does not
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
		"many short ones":           {slices.Repeat([]int{20}, 200), nil, 150},
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
			listed := strings.Count(message, ": head ")
			assert.Equal(t, listed, strings.Count(message, ": disk full"), "each keeps its end")
			assert.GreaterOrEqual(t, listed, test.listed)
			if listed < len(ns) {
				assert.Contains(t, message, fmt.Sprintf("; and %d more; see ", len(ns)-listed))
			}
			for _, i := range test.whole {
				assert.Contains(t, message, fmt.Sprintf("worker-%03d: %s", i, text(test.lengths[i])))
			}
			if len(test.whole) < min(len(ns), 14) && len(ns) < 100 {
				assert.Greater(t, len(message), 7<<10, "the room is used")
			}
			summary := condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message
			assert.LessOrEqual(t, len(summary), 8<<10)
			assert.Equal(t, listed, strings.Count(summary, ": disk full"), "with the causes, as NodeDegraded")
		})
	}
}
