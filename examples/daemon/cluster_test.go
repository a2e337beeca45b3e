package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
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
			http.NotFound(w, r) // as an API server answers for what it does not know
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.code)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// kubeconfigOf writes a kubeconfig for a server and returns its file.
func kubeconfigOf(t *testing.T, server string) string {
	t.Helper()
	return write(t, fmt.Sprintf(`
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q}}]
contexts: [{name: test, context: {cluster: test}}]
current-context: test
`, server))
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestClusterThatCannotBeUsed(t *testing.T) {
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
		"no YAML": {
			func(t *testing.T) string { return write(t, "clusters: [") },
			"cannot read kubeconfig FILE: yaml: line 1: did not find expected node content",
		},
		"no cluster in it": {
			func(t *testing.T) string { return write(t, "apiVersion: v1\nkind: Config\n") },
			"cannot use kubeconfig FILE: it names no cluster",
		},
		"nobody listens": {
			func(t *testing.T) string { return kubeconfigOf(t, closed.URL) },
			`cannot read the MachineConfigNode from HOST: Get "HOST` + mcnPath + `/worker-0": dial tcp ADDRESS: connect: connection refused`,
		},
		"no CRD": {
			func(t *testing.T) string { return kubeconfigOf(t, serve(t, nil)) },
			"the API server HOST has no MachineConfigNodes: install the CRD machineconfignodes.machineconfiguration.openshift.io",
		},
		"no rights to read the object": {
			func(t *testing.T) string {
				return kubeconfigOf(t, serve(t, map[string]answer{"GET " + mcnPath + "/worker-0": failure(403, "Forbidden", "machineconfignodes is forbidden")}))
			},
			"cannot read the MachineConfigNode from HOST: machineconfignodes is forbidden",
		},
		"no rights to read the Node": {
			func(t *testing.T) string {
				return kubeconfigOf(t, serve(t, map[string]answer{"GET " + mcnPath + "/worker-0": noMCN, "GET " + nodePath: forbidden}))
			},
			`cannot read the Node from HOST: nodes "worker-0" is forbidden`,
		},
		"no Node, and no rights to create": {
			func(t *testing.T) string {
				return kubeconfigOf(t, serve(t, map[string]answer{
					"GET " + mcnPath + "/worker-0": noMCN,
					"GET " + nodePath:              failure(404, "NotFound", `nodes "worker-0" not found`),
					"POST " + mcnPath:              failure(403, "Forbidden", "machineconfignodes is forbidden"),
				}))
			},
			"there is no Node worker-0 on the cluster: going on with a made-up one, without UID, that cannot own the MachineConfigNode\n" +
				"daemon: cannot report on node worker-0: MachineConfigNode worker-0: spec: accepted, not written yet: node worker-0: the API server denies access to the MachineConfigNode: MachineConfigNode worker-0: read: machineconfignodes is forbidden: bind the daemon's service account to the role of scope.Guard: go run ./examples/guard writes it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := tc.kubeconfig(t)
			got := execute(t.Context(), "--kubeconfig", file)
			host := ""
			if config, err := kubeconfig.Load(file, "test"); err == nil {
				host = config.Host
			}
			want := strings.NewReplacer("FILE", file, "HOST", host, "ADDRESS", strings.TrimPrefix(host, "http://")).Replace(tc.want)
			assert.Equal(t, outcome{code: 1, stderr: "daemon: " + want + "\n"}, got)
		})
	}
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer server.Close()
	defer close(over)

	var stdout, stderr strings.Builder
	p := program{stdout: &stdout, stderr: &stderr, patience: 50 * time.Millisecond}
	assert.Equal(t, 1, p.run(t.Context(), []string{"--kubeconfig", kubeconfigOf(t, server.URL)}))
	assert.Equal(t, "daemon: the API server "+server.URL+" does not answer within 50ms: is it up, and reachable from here?\n", stderr.String())
	assert.Empty(t, stdout.String())
}

func TestNodeOfTheClusterIsOnlyRead(t *testing.T) {
	file := kubeconfigOf(t, serve(t, map[string]answer{
		"GET " + mcnPath + "/worker-0": failure(404, "NotFound", "not found"),
		"GET " + nodePath: {200, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"worker-0","uid":"0a17872c",
			"annotations":{"machineconfiguration.openshift.io/currentConfig":"rendered-real"}}}`},
	}))
	opts, err := parse([]string{"--kubeconfig", file}, nil)
	require.NoError(t, err)
	c, err := connect(t.Context(), opts, program{patience: 10 * time.Second})
	require.NoError(t, err)
	node, err := c.node.get()
	require.NoError(t, err)
	assert.Equal(t, "worker-0", node.Name)
	assert.EqualValues(t, "0a17872c", node.UID)
	assert.Empty(t, node.Annotations, "the program goes by its own annotations")

	c.node.annotate("a", "b")
	c.node.cordon(true)
	assert.Empty(t, node.Annotations, "what was given away does not change")
	assert.False(t, node.Spec.Unschedulable)
}
