package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// lockedBuffer collects the output of a program. A test may read it while the program runs.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// The example daemon updates its node in an outage, in which requests for MachineConfigNodes fail. After SIGTERM, it writes
// its reports before it ends.
func TestADaemonWritesItsReportsAfterSIGTERM(t *testing.T) {
	w := newTestNode(t, "sigterm")
	kube := kubeClient(t, standard.Config()).CoreV1().Nodes()
	w.annotateNode("currentConfig", oldConfig)
	w.annotateNode("desiredConfig", oldConfig)

	var left atomic.Int32 // the number of requests that fail
	kubeconfig := front(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, "machineconfignodes") && left.Add(-1) >= 0 {
				response := httptest.NewRecorder()
				http.Error(response, "the server is currently unable to handle the request", http.StatusServiceUnavailable)
				return response.Result(), nil
			}
			return next.RoundTrip(r)
		})
	})
	dir := build(t, "examples/daemon")
	var log lockedBuffer
	daemon := exec.CommandContext(t.Context(), filepath.Join(dir, "daemon"),
		"--kubeconfig", kubeconfig, "--node", w.name, "--drain=false", "--reboot=false", "--step", "0s")
	daemon.Stderr = &log
	require.NoError(t, daemon.Start())
	logs := func(text string) {
		t.Helper()
		eventually(t, func() bool { return strings.Contains(log.String(), text) }, "the daemon logs %q", text)
	}

	eventually(t, func() bool {
		mcn, err := w.admin.Get(t.Context(), w.name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		updated, _ := statusOf(mcn.Status.Conditions, string(phases.Updated))
		return updated.Status == done
	})
	h := watchFrom(t, w)
	left.Store(1 << 30)
	w.annotateNode("desiredConfig", newConfig)
	logs("Failed to write the MachineConfigNode")
	eventually(t, func() bool {
		node, err := kube.Get(t.Context(), w.name, metav1.GetOptions{})
		return err == nil && node.Annotations[annotationPrefix+"currentConfig"] == newConfig
	}, "the update goes on without its reports")
	require.NoError(t, daemon.Process.Signal(syscall.SIGTERM))
	left.Store(2) // the outage ends during Flush
	require.NoError(t, daemon.Wait())

	h.check()
	h.checkEnded()
	assert.Equal(t, newConfig, w.object().Status.ConfigVersion.Current)
	assert.Contains(t, w.condition(phases.AppliedFilesAndOS).Message, newConfig)
}
