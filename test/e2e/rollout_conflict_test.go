package e2e

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// before writes the object of a node, as another process, just before the controller's next
// request reaches the server.
func (f *fleet) before(method, name string, write func()) *atomic.Bool {
	var done atomic.Bool
	f.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == method && strings.HasSuffix(request.URL.Path, "/machineconfignodes/"+name) && !done.Load() {
			var body []byte
			if request.Body != nil {
				body, _ = io.ReadAll(request.Body)
				request.Body = io.NopCloser(bytes.NewReader(body))
			}
			write()
			done.Store(true)
		}
		return next.RoundTrip(request)
	})
	return &done
}

// TestRolloutLosesNoWriteOfOthers: another process writes just before an apply and a delete of the
// controller. Each conflicts, and is computed again.
func TestRolloutLosesNoWriteOfOthers(t *testing.T) {
	f := newFleet(t)
	f.run()
	f.node("raced", "worker", "rendered-1")
	before := f.eventually("raced", hasSpec("worker", "rendered-1"))
	mcns := f.mcfg.MachineconfigurationV1().MachineConfigNodes()
	annotate := func(key string) {
		_, err := mcns.Patch(t.Context(), "raced", types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+key+`":"x"}}}`), metav1.PatchOptions{})
		assert.NoError(t, err)
	}
	done := f.before(http.MethodPatch, "raced", func() { annotate("example.com/apply") })
	f.patch("raced", "annotations.desiredConfig=rendered-2")
	mcn := f.eventually("raced", hasSpec("worker", "rendered-2"))
	require.True(t, done.Load())
	assert.Equal(t, "x", mcn.Annotations["example.com/apply"])
	conflicts := f.requests.answered(http.StatusConflict)
	assert.Positive(t, conflicts, "the apply carries the resource version")

	done = f.before(http.MethodDelete, "raced", func() { annotate("example.com/delete") })
	require.NoError(t, f.core.CoreV1().Nodes().Delete(t.Context(), "raced", metav1.DeleteOptions{}))
	f.node("raced", "worker", "rendered-2")
	f.eventually("raced", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil && mcn.UID != before.UID })
	require.True(t, done.Load())
	assert.Greater(t, f.requests.answered(http.StatusConflict), conflicts, "and so does the delete")
}
