package transitions_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

func secondsOf(n int) time.Duration { return time.Duration(n) * time.Second }

// everyType has the types of conditions of both modes, and a type that is not a phase.
var everyType = append([]phases.Phase{"InternalReleaseImageDegraded"}, phasetable.Both()...)

// east is the zone of the clock in FuzzNext. Next writes times in UTC.
var east = time.FixedZone("east", 2*60*60)

// For a random list and a sequence of random reports, the writes of Next follow the rules of the oracle.
func FuzzNext(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(1000) { // go test without -fuzz runs these
		tape := make([]byte, 100)
		_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := mcntest.Tape(data)
		inImageMode := in.Pick(2) == 1
		list := fuzzList(&in)
		for n := 0; n < 12 && len(in) > 0; n++ {
			if in.Pick(16) == 15 {
				inImageMode = !inImageMode
			}
			r := fuzzReport(&in)
			r.Time = metav1.NewTime(earlier.In(east).Add(secondsOf(n-in.Pick(6)) + time.Millisecond)) // reports may be delayed
			kept := slices.Clone(list)
			writes, err := conditionstest.Writes(list, inImageMode, r.Report, r.Update)
			if !slices.Equal(kept, list) {
				t.Fatal("Next must not change its argument")
			}
			if err := (called{list, inImageMode, r, writes, err}).check(); err != nil {
				t.Fatalf("%v\n%s", err, describe(list, inImageMode, r))
			}
			if last := len(writes) - 1; last >= 0 {
				list = slices.Clone(writes[last])
				writes[0][0] = metav1.Condition{}
				if last > 0 && !slices.Equal(list, writes[last]) {
					t.Fatal("two writes must not share memory")
				}
			}
			if again, _ := conditionstest.Writes(list, inImageMode, r.Report, r.Update); err == nil && again != nil && !startsAgain(r) {
				t.Fatalf("the rule \"a repeat writes nothing\" is broken\n%s", describe(list, inImageMode, r))
			}
		}
	})
}

// startsAgain reports whether each repeat of the report starts another update, because r.NewTarget stays set.
func startsAgain(r request) bool {
	return (r.Phase == phases.Updated || r.Phase == phases.UpdatePrepared) && r.NewTarget
}

func fuzzList(in *mcntest.Tape) []metav1.Condition {
	var list []metav1.Condition
	for n := in.Pick(20); n > 0; n-- {
		typ := everyType[in.Pick(len(everyType))]
		c := neverReported(typ, metav1.NewTime(earlier.Add(-secondsOf(n)-time.Microsecond)))
		c.Status = statuses[in.Pick(3)]
		// Another client may write a condition that is not False with the reason of a phase that was never reported.
		if text := in.Pick(4); text < 3 && (text > 0 || c.Status != no) {
			c.Reason, c.Message = "Ran", []string{"", "ran " + string(typ), prefix + lastUpdate + ": ran"}[text]
		}
		list = append(list, c)
	}
	return list
}

func fuzzReport(in *mcntest.Tape) request {
	r := request{Report: transitions.Report{Reason: "Reported"}, Update: transitions.Update{Name: thisUpdate}}
	r.Phase = everyType[in.Pick(len(everyType))]
	r.Status = statuses[in.Pick(3)]
	options := in.Pick(256)
	if options&128 != 0 {
		r.Reason = "Retried"
	}
	r.NotRequired = options&64 != 0
	if options&32 != 0 {
		r.Reason = "Failed"
	}
	r.CompletesParent = options&1 != 0
	r.NewTarget = options&2 != 0
	r.Ended = options&4 != 0
	tooLongWithPrefix := "\xff" + strings.Repeat("a", 4085)
	r.Message = []string{"one", "another", tooLongWithPrefix, ""}[options>>3&3]
	return r
}
