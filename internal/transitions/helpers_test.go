package transitions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	lastUpdate = "rendered-worker-aaa"
	thisUpdate = "rendered-worker-bbb"
)

var (
	earlier = metav1.NewTime(time.Date(2026, 5, 22, 12, 37, 24, 0, time.UTC))
	now     = metav1.NewTime(earlier.Add(time.Minute))
)

// statusMap has the statuses of the phases that were reported.
type statusMap map[phases.Phase]metav1.ConditionStatus

func (m statusMap) list(inImageMode bool) []metav1.Condition {
	list := transitions.Complete(nil, inImageMode, earlier)
	for i := range list {
		p := phases.Phase(list[i].Type)
		if s, ok := m[p]; ok {
			list[i].Status, list[i].Reason, list[i].Message = s, "Ran", "ran "+string(p)
		}
	}
	return list
}

// midway returns the conditions of a node that is being drained in an update. Resumed and Uncordoned were reported in an
// earlier update. The statuses in changes replace those of the list.
func midway(inImageMode bool, changes statusMap) []metav1.Condition {
	m := statusMap{
		phases.UpdatePrepared: done, phases.UpdateExecuted: running, phases.Cordoned: done, phases.Drained: running,
		phases.Resumed: no, phases.Uncordoned: no, phases.Updated: no,
		phases.NodeDegraded: done, phases.PinnedImageSetsProgressing: running, phases.PinnedImageSetsDegraded: no,
	}
	for p, s := range changes {
		m[p] = s
	}
	list := m.list(inImageMode)
	conditions.Find(list, phases.Uncordoned).Message = prefix + lastUpdate + ": ran Uncordoned"
	return list
}

// request has the arguments of Next.
type request struct {
	transitions.Report
	transitions.Update
}

// report returns a report of a phase, with its own reason and message.
func report(p phases.Phase, s metav1.ConditionStatus, change ...func(*request)) request {
	r := request{
		Report: transitions.Report{Phase: p, Status: s, Reason: "Reported" + string(p), Message: "about " + string(p), Time: now},
		Update: transitions.Update{Name: thisUpdate},
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// next returns the writes of a report. It checks them with the oracle, and that Next does not change its argument.
func next(t *testing.T, list []metav1.Condition, inImageMode bool, r request) [][]metav1.Condition {
	t.Helper()
	kept := slices.Clone(list)
	writes, err := conditionstest.Writes(list, inImageMode, r.Report, r.Update)
	require.NoError(t, err)
	require.Equal(t, kept, list, "Next must not change its argument")
	require.NoError(t, called{kept, inImageMode, r, writes, err}.check())
	return writes
}

// neverReported returns the condition of a phase that was never reported.
func neverReported(p phases.Phase, since metav1.Time) metav1.Condition {
	return metav1.Condition{
		Type:               string(p),
		Status:             "False",
		LastTransitionTime: since,
		Reason:             "NotYetOccurred",
		Message:            "This node has not yet entered the " + string(p) + " phase",
	}
}

// condition returns a condition of a list.
func condition(t *testing.T, list []metav1.Condition, p phases.Phase) metav1.Condition {
	t.Helper()
	for _, c := range list {
		if c.Type == string(p) {
			return c
		}
	}
	require.Failf(t, "missing", "no condition %s", p)
	return metav1.Condition{}
}

// without returns a list without the given types.
func without(list []metav1.Condition, ps ...phases.Phase) []metav1.Condition {
	return slices.DeleteFunc(slices.Clone(list), func(c metav1.Condition) bool {
		return slices.Contains(ps, phases.Phase(c.Type))
	})
}

func types(list []metav1.Condition) []string {
	var ts []string
	for _, c := range list {
		ts = append(ts, c.Type)
	}
	return ts
}

// describe prints the arguments of Next. It omits conditions of phases that were never reported.
func describe(list []metav1.Condition, inImageMode bool, r request) string {
	text := fmt.Sprintf("image mode %t, list:\n", inImageMode)
	for _, c := range list {
		if c.Status != no || !strings.HasPrefix(c.Reason, "NotYetOccur") {
			text += fmt.Sprintf("  %s=%s %s %.50q %s\n", c.Type, c.Status, c.Reason, c.Message, c.LastTransitionTime.UTC().Format(time.TimeOnly))
		}
	}
	r.Message = fmt.Sprintf("%.50q", r.Message)
	return text + fmt.Sprintf("report:\n  %+v\n  %+v", r.Report, r.Update)
}
