package components

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

// maxKey is the maximum length of the name of an object.
const maxKey = 253

// step is a state and its key: the name of a pool, for example.
type step struct {
	state State
	key   string
}

func newStep(s State, key string) step { return step{s, conditions.TruncateTo(key, maxKey)} }

func (s step) compare(other step) int {
	return cmp.Or(cmp.Compare(s.state, other.state), strings.Compare(s.key, other.key))
}

// prefix begins the message of an error of the step.
func (s step) prefix() string {
	if s.key == "" {
		return ""
	}
	return s.key + ": "
}

// pass is a run of a step.
type pass struct {
	step  step
	began time.Time
}

// maxRunning bounds the memory of a process that never ends its passes.
const maxRunning = 1024

// running are the passes that have not ended. Time is an argument.
type running struct {
	after  time.Duration
	passes map[step]*pass // at most maxRunning
	at     State          // the step that began last
}

// begin adds a pass. A running one of the same step ends without a result.
func (r *running) begin(p *pass) {
	if _, ok := ParentOf(p.step.state); ok {
		r.at = p.step.state
	}
	if r.passes[p.step] != nil || len(r.passes) < maxRunning {
		r.passes[p.step] = p
	}
}

// end removes a pass, unless a later one has replaced it.
func (r *running) end(p *pass) {
	if r.passes[p.step] == p {
		delete(r.passes, p.step)
	}
}

// progressing returns the Progressing condition of the process: True while a pass takes long. A step is
// shown rather than its sync, and of several the one that began first.
func (r *running) progressing(now time.Time) metav1.Condition {
	var slow *pass
	for _, p := range r.passes {
		if now.Sub(p.began) >= r.after && (slow == nil || p.precedes(slow)) {
			slow = p
		}
	}
	if slow == nil {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	}
	message := fmt.Sprintf("%s%s has been running since %s", slow.step.prefix(), slow.step.state, slow.began.UTC().Format(time.RFC3339))
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: string(slow.step.state), Message: oneLine(message, maxMessage)}
}

func (p *pass) precedes(other *pass) bool {
	if isSync(p.step.state) != isSync(other.step.state) {
		return isSync(other.step.state)
	}
	return cmp.Or(p.began.Compare(other.began), p.step.compare(other.step)) < 0
}
