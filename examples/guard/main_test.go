package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/scope"
)

func execute(t *testing.T, stdout io.Writer, args ...string) (code int, stderr string) {
	t.Helper()
	var errOut strings.Builder
	code = program.Run(t.Context(), args, program.Streams{Name: "guard", Out: stdout, ErrOut: &errOut}, run)
	return code, errOut.String()
}

func TestManifests(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want manifests
	}{
		"no flags":                 {nil, scope.Guard{}},
		"all flags":                {[]string{"--name=a", "--namespace", "b", "--service-account=c", "--enforce-transitions"}, scope.Guard{Name: "a", Namespace: "b", ServiceAccount: "c", EnforceTransitions: true}},
		"defaults":                 {[]string{"--name=", "--namespace="}, scope.Guard{}},
		"operator":                 {[]string{"--operator"}, scope.Operator{}},
		"operator of another name": {[]string{"--operator", "--name=a", "--namespace", "b", "--service-account=c"}, scope.Operator{Name: "a", Namespace: "b", ServiceAccount: "c"}},
		"components":               {[]string{"--components"}, scope.Components{}},
		"components of other names": {
			[]string{"--components", "--name=a", "--namespace", "b", "--service-account=c", "--controller-service-account=d", "--enforce-writers"},
			scope.Components{Name: "a", Namespace: "b", OperatorServiceAccount: "c", ControllerServiceAccount: "d", EnforceWriters: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want, stdout bytes.Buffer
			require.NoError(t, tc.want.WriteManifests(&want))
			code, stderr := execute(t, &stdout, tc.args...)
			assert.Zero(t, code)
			assert.Equal(t, want.String(), stdout.String())
			assert.Empty(t, stderr)
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestErrorsAreOneLine(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"unknown flag":            {[]string{"--names=a"}, 2, "unknown flag: --names"},
		"flag without a value":    {[]string{"--name"}, 2, "--name"},
		"argument":                {[]string{"apply"}, 2, `unexpected argument "apply"`},
		"invalid name":            {[]string{"--namespace=a b"}, 2, `Guard.Namespace`},
		"invalid component name":  {[]string{"--components", "--namespace=a b"}, 2, `Components.Namespace`},
		"operator and components": {[]string{"--components", "--operator"}, 2, "pass one of them"},
		"writers of no component": {[]string{"--enforce-writers"}, 2, "are for --components"},
		"invalid operator name":   {[]string{"--operator", "--namespace=a b"}, 2, `Operator.Namespace`},
		"exclusive flags":         {[]string{"--operator", "--enforce-transitions"}, 2, "--enforce-transitions is for the daemon"},
		"closed pipe":             {nil, 1, "no space left"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stderr := execute(t, fullDisk{}, tc.args...)
			assert.Equal(t, tc.code, code)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"))
			assert.True(t, strings.HasPrefix(stderr, "guard: "))
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout bytes.Buffer
	code, stderr := execute(t, &stdout, "--help")
	assert.Zero(t, code)
	assert.Empty(t, stderr)
	for _, want := range []string{"--name ", "--namespace ", "--service-account ", "--enforce-transitions ", "--operator ", scope.DefaultGuardName, scope.DefaultOperatorName} {
		assert.Contains(t, stdout.String(), want)
	}
}
