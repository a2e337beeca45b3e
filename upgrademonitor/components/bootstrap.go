package components

import (
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
