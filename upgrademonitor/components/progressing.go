package components

import (
	"cmp"
	"fmt"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxRunning bounds the memory of a process that never ends its passes.
const maxRunning = 1024

// running are the passes that have not ended. Time is an argument.
type running struct {
	after  time.Duration
	passes map[step]*Pass // at most maxRunning
	at     State          // the step that began last
}

// begin adds a pass. A running one of the same step ends without a result.
func (r *running) begin(p *Pass) {
	if _, ok := ParentOf(p.step.state); ok {
		r.at = p.step.state
	}
	if r.passes[p.step] != nil || len(r.passes) < maxRunning {
		r.passes[p.step] = p
	}
}

// end removes a pass, unless a later one has replaced it.
func (r *running) end(p *Pass) {
	if r.passes[p.step] == p {
		delete(r.passes, p.step)
	}
}

// progressing returns the Progressing condition of the process: True while a pass takes long. A step is
// shown rather than its sync, and of several the one that began first.
func (r *running) progressing(now time.Time) metav1.Condition {
	var slow *Pass
	for _, p := range r.passes {
		notAfter(&p.began, now)
		if now.Sub(p.began) >= r.after && (slow == nil || p.compare(slow) < 0) {
			slow = p
		}
	}
	if slow == nil {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	}
	message := fmt.Sprintf("%s%s has been running since %s", slow.step.prefix(), slow.step.state, slow.began.UTC().Format(time.RFC3339))
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: string(slow.step.state), Message: oneLine(message, maxMessage)}
}

// compare orders passes by their precedence in a condition.
func (p *Pass) compare(other *Pass) int {
	return cmp.Or(p.rank()-other.rank(), p.began.Compare(other.began), p.step.compare(other.step))
}

func (p *Pass) rank() int {
	if isSync(p.step.state) {
		return 1
	}
	return 0
}

// maxBootstrap is longer than the installer waits for a bootstrap.
const maxBootstrap = time.Hour

// bootstrap returns the Progressing condition of the bootstrap, given the one before and the operator's
// Degraded: True until the first sync of a new cluster is done, and then what happened in it, for good.
// There is none on an older cluster: the object is old, or has conditions of the operator already.
func (r *Reporter) bootstrap(mc *operatorv1.MachineConfiguration, was, degraded *metav1.Condition, now time.Time) metav1.Condition {
	age := max(now.Sub(mc.CreationTimestamp.Time), 0)
	switch {
	case was != nil && was.Status == metav1.ConditionFalse:
		return *was
	case was == nil && (len(r.desired) > 0 || age >= maxBootstrap && !mc.CreationTimestamp.IsZero()):
		return metav1.Condition{}
	case !r.faults.synced:
		message := "The first sync is not done"
		switch at := r.running.at; {
		case at != "":
			message = "The first sync is at " + string(at)
		case was != nil:
			message = was.Message
		}
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: string(BootstrapProgression), Message: message}
	}
	message := "Bootstrap completed at " + now.UTC().Format(time.RFC3339)
	if !mc.CreationTimestamp.IsZero() {
		message += ", after " + age.Round(time.Second).String()
	}
	if fault, ok := faultOf(Operator, degraded); ok {
		message += "; last error: " + string(fault.State) + ": " + fault.Message
	}
	return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonComplete, Message: oneLine(message, maxMessage)}
}
