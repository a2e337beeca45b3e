package upgrademonitor

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

func queued(left bool, reports ...string) []*entry {
	var queue []*entry
	for i, text := range reports {
		e := &entry{done: make(chan struct{}), left: left}
		var phase, status string
		_, _ = fmt.Sscan(text, &phase, &status)
		if phase == "spec" {
			e.intent = &spec{}
		} else {
			e.intent = &report{Report: conditions.Report{
				Phase:   phases.Phase(phase),
				Status:  metav1.ConditionStatus(status),
				Message: fmt.Sprint(i),
			}}
		}
		queue = append(queue, e)
	}
	return queue
}

func repeated(n int, reports ...string) []string {
	var all []string
	for range n {
		all = append(all, reports...)
	}
	return all
}

func texts(queue []*entry) []string {
	var all []string
	for _, e := range queue {
		if r, ok := e.intent.(*report); ok {
			all = append(all, fmt.Sprintf("%s %s", r.Phase, r.Status))
		} else {
			all = append(all, "spec")
		}
	}
	return all
}

func without(all []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == text })
}

func TestShortQueueIsLeftAsItIs(t *testing.T) {
	queue := queued(true, repeated(thinFrom-1, "Drained Unknown")...)
	assert.Len(t, thinned(queue), thinFrom-1)
}

func TestLongQueueKeepsWhatAWatcherMustSee(t *testing.T) {
	retries := repeated(thinFrom, "Drained Unknown")
	for name, tc := range map[string]struct{ queue, want []string }{
		"retries of one phase": {
			append([]string{"Updated False"}, retries...),
			[]string{"Updated False", "Drained Unknown"},
		},
		"done, then retried": {
			append([]string{"Updated False", "Drained True"}, retries...),
			[]string{"Updated False", "Drained True", "Drained Unknown"},
		},
		"the last of many times done": {
			append([]string{"Updated False"}, repeated(thinFrom, "Drained Unknown", "Drained True")...),
			[]string{"Updated False", "Drained Unknown", "Drained True", "Drained Unknown", "Drained True"},
		},
		"another of the family in between": {
			append([]string{"Updated False"}, repeated(thinFrom/2, "Drained Unknown", "Cordoned Unknown", "Resumed Unknown", "UpdateExecuted True")...),
			nil,
		},
		"the begin in a retry loop": {
			append([]string{"Updated False"}, repeated(thinFrom, "Updated False", "NodeDegraded True")...),
			[]string{"Updated False", "Updated False", "NodeDegraded True"},
		},
		"each update by itself": {
			append([]string{"Updated False", "Drained True", "Updated True", "Updated False"}, retries...),
			[]string{"Updated False", "Drained True", "Updated True", "Updated False", "Drained Unknown"},
		},
		"singletons and the spec across updates": {
			append([]string{"Updated False", "NodeDegraded True", "spec", "Updated True", "NodeDegraded False", "spec"}, retries...),
			[]string{"Updated False", "Updated True", "NodeDegraded False", "spec", "Drained Unknown"},
		},
		"the head may be on its way": {
			retries,
			[]string{"Drained Unknown", "Drained Unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			queue := queued(true, tc.queue...)
			got := thinned(queue)
			if tc.want != nil {
				assert.Equal(t, tc.want, texts(got))
			} else {
				assert.Less(t, len(got), len(queue), "the Resumed alone")
				assert.Equal(t, without(tc.queue, "Resumed Unknown"), without(texts(got), "Resumed Unknown"))
			}
			assert.Same(t, queue[len(queue)-1], got[len(got)-1], "the last says what is now")
		})
	}
}

func TestLongQueueKeepsWhatCallersWaitFor(t *testing.T) {
	queue := queued(false, repeated(thinFrom, "Drained Unknown")...)
	assert.Len(t, thinned(queue), thinFrom)
}
