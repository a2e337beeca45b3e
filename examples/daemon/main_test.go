package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

var (
	succeed = func(context.Context) error { return nil }
	fail    = func(context.Context) error { return errors.New("pod web-0 cannot be evicted") }
)

func newTestDaemon(t *testing.T, client *mcfgfake.Clientset, imageMode bool) *daemon {
	t.Helper()
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	setConfig := func(_ context.Context, current string) error {
		return nodes.Update(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{
			currentConfig: current, desiredConfig: "rendered-2"}}})
	}
	require.NoError(t, setConfig(t.Context(), "rendered-1"))
	d, err := newDaemon(t.Context(), client, corelisters.NewNodeLister(nodes), "worker-0", func() bool { return imageMode })
	require.NoError(t, err)
	d.setDone = setConfig
	d.drain = func(ctx context.Context) error { // as the controller reports it
		return d.monitor.Track(ctx, phases.Drained, "Draining node", succeed)
	}
	d.reboot = func(context.Context) error { d.rebooted = true; return nil }
	return d
}

func TestSync(t *testing.T) {
	const again = " Unknown True False Unknown True False"
	for name, tc := range map[string]struct {
		imageMode bool
		change    func(*daemon)
		failures  int
		steps     []string // each runs, and is reset at the end; with "+", it runs three times
	}{
		"an update with a reboot": {
			steps: []string{"UpdatePrepared", "UpdateExecuted", "Drained", "AppliedFilesAndOS", "RebootedNode", "Resumed"},
		},
		"an update without drain and reboot": {
			change: func(d *daemon) { d.drain, d.reboot = nil, nil },
			steps:  []string{"UpdatePrepared", "UpdateExecuted", "AppliedFilesAndOS", "UpdatePostActionComplete", "Resumed"},
		},
		"an update in image mode, to the same image": {
			imageMode: true,
			change:    func(d *daemon) { d.drain, d.reboot = nil, nil },
			steps:     []string{"UpdatePrepared", "UpdateExecuted", "AppliedFiles", "UpdatePostActionComplete", "Resumed"},
		},
		"an update in image mode, to another image": {
			imageMode: true,
			change:    func(d *daemon) { d.applyImage = succeed },
			steps:     []string{"UpdatePrepared", "UpdateExecuted", "Drained", "AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry", "RebootedNode", "Resumed"},
		},
		"a step that fails twice, then is not needed": {
			failures: 2,
			change:   func(d *daemon) { d.drain, d.reboot = failTwice(d), nil },
			steps:    []string{"UpdatePrepared", "UpdateExecuted", "Drained", "AppliedFilesAndOS", "UpdatePostActionComplete", "Resumed"},
		},
		"a reboot that fails twice: the node is degraded until the end": {
			failures: 2,
			change:   func(d *daemon) { d.reboot = failsTwice(d.reboot) },
			steps:    []string{"UpdatePrepared", "UpdateExecuted+", "Drained+", "AppliedFilesAndOS+", "RebootedNode", "Resumed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := upgrademonitortest.NewClientset(t)
			d := newTestDaemon(t, client, tc.imageMode)
			if tc.change != nil {
				tc.change(d)
			}
			for range tc.failures {
				require.Error(t, d.sync(t.Context()))
			}
			for range 3 {
				require.NoError(t, d.sync(t.Context()))
			}
			require.Equal(t, "rendered-2", d.reported)
			want := ""
			for _, step := range tc.steps {
				step, isRepeated := strings.CutSuffix(step, "+")
				want += step + ": False Unknown True False"
				if isRepeated {
					want += again
				}
				want += "\n"
			}
			if tc.failures > 0 {
				want += "NodeDegraded: False True False\n"
			}
			want += "Updated: False True"
			require.NoError(t, d.monitor.Flush(t.Context()), "everything is written")
			assert.Equal(t, want, upgrademonitortest.Transitions(t, client, "worker-0"))

			d.reported = ""
			require.NoError(t, d.sync(t.Context()))
			assert.Equal(t, want, upgrademonitortest.Transitions(t, client, "worker-0"), "a restart is no update")
		})
	}
}

