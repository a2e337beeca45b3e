package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/scope"
)

func TestItWritesTheManifests(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want manifests
	}{
		"nothing":                  {nil, scope.Guard{}},
		"all":                      {[]string{"--name=a", "--namespace", "b", "--service-account=c", "--enforce-transitions"}, scope.Guard{Name: "a", Namespace: "b", ServiceAccount: "c", EnforceTransitions: true}},
		"defaults":                 {[]string{"--name=", "--namespace="}, scope.Guard{}},
		"operator":                 {[]string{"--operator"}, scope.Operator{}},
		"operator of another name": {[]string{"--operator", "--name=a", "--namespace", "b", "--service-account=c"}, scope.Operator{Name: "a", Namespace: "b", ServiceAccount: "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			var want, stdout, stderr bytes.Buffer
			require.NoError(t, tc.want.WriteManifests(&want))
			assert.Equal(t, success, run(tc.args, &stdout, &stderr))
			assert.Equal(t, want.String(), stdout.String())
			assert.Empty(t, stderr.String())
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAnErrorIsOneLine(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a flag that there is not": {[]string{"--names=a"}, usage, "unknown flag: --names"},
		"a flag without a value":   {[]string{"--name"}, usage, "--name"},
		"an argument":              {[]string{"apply"}, usage, `unexpected argument "apply"`},
		"a name that is none":      {[]string{"--namespace=a b"}, usage, `Guard.Namespace "a b" cannot be used`},
		"an operator's name":       {[]string{"--operator", "--namespace=a b"}, usage, `Operator.Namespace "a b" cannot be used`},
		"a flag of the other":      {[]string{"--operator", "--enforce-transitions"}, usage, "--enforce-transitions is for the daemon"},
		"a pipe that is closed":    {nil, failure, "no space left"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			assert.Equal(t, tc.code, run(tc.args, full{}, &stderr))
			assert.Contains(t, stderr.String(), tc.says)
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
			assert.True(t, strings.HasPrefix(stderr.String(), "guard: "))
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Equal(t, success, run([]string{"--help"}, &stdout, &stderr))
	for _, flag := range []string{"--name ", "--namespace ", "--service-account ", "--enforce-transitions ", "--operator ", scope.DefaultGuardName, scope.DefaultOperatorName} {
		assert.Contains(t, stdout.String(), flag)
	}
	assert.Empty(t, stderr.String())
}
