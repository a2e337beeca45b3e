package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

// runComponentsOn runs the command against a server with one response to all requests.
func runComponentsOn(t *testing.T, code int, answer string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/apis/operator.openshift.io/v1/machineconfigurations/cluster", r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	var out, errOut strings.Builder
	streams := program.Streams{Name: "kubectl-mcn", Out: &out, ErrOut: &errOut}
	clock := clocktesting.NewFakeClock(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))
	exit = program.Run(t.Context(), append([]string{"components", "--kubeconfig", kubeconfigOf(t, server.URL)}, args...), streams,
		func(ctx context.Context, args []string, streams program.Streams) error {
			return cli{Streams: streams, clock: clock, patience: time.Minute, terminal: terminal.Of(&out)}.run(ctx, args)
		})
	return exit, out.String(), errOut.String()
}

const degradedOperator = `{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"status":{"conditions":[
	{"type":"MachineConfigOperatorAvailable","status":"True","reason":"AsExpected","message":"","lastTransitionTime":"2026-05-20T12:00:00Z"},
	{"type":"MachineConfigOperatorDegraded","status":"True","reason":"OperatorSyncMCDFailed","message":"timed out","lastTransitionTime":"2026-05-22T11:46:00Z"}]}}`

func TestComponents(t *testing.T) {
	exit, stdout, stderr := runComponentsOn(t, http.StatusOK, degradedOperator)
	require.Zero(t, exit, stderr)
	assert.Contains(t, stdout, "cluster  False         Unknown  Unknown\n")
	assert.Regexp(t, `operator +- +Unhealthy +14m +OperatorSyncMCD: timed out\n`, stdout)
	exit, wide, _ := runComponentsOn(t, http.StatusOK, degradedOperator, "-o", "wide")
	assert.Zero(t, exit)
	assert.Regexp(t, `  OperatorSyncMCD +Failed\n`, wide)
}

func TestComponentsErrorsAreOneLine(t *testing.T) {
	for name, tc := range map[string]struct {
		code   int
		answer string
		args   []string
		want   string
	}{
		"no CRD":      {http.StatusNotFound, "404 page not found", nil, "install the CRD machineconfigurations.operator.openshift.io"},
		"no rights":   {http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`, nil, "grant get of machineconfigurations"},
		"an argument": {http.StatusOK, degradedOperator, []string{"worker"}, `unexpected argument "worker"`},
		"a format":    {http.StatusOK, degradedOperator, []string{"-o", "yaml"}, `--output "yaml"`},
	} {
		t.Run(name, func(t *testing.T) {
			exit, _, stderr := runComponentsOn(t, tc.code, tc.answer, tc.args...)
			assert.Equal(t, program.ExitUsage, exit)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}
