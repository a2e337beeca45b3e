package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// largestStatus returns a merge patch of a status: each list has the maximum length that the CRD allows.
func largestStatus(at, generation, message string) []byte {
	condition := func(name, message string) map[string]any {
		return map[string]any{"type": name, "status": "False", "reason": "Test", "message": message, "lastTransitionTime": at}
	}
	var list, releases, sets []any
	for _, p := range phases.All(true) {
		list = append(list, condition(string(p), message))
	}
	for i := len(list); i < 20; i++ {
		list = append(list, condition(fmt.Sprint("Other", i), message))
	}
	for i := range 32 {
		var own []any
		for j := range 5 {
			own = append(own, condition(fmt.Sprint("Available", j), ""))
		}
		releases = append(releases, map[string]any{"name": fmt.Sprintf("ocp-release-bundle-4.%d.0-x86_64", i), "conditions": own})
	}
	for i := range 100 {
		sets = append(sets, map[string]any{"name": fmt.Sprintf("set-%d", i), "desiredGeneration": json.Number(generation),
			"currentGeneration": json.Number(generation), "lastFailedGeneration": json.Number(generation), "lastFailedGenerationError": message[:min(len(message), 4096)]})
	}
	data, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": list, "pinnedImageSets": sets,
		"internalReleaseImage": map[string]any{"releases": releases}}})
	if err != nil {
		return nil
	}
	return data
}

// The API server limits the cost of the policies' expressions. A write of the largest object that the CRD allows stays below
// this limit, even if all times and numbers of the object were unreadable before.
func TestAWriteOfTheLargestObjectStaysBelowTheCostLimit(t *testing.T) {
	f := newFleet(t)
	w := f.node("largest", "worker", oldConfig)
	w.resetObject(true)
	w.guard()
	daemon := nodesOf(t, w.config)
	message := strings.Repeat("é", 32768/2)
	require.NoError(t, w.writeStatus(daemon, types.MergePatchType, string(largestStatus(early, "1", message))))
	require.NoError(t, w.writeStatus(daemon, types.MergePatchType, string(largestStatus(early, "2", message[:1000]))))

	generation := poisonNumber
	if w.writeStatus(w.admin, types.MergePatchType, string(largestStatus(poison, generation, ""))) != nil { // Kubernetes 1.36 and later reject the number
		generation = "2"
		require.NoError(t, w.writeStatus(w.admin, types.MergePatchType, string(largestStatus(poison, generation, ""))))
	}
	assert.NoError(t, w.writeStatus(daemon, types.MergePatchType, string(largestStatus(poison, generation, "changed"))))
	err := w.writeStatus(daemon, types.MergePatchType, strings.Replace(string(largestStatus(poison, generation, "changed")), "05z", "06z", 1))
	deniedWith(t, err, messageTime)
}
