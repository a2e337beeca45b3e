package upgrademonitor_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// A write whose response has the UID of another object is not trusted: the object is read again.
func TestResponseAboutAnotherObject(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.report(t, phases.Updated, metav1.ConditionFalse)
		f.requests()
		var broken atomic.Bool
		broken.Store(true)
		respond := f.Fault
		f.Fault = func(r *http.Request) (*http.Response, error) {
			response, err := respond(r)
			if broken.Load() && r.Method == http.MethodPatch {
				another := metav1.ObjectMeta{Name: nodeName, UID: "another", ResourceVersion: "7"}
				response = apiserver.Respond(r, metav1.PartialObjectMetadata{ObjectMeta: another}, nil)
			}
			return response, err
		}
		_ = f.tryReport(t, phases.Cordoned, metav1.ConditionUnknown)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, f.Flush(ctx), scope.ErrUnexpectedResponse)
		broken.Store(false)
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, []string{"get", "patch/status"}, last(2, f.requests()))
		assert.Equal(t, metav1.ConditionUnknown, f.status(phases.Cordoned))
	})
}

func last(n int, list []string) []string { return list[max(0, len(list)-n):] }

// A write of the status keeps the conditions and the other fields of other clients.
func TestConditionsOfOtherClients(t *testing.T) {
	f := newUpdated(t)
	release := metav1.Condition{Type: "InternalReleaseImageDegraded", Status: metav1.ConditionTrue,
		Reason: "R", LastTransitionTime: metav1.Unix(1767323045, 0)}
	f.write(t, apiserver.StatusSubresource, func(mcn *mcfgv1.MachineConfigNode) {
		mcn.Status.Conditions = append([]metav1.Condition{release}, mcn.Status.Conditions...)
		mcn.Status.IrreconcilableChanges = []mcfgv1.IrreconcilableChangeDiff{{FieldPath: "spec.kernelType", Diff: "d"}}
	})
	f.report(t, phases.Updated, metav1.ConditionFalse)
	status := f.object().Status
	assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
	assert.Len(t, status.Conditions, len(phases.All(false))+1)
	assert.Contains(t, status.Conditions, release)
	assert.Len(t, status.IrreconcilableChanges, 1)
}
