package conditions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestNextRejectsUnknownPhasesAndInvalidStatuses(t *testing.T) {
	for _, updated := range statuses {
		list := statusMap{phases.Updated: updated, phases.Drained: running}.list(false)

		var rejection *phases.TransitionError
		require.ErrorAs(t, rejected(t, list, false, report(phases.Updated, running)), &rejection)
		assert.Equal(t, phases.Updated, rejection.Phase)

		for _, p := range []phases.Phase{"", "drained", "InternalReleaseImageDegraded"} {
			var unknown *field.Error
			require.ErrorAs(t, rejected(t, list, false, report(p, done)), &unknown)
			assert.Equal(t, []any{"phase", string(p)}, []any{unknown.Field, unknown.BadValue})
		}
		for _, p := range phases.All(false) {
			for _, bad := range []metav1.ConditionStatus{"", "true", "Bogus"} {
				t.Run(fmt.Sprintf("%s=%q while Updated is %s", p, bad, updated), func(t *testing.T) {
					var invalid *field.Error
					require.ErrorAs(t, rejected(t, list, false, report(p, bad)), &invalid)
					assert.Equal(t, []any{"status", bad}, []any{invalid.Field, invalid.BadValue})
				})
			}
		}
	}
}

func TestNextRejectsAPhaseOfTheOtherMode(t *testing.T) {
	other := map[bool][]phases.Phase{
		true:  {phases.AppliedFilesAndOS},
		false: {phases.AppliedFiles, phases.AppliedOSImage, phases.ImagePulledFromRegistry},
	}
	for imageMode, ps := range other {
		for _, p := range ps {
			for _, updated := range statuses {
				for _, to := range statuses {
					t.Run(fmt.Sprintf("%s=%s while Updated is %s", p, to, updated), func(t *testing.T) {
						require.NotPanics(t, func() {
							_ = rejected(t, statusMap{phases.Updated: updated}.list(imageMode), imageMode, report(p, to))
						})
					})
				}
			}
		}
	}
}

func TestARepeatedReportAddsMissingConditionsAndRemovesThoseOfTheOtherMode(t *testing.T) {
	r := report(phases.Drained, running)
	full := next(t, midway(false, nil), false, r)[0]
	require.Nil(t, next(t, full, false, r))

	t.Run("a missing one", func(t *testing.T) {
		for _, p := range []phases.Phase{phases.RebootedNode, phases.NodeDegraded} {
			writes := next(t, without(full, p), false, r)
			require.Len(t, writes, 1)
			assert.Equal(t, neverRan(p, now), condition(t, writes[0], p))
			assert.Equal(t, without(full, p), without(writes[0], p))
		}
	})
	for _, imageMode := range []bool{true, false} {
		t.Run(fmt.Sprintf("to image mode %t", imageMode), func(t *testing.T) {
			other := next(t, midway(!imageMode, nil), !imageMode, r)[0]

			writes := next(t, other, imageMode, r)

			require.Len(t, writes, 1)
			assert.Equal(t, typesOf(imageMode), types(writes[0]))
			for _, c := range writes[0] {
				if slices.Contains(typesOf(!imageMode), c.Type) {
					assert.Equal(t, condition(t, other, phases.Phase(c.Type)), c, "a shared condition is unchanged")
				} else {
					assert.Equal(t, neverRan(phases.Phase(c.Type), now), c)
				}
			}
			assert.Nil(t, next(t, writes[0], imageMode, r))
		})
	}
	t.Run("unowned ones and the order do not count", func(t *testing.T) {
		list := slices.Clone(full)
		slices.Reverse(list)
		list = append(list, metav1.Condition{Type: "InternalReleaseImageDegraded", Status: no})
		assert.Nil(t, next(t, list, false, r))

		writes := next(t, list, false, report(phases.Drained, done))
		assert.Equal(t, standardTypes, types(writes[0]), "conditions of others are not owned")
	})
	t.Run("of two of one type the first counts", func(t *testing.T) {
		second := condition(t, full, phases.Drained)
		second.Status = no
		assert.Nil(t, next(t, append(slices.Clone(full), second), false, r))
	})
}

// A value that is read back must equal the one that was written.
func TestLastTransitionTimeIsInUTCAndWholeSeconds(t *testing.T) {
	zone := time.FixedZone("east", 2*60*60)
	r := report(phases.Drained, done)
	r.Time = metav1.NewTime(now.In(zone).Add(999999999))

	for _, w := range next(t, nil, false, r) {
		for _, c := range w {
			assert.Equal(t, now, c.LastTransitionTime, "%s: exactly, location included", c.Type)
		}
	}
}

func TestNextTruncatesMessages(t *testing.T) {
	r := report(phases.Drained, running)
	r.Message = strings.Repeat("d", limit+1)
	r.ParentMessage = "\xff" + strings.Repeat("é", limit)

	list := next(t, nil, false, r)[0]

	assert.Equal(t, conditions.Truncate(r.Message), condition(t, list, phases.Drained).Message)
	assert.Equal(t, conditions.Truncate(r.ParentMessage), condition(t, list, phases.UpdateExecuted).Message)
	assert.Nil(t, next(t, list, false, r), "a repeat of a truncated message is a repeat")

	ended := next(t, list, false, report(phases.Updated, done))[0]
	drained := condition(t, ended, phases.Drained).Message
	assert.Len(t, drained, limit, "prefix included")
	assert.True(t, strings.HasPrefix(drained, prefix+thisUpdate+": ddd"))
	assert.Equal(t, 1, strings.Count(drained, conditions.TruncationMark))
}

// Another client may have written one.
func TestNextDoesNotPanicOnAnInvalidStatusInTheList(t *testing.T) {
	for _, bad := range []metav1.ConditionStatus{"", "Bogus"} {
		for _, p := range phases.All(false) {
			list := statusMap{p: bad}.list(false)
			for _, q := range phases.All(false) {
				for _, to := range statuses {
					assert.NotPanics(t, func() {
						r := report(q, to, newTarget, completing)
						_, _ = conditions.Next(list, false, r.Report, r.Cycle)
					})
				}
			}
		}
	}
}

func TestWritesShareNoMemoryWithTheListOrEachOther(t *testing.T) {
	list := statusMap{}.list(false)
	writes := next(t, list, false, report(phases.Drained, done))
	require.Len(t, writes, 2)
	second := slices.Clone(writes[1])

	clear(writes[0])

	assert.Equal(t, second, writes[1])
	assert.Equal(t, statusMap{}.list(false), list)
}

func BenchmarkNextChanged(b *testing.B) {
	list := statusMap{phases.UpdateExecuted: running}.list(false)
	r := report(phases.Drained, running)
	b.ReportAllocs()
	for b.Loop() {
		if writes, err := conditions.Next(list, false, r.Report, r.Cycle); err != nil || len(writes) != 1 {
			b.Fatal(writes, err)
		}
	}
}

func BenchmarkNextNoop(b *testing.B) {
	r := report(phases.Drained, running)
	writes, err := conditions.Next(nil, false, r.Report, r.Cycle)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if again, err := conditions.Next(writes[0], false, r.Report, r.Cycle); err != nil || again != nil {
			b.Fatal(again, err)
		}
	}
}
