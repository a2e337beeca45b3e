package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/programtest"
)

const (
	mcnPath  = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes"
	nodePath = "/api/v1/nodes/worker-0"
)

// answer is a canned answer of an API server to a method and path.
type answer struct {
	code int
	body string
}

func failure(code int, reason, message string) answer {
	return answer{code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":%q,"code":%d}`, reason, message, code)}
}

// serve starts an API server of canned answers and returns its address.
func serve(t *testing.T, answers map[string]answer) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r) // as an API server answers for an unknown path
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.code)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestUnusableCluster(t *testing.T) {
	noMCN := failure(404, "NotFound", `machineconfignodes.machineconfiguration.openshift.io "worker-0" not found`)
	forbidden := failure(403, "Forbidden", `nodes "worker-0" is forbidden`)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()

	for name, tc := range map[string]struct {
		kubeconfig func(*testing.T) string
		want       string // FILE and HOST stand for the kubeconfig and the address in it
	}{
		"no file": {
			func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") },
			"cannot read kubeconfig FILE: open FILE: no such file or directory",
		},
		"not YAML": {
			func(t *testing.T) string { return programtest.WriteFile(t, "clusters: [") },
			"cannot read kubeconfig FILE: yaml: line 1: did not find expected node content",
		},
		"no cluster in it": {
			func(t *testing.T) string { return programtest.WriteFile(t, "apiVersion: v1\nkind: Config\n") },
			"cannot use kubeconfig FILE: it names no cluster",
		},
		"no listener": {
			func(t *testing.T) string { return programtest.Kubeconfig(t, closed.URL) },
			"nothing listens at HOST: start the API server, or name its kubeconfig",
		},
		"no CRD": {
			func(t *testing.T) string { return programtest.Kubeconfig(t, serve(t, nil)) },
			"the API server HOST has no MachineConfigNodes: install the CRD machineconfignodes.machineconfiguration.openshift.io",
		},
		"no rights to read the object": {
			func(t *testing.T) string {
				return programtest.Kubeconfig(t, serve(t, map[string]answer{"GET " + mcnPath + "/worker-0": failure(403, "Forbidden", "machineconfignodes is forbidden")}))
			},
			"cannot read the MachineConfigNode from HOST: machineconfignodes is forbidden",
		},
		"no rights to read the Node": {
			func(t *testing.T) string {
				return programtest.Kubeconfig(t, serve(t, map[string]answer{"GET " + mcnPath + "/worker-0": noMCN, "GET " + nodePath: forbidden}))
			},
			`cannot read the Node from HOST: nodes "worker-0" is forbidden`,
		},
		"no Node, and no rights to create": {
			func(t *testing.T) string {
				return programtest.Kubeconfig(t, serve(t, map[string]answer{
					"GET " + mcnPath + "/worker-0": noMCN,
					"GET " + nodePath:              failure(404, "NotFound", `nodes "worker-0" not found`),
					"POST " + mcnPath:              failure(403, "Forbidden", "machineconfignodes is forbidden"),
				}))
			},
			"the cluster has no Node worker-0: the MachineConfigNode will have no owner\n" +
				"daemon: cannot report on node worker-0: MachineConfigNode worker-0: spec: accepted, not written yet: node worker-0: the API server denies access to the MachineConfigNode: MachineConfigNode worker-0: create: machineconfignodes is forbidden: bind the daemon's service account to the role of scope.Guard: go run ./examples/guard writes it",
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
			assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "daemon: " + want + "\n"}, got)
		})
	}
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer server.Close()
	defer close(over)

	impatient := func(ctx context.Context, args []string, streams program.Streams) error {
		return command{Streams: streams, clock: clock.RealClock{}, timeout: 50 * time.Millisecond}.run(ctx, args)
	}
	got := programtest.Run(t.Context(), "daemon", impatient, "--kubeconfig", programtest.Kubeconfig(t, server.URL))
	assert.Equal(t, programtest.Outcome{Code: 1, Stderr: "daemon: the API server " + server.URL + " does not answer within 50ms: is it up, and reachable from here?\n"}, got)
}

func TestNodeOfTheClusterIsOnlyRead(t *testing.T) {
	file := programtest.Kubeconfig(t, serve(t, map[string]answer{
		"GET " + mcnPath + "/worker-0": failure(404, "NotFound", "not found"),
		"GET " + nodePath: {200, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"worker-0","uid":"0a17872c",
			"annotations":{"machineconfiguration.openshift.io/currentConfig":"rendered-real"}}}`},
	}))
	opts, err := parse([]string{"--kubeconfig", file}, nil)
	require.NoError(t, err)
	c, err := connect(t.Context(), opts, command{timeout: 10 * time.Second})
	require.NoError(t, err)
	node, err := c.node.get()
	require.NoError(t, err)
	assert.Equal(t, "worker-0", node.Name)
	assert.EqualValues(t, "0a17872c", node.UID)
	assert.Empty(t, node.Annotations, "the program has annotations of its own")

	c.node.annotate("a", "b")
	c.node.cordon(true)
	assert.Empty(t, node.Annotations, "a returned Node does not change")
	assert.False(t, node.Spec.Unschedulable)
}
