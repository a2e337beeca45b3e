package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
)

// TestNothingIsFound prints what kubectl prints, and where.
func TestNothingIsFound(t *testing.T) {
	for args, stdout := range map[string]string{
		"":                       "",
		"-o wide":                "",
		"--state stuck":          "",
		"-o json":                "{\n    \"time\": \"2026-03-04T14:15:05Z\",\n    \"pools\": []\n}\n",
		"-o yaml":                "pools: []\ntime: \"2026-03-04T14:15:05Z\"\n",
		"-w":                     "",
		"-w -o json":             "",
		"timeline":               "",
		"timeline -o csv":        "pool,node,step,from,to,seconds\n",
		"master worker":          "",
		"timeline master -w":     "",
		"timeline worker -o csv": "pool,node,step,from,to,seconds\n",
	} {
		got := execute(t, asList(t, rollout()...), append(strings.Fields(args), "-f", "-", "-l", "zone=none")...)
		assert.Zero(t, got.code, args)
		assert.Equal(t, stdout, got.stdout, args)
		stderr := screen.NotFound + "\n"
		if strings.Contains(args, "json") || strings.Contains(args, "yaml") {
			stderr = ""
		}
		assert.Equal(t, stderr, got.stderr, args)
	}
}

// TestAnEmptyCluster is not an error.
func TestAnEmptyCluster(t *testing.T) {
	got := execute(t, "", "--kubeconfig", newServer(t).kubeconfig(t))
	assert.Equal(t, execution{stderr: screen.NotFound + "\n"}, got)
}

// TestNodesThatMatchAreNotInFlight: the pool of a node that matches is shown.
func TestNodesThatMatchAreNotInFlight(t *testing.T) {
	got := execute(t, asList(t, rollout()...), "-f", "-", "-l", "zone=0")
	assert.Empty(t, got.stderr)
	assert.Contains(t, got.stdout, "\nworker ")
}
