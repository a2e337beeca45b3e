package upgrademonitor_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// An invalid response causes a read, and is never the base of a write.
func TestInvalidResponses(t *testing.T) {
	for name, body := range map[string]string{
		"empty":          `{}`,
		"a Status":       `{"kind":"Status","apiVersion":"v1","status":"Success"}`,
		"another object": `{"kind":"MachineConfigNode","metadata":{"name":"worker-1","uid":"3f0d1c52","resourceVersion":"9"}}`,
		"another UID":    `{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"other","resourceVersion":"9"}}`,
		"no version":     `{"kind":"MachineConfigNode","metadata":{"name":"worker-0","uid":"3f0d1c52"}}`,
		"HTML":           `<html>login</html>`,
	} {
		t.Run(name, func(t *testing.T) {
			node := annotated(oldConfig, oldConfig)
			canned := &cannedServer{object: updatedObject(t)}
			server := &bodyServer{RoundTripper: canned}
			m := monitorOn(t, server, &node)
			require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))

			server.body = body
			require.ErrorIs(t, m.ReportDegraded(t.Context(), nil), upgrademonitor.ErrPending)
			server.body = ""
			require.NoError(t, m.Flush(t.Context()))
			assert.Equal(t, "17966", canned.sent.ResourceVersion, "a precondition in every write")
			for _, c := range canned.object.Status.Conditions {
				if c.Type == string(phases.NodeDegraded) {
					assert.Equal(t, metav1.ConditionFalse, c.Status)
				}
			}
		})
	}
}

// bodyServer answers writes with a fixed body.
type bodyServer struct {
	http.RoundTripper
	body string
}

func (s *bodyServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.body == "" || r.Method == http.MethodGet {
		return s.RoundTripper.RoundTrip(r)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: nopCloser{strings.NewReader(s.body)}, ContentLength: int64(len(s.body)), Request: r}, nil
}

type nopCloser struct{ *strings.Reader }

func (nopCloser) Close() error { return nil }

// A response with the whole object is the base of the next write even if it is not what was sent:
// the same report is no repeat.
func TestResponseThatIsNotWhatWasSent(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	canned := &cannedServer{object: updatedObject(t)}
	server := &bodyServer{RoundTripper: canned}
	m := monitorOn(t, server, &node)
	changed := updatedObject(t)
	changed.ResourceVersion = "17967"
	body, err := json.Marshal(changed)
	require.NoError(t, err)
	server.body = string(body)
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")), "a webhook has reset it")

	server.body = ""
	canned.sent, canned.object = nil, changed
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	require.NotNil(t, canned.sent)
	assert.Equal(t, "17967", canned.sent.ResourceVersion)
	canned.sent = nil
	require.NoError(t, m.ReportDegraded(t.Context(), errors.New("disk full")))
	assert.Nil(t, canned.sent, "a repeat")
}