// An update that fails, and is then withdrawn: the Node runs its desired config again.
func TestWithdrawnUpdate(t *testing.T) {
	client := upgrademonitortest.NewClientset(t)
	d := newTestDaemon(t, client, false)
	d.reboot = nil
	require.NoError(t, d.sync(t.Context()))
	require.NoError(t, d.setDone(t.Context(), "rendered-1"))
	d.drain = fail
	require.Error(t, d.sync(t.Context()))
	require.NoError(t, d.setDone(t.Context(), "rendered-2"))
	require.NoError(t, d.sync(t.Context()))
	require.NoError(t, d.monitor.Flush(t.Context()))
	assert.Contains(t, upgrademonitortest.Transitions(t, client, "worker-0"), "Updated: False True False True")
}

// failTwice returns a drain that fails twice; then no drain is needed.
func failTwice(d *daemon) func(context.Context) error {
	attempts := 0
	return func(ctx context.Context) error {
		if attempts++; attempts == 2 {
			d.drain = nil
		}
		return d.monitor.Track(ctx, phases.Drained, "Draining node", fail)
	}
}

// failsTwice returns a step that fails twice, then does the work.
func failsTwice(work func(context.Context) error) func(context.Context) error {
	attempts := 0
	return func(ctx context.Context) error {
		if attempts++; attempts <= 2 {
			return fail(ctx)
		}
		return work(ctx)
	}
}

// An API server that hangs does not keep the node from rebooting.
func TestRebootInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := upgrademonitortest.NewClientset(t)
		for _, verb := range []string{"get", "create", "patch"} {
			client.PrependReactor(verb, "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewServiceUnavailable("etcd is down")
			})
		}
		d := newTestDaemon(t, client, false)
		begin := time.Now()
		stop, cancel := context.WithCancel(t.Context())
		d.reboot = func(context.Context) error { cancel(); return nil }
		d.run(stop)
		assert.LessOrEqual(t, time.Since(begin), 40*time.Second, "both times of Flush, and one Timeout of the Monitor")
		n, _ := d.monitor.Pending()
		assert.NotZero(t, n)
	})
}

// The reports are written before the drain controller is asked, and before the reboot, also if the API server was
// away at first.
func TestRebootAfterAnOutage(t *testing.T) {
	for _, drains := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			client, begin := upgrademonitortest.NewClientset(t), time.Now()
			for _, verb := range []string{"get", "create", "patch"} {
				client.PrependReactor(verb, "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
					return time.Since(begin) < 5*time.Second, nil, apierrors.NewServiceUnavailable("etcd is down")
				})
			}
			d := newTestDaemon(t, client, false)
			d.reboot = func(context.Context) error {
				n, _ := d.monitor.Pending()
				assert.Zero(t, n)
				return nil
			}
			if d.drain = nil; drains {
				d.drain = d.reboot
			}
			require.NoError(t, d.sync(t.Context()))
			assert.Contains(t, upgrademonitortest.Transitions(t, client, "worker-0"), "RebootedNode: False Unknown")
		})
	}
}

// After SIGTERM the update that is running is completed, and everything is written.
func TestStop(t *testing.T) {
	client := upgrademonitortest.NewClientset(t)
	d := newTestDaemon(t, client, false)
	stop, cancel := context.WithCancel(t.Context())
	d.drain, d.reboot = nil, nil
	d.applyFiles = succeed
	d.validate = func(context.Context) error { cancel(); return nil }
	d.run(stop)
	assert.Contains(t, upgrademonitortest.Transitions(t, client, "worker-0"), "Updated: False True")
}

func TestInMemory(t *testing.T) {
	var out strings.Builder
	require.NoError(t, inMemory(t.Context(), &out))
	assert.Contains(t, out.String(), "\n  Drained                Unknown  Error: Draining node: pod web-0 cannot be evicted\n")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(line), len("\n")+120, line)
	}
}
