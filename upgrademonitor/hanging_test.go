package upgrademonitor_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// roundTripper is a transport that is a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A client may ignore its context: a reactor of a fake clientset gets none.
func TestClientThatIgnoresItsContext(t *testing.T) {
	node := annotated(oldConfig, newConfig)
	timeout := func(c *upgrademonitor.Config) { c.Timeout = 50 * time.Millisecond }
	for name, monitor := range map[string]func(release <-chan struct{}) *upgrademonitor.Monitor{
		"reactor": func(release <-chan struct{}) *upgrademonitor.Monitor {
			f := newFixture(t, timeout)
			f.clientset.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				<-release
				return false, nil, nil
			})
			return f.Monitor
		},
		"transport": func(release <-chan struct{}) *upgrademonitor.Monitor {
			server := &cannedServer{object: updatedObject(t)}
			return monitorOn(t, roundTripper(func(r *http.Request) (*http.Response, error) {
				<-release
				if err := r.Context().Err(); err != nil {
					return nil, err
				}
				return server.RoundTrip(r)
			}), &node, timeout)
		},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			m := monitor(release)
			for range 3 { // or the test's own limit says that it did not return
				err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "NodeDegraded", "cause", metav1.ConditionTrue)
				require.ErrorIs(t, err, upgrademonitor.ErrPending)
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
			close(release)
			require.NoError(t, m.Flush(t.Context()))
		})
	}
}

func TestRefusalCreatesNothing(t *testing.T) {
	f := newFixture(t)
	f.clientset.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		assert.Fail(t, "created")
		return false, nil, nil
	})
	err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "", metav1.ConditionUnknown)
	var refused *phases.TransitionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, metav1.ConditionUnknown, refused.To)
}
