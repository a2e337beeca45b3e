package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/programtest"
)

func TestUnusableCluster(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	forbidden := func(w http.ResponseWriter, _ *http.Request) {
		writeStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden, "machineconfigpools is forbidden")
	}
	for name, tc := range map[string]struct {
		kubeconfig func(*testing.T) string
		want       string // FILE and HOST stand for the kubeconfig and the address in it
	}{
		"no file": {
			func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") },
			"cannot read kubeconfig FILE: open FILE: no such file or directory",
		},
		"no listener": {
			func(t *testing.T) string { return programtest.Kubeconfig(t, closed.URL) },
			"nothing listens at HOST: start the API server, or name its kubeconfig",
		},
		"no MachineConfigPools": {
			func(t *testing.T) string { return serve(t, http.NotFound) },
			"the API server HOST has no MachineConfigPools: install the CRD machineconfigpools.machineconfiguration.openshift.io",
		},
		"no MachineConfigNodes": {
			func(t *testing.T) string {
				return serve(t, answers(map[string]any{poolsPath: list(mcfgv1.GroupVersion.String(), "MachineConfigPoolList")}))
			},
			"the API server HOST has no MachineConfigNodes: install the CRD machineconfignodes.machineconfiguration.openshift.io",
		},
		"no permission for the Lease": {
			func(t *testing.T) string {
				lists := answers(allLists())
				return serve(t, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == leasePath {
						writeStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden, "leases is forbidden")
						return
					}
					lists(w, r)
				})
			},
			"cannot read the Lease kube-system/upgrademonitor-example-operator on HOST: grant the user get, create and update of leases, or use --leader-elect=false: leases is forbidden",
		},
		"forbidden": {
			func(t *testing.T) string { return serve(t, forbidden) },
			"cannot list MachineConfigPools on HOST: bind the user to the roles of scope.Operator: machineconfigpools is forbidden",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := tc.kubeconfig(t)
			got := execute(t.Context(), "--kubeconfig", file)
			host := ""
			if config, err := kubeconfig.Load(file, "test"); err == nil {
				host = config.Host
			}
			want := strings.NewReplacer("FILE", file, "HOST", host).Replace(tc.want)
			assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "operator: " + want + "\n"}, got)
		})
	}
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	over := make(chan struct{})
	file := serve(t, func(http.ResponseWriter, *http.Request) { <-over })
	defer close(over)
	impatient := func(ctx context.Context, args []string, streams program.Streams) error {
		return command{Streams: streams, clock: clock.RealClock{}, timeout: 50 * time.Millisecond}.run(ctx, args)
	}
	got := programtest.Run(t.Context(), "operator", impatient, "--kubeconfig", file)
	assert.Equal(t, 1, got.Code)
	assert.Regexp(t, `^operator: the API server \S+ does not answer within 50ms: is it up, and reachable from here\?\n$`, got.Stderr)
}

// TestOperatorRunsUntilInterrupted runs the operator until it writes the status of a pool.
func TestOperatorRunsUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	objects := allLists()
	objects[poolsPath].(map[string]any)["items"] = []*mcfgv1.MachineConfigPool{newPool()}
	lists := answers(objects)
	file := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && r.URL.Path == poolsPath+"/worker/status" {
			cancel(programtest.ErrInterrupt)
		}
		lists(w, r)
	})
	got := execute(ctx, "--kubeconfig", file, "--leader-elect=false")
	assert.Zero(t, got.Code)
	assert.Empty(t, got.Stderr)
	assert.Contains(t, got.Stdout, "\nworker ")
}

// TestReportsOnComponents runs the operator until it writes the status of MachineConfiguration, or, if
// it waits for the controller of boot images, that of a pool.
func TestReportsOnComponents(t *testing.T) {
	const waiting = "operator: waiting for the controller of boot images to add its conditions to MachineConfiguration cluster; use --boot-images=false on a cluster without that controller\n"
	bootImages := metav1.Condition{Type: operatorv1.MachineConfigurationBootImageUpdateDegraded, Status: metav1.ConditionFalse, Reason: "AsExpected"}
	for name, tc := range map[string]struct {
		conditions []metav1.Condition
		args       []string
		waits      bool
	}{
		"no conditions":                         {nil, nil, true},
		"the conditions of the controller":      {[]metav1.Condition{bootImages}, nil, false},
		"no conditions, and without controller": {nil, []string{"--boot-images=false"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			object := operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster", ResourceVersion: "1"}}
			object.Status.Conditions = tc.conditions
			objects := allLists()
			objects[confsPath] = list(operatorv1.GroupVersion.String(), "MachineConfigurationList")
			objects[confsPath].(map[string]any)["items"] = []operatorv1.MachineConfiguration{object}
			objects[confsPath+"/cluster"] = object
			objects[poolsPath].(map[string]any)["items"] = []*mcfgv1.MachineConfigPool{newPool()}
			lists := answers(objects)

			ctx, cancel := context.WithCancelCause(t.Context())
			last := confsPath + "/cluster/status"
			if tc.waits {
				last = poolsPath + "/worker/status"
			}
			file := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPatch && r.URL.Path == last {
					cancel(programtest.ErrInterrupt)
				}
				lists(w, r)
			})
			got := execute(ctx, append([]string{"--kubeconfig", file, "--leader-elect=false", "--components"}, tc.args...)...)
			assert.Zero(t, got.Code, got.Stderr)
			assert.Equal(t, tc.waits, strings.HasPrefix(got.Stderr, waiting), got.Stderr)
		})
	}
}
