package components

import (
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxBootstrap is longer than the installer waits for a bootstrap. A cluster whose object is older has been
// bootstrapped.
const maxBootstrap = time.Hour

// isBootstrapping reports whether the first sync of the cluster is not done, according to the published conditions
// of the operator. If there are none, the cluster is new, or runs this feature for the first time, or another
// process has removed them by an update of the whole status: only the age of the object distinguishes these.
func isBootstrapping(mc *operatorv1.MachineConfiguration, published []metav1.Condition, now time.Time) bool {
	if c := find(published, TypeOf(Bootstrap, Progressing)); c != nil {
		return c.Status == metav1.ConditionTrue
	}
	isNew := mc.CreationTimestamp.IsZero() || now.Sub(mc.CreationTimestamp.Time) < maxBootstrap
	return len(published) == 0 && isNew
}

// bootstrap is True until the first sync of a new cluster is done, and then False. The next process removes the
// condition: with it, a healthy request would exceed 1 kB for the rest of the cluster's life.
func (r *Reporter) bootstrap() metav1.Condition {
	_, synced := r.tracker.succeeded[step{state: OperatorSync}]
	switch {
	case r.bootstrapping && !synced:
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: string(BootstrapProgression), Message: "The first sync is not done"}
	case r.bootstrapping:
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonComplete}
	default:
		return metav1.Condition{}
	}
}
