package conditions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

const modelStates = 700

// TestModel visits every state that reports can reach from the empty list, breadth first, and
// checks each call with the oracle. A state is the statuses of all phases.
func TestModel(t *testing.T) {
	for _, imageMode := range []bool{false, true} {
		t.Run(fmt.Sprintf("image=%t", imageMode), func(t *testing.T) {
			t.Parallel()
			reports := everyReport(imageMode)
			queue := [][]metav1.Condition{nil}
			seen := map[string]bool{stateOf(nil, imageMode): true}
			calls := 0
			for ; len(queue) > 0; queue = queue[1:] {
				list := queue[0]
				for _, r := range reports {
					r.Time = metav1.NewTime(earlier.Add(secondsOf(calls)))
					calls++
					writes, err := conditions.Next(list, imageMode, r.Report, r.Cycle)
					if err := (called{list, imageMode, r, writes, err}).check(); err != nil {
						require.NoErrorf(t, err, "%s, then %s=%s completes=%t new=%t",
							stateOf(list, imageMode), r.Phase, r.Status, r.CompletesParent, r.NewTarget)
					}
					if len(writes) == 0 {
						continue
					}
					after := writes[len(writes)-1]
					if key := stateOf(after, imageMode); !seen[key] && len(seen) < modelStates {
						seen[key] = true
						queue = append(queue, after)
					}
				}
			}
			require.Len(t, seen, modelStates)
			require.Equal(t, modelStates*len(reports), calls)
		})
	}
}

// everyReport returns a report for every phase, status and option.
func everyReport(imageMode bool) []request {
	var reports []request
	for _, typ := range typesOf(imageMode) {
		for _, s := range statuses {
			reports = append(reports, report(phases.Phase(typ), s))
			if _, ok := parents[typ]; ok && s == done {
				reports = append(reports, report(phases.Phase(typ), s, completing))
			}
			if typ == "UpdatePrepared" || typ == "Updated" {
				reports = append(reports, report(phases.Phase(typ), s, newTarget), report(phases.Phase(typ), s, ended))
			}
		}
	}
	return reports
}

// stateOf returns the first letters of all statuses.
func stateOf(list []metav1.Condition, imageMode bool) string {
	var b strings.Builder
	for _, typ := range typesOf(imageMode) {
		b.WriteByte(status(list, typ)[0])
	}
	return b.String()
}
