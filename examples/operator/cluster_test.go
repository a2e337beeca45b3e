package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/examples/internal/program"
)

const (
	poolsPath = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
	mcnsPath  = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes"
	nodesPath = "/api/v1/nodes"
	leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/upgrademonitor-example-operator"
)

// serve starts an API server, and returns a kubeconfig for it.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return kubeconfigOf(t, server.URL)
}

func kubeconfigOf(t *testing.T, server string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q}}]
contexts: [{name: test, context: {cluster: test}}]
current-context: test
`, server)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// answers serves the lists of these resources; their watches have no events.
func answers(lists map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		list, ok := lists[r.URL.Path]
		switch query := r.URL.Query(); {
		case !ok:
			http.NotFound(w, r) // as an API server answers for an unknown path
		case query.Get("sendInitialEvents") != "":
			writeStatus(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is not known")
		case query.Get("watch") != "":
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			writeJSON(w, http.StatusOK, list)
		}
	}
}

func writeJSON(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func writeStatus(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	writeJSON(w, int(code), metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Reason: reason, Message: message, Code: code,
	})
}

func list(apiVersion, kind string) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}}
}

// allLists returns the empty lists of all resources that the controllers watch.
func allLists() map[string]any {
	return map[string]any{
		poolsPath: list(mcfgv1.GroupVersion.String(), "MachineConfigPoolList"),
		mcnsPath:  list(mcfgv1.GroupVersion.String(), "MachineConfigNodeList"),
		nodesPath: list("v1", "NodeList"),
	}
}

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
			func(t *testing.T) string { return kubeconfigOf(t, closed.URL) },
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
			assert.Equal(t, outcome{code: 1, stderr: "operator: " + want + "\n"}, got)
		})
	}
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	over := make(chan struct{})
	file := serve(t, func(http.ResponseWriter, *http.Request) { <-over })
	defer close(over)
	var stdout, stderr output
	impatient := func(ctx context.Context, args []string, streams program.Streams) error {
		return command{Streams: streams, clock: clock.RealClock{}, timeout: 50 * time.Millisecond}.run(ctx, args)
	}
	assert.Equal(t, 1, executeOn(t.Context(), impatient, &stdout, &stderr, "--kubeconfig", file))
	assert.Regexp(t, `^operator: the API server \S+ does not answer within 50ms: is it up, and reachable from here\?\n$`, stderr.String())
}

// TestOperatorRunsUntilInterrupted runs the operator until it writes the status of a pool.
func TestOperatorRunsUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	worker := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	worker.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}}
	worker.ResourceVersion = "1"
	objects := allLists()
	objects[poolsPath].(map[string]any)["items"] = []*mcfgv1.MachineConfigPool{worker}
	lists := answers(objects)
	file := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && r.URL.Path == poolsPath+"/worker/status" {
			cancel(errors.New("interrupt signal received"))
		}
		lists(w, r)
	})
	got := execute(ctx, "--kubeconfig", file, "--leader-elect=false")
	assert.Zero(t, got.code)
	assert.Empty(t, got.stderr)
	assert.Contains(t, got.stdout, "\nworker ")
}
