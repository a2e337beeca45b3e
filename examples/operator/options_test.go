package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
)

func TestInvalidFlags(t *testing.T) {
	const steps = "OperatorSyncOSImageStream, OperatorSyncRenderConfig, OperatorSyncCustomResourceDefinitions, OperatorSyncConfigmaps, " +
		"OperatorSyncMachineConfiguration, OperatorSyncMCN, OperatorSyncMCP, OperatorSyncMCD, OperatorSyncMCC, OperatorSyncMCS, OperatorSyncMOB, " +
		"OperatorSyncMCPRequired, OperatorSyncKubeletConfig"
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"none":             {nil, "name a cluster with --kubeconfig, or use --simulate 20 to run in memory"},
		"argument":         {[]string{"now"}, `unexpected argument "now": there are only flags`},
		"both":             {[]string{"--kubeconfig=x", "--simulate=3"}, "--kubeconfig and --simulate exclude each other"},
		"empty kubeconfig": {[]string{"--kubeconfig="}, "--kubeconfig is empty: name a file, or use --simulate to run in memory"},
		"no nodes":         {[]string{"--simulate=0"}, "--simulate 0: use from 1 to 200 nodes"},
		"too many nodes":   {[]string{"--simulate=201"}, "--simulate 201: use from 1 to 200 nodes"},
		"no number":        {[]string{"--simulate=many"}, `invalid argument "many" for "--simulate" flag: strconv.ParseInt: parsing "many": invalid syntax`},
		"negative step":    {[]string{"--simulate=3", "--step=-1s"}, "--step -1s is negative"},
		"no speed":         {[]string{"--simulate=3", "--speed=0"}, "--speed 0: use a positive number"},
		"fast":             {[]string{"--simulate=3", "--speed=1e18"}, "--speed 1e+18: use from 0.001 to 1000000"},
		"step, no nodes":   {[]string{"--kubeconfig=x", "--step=1s"}, "--step needs --simulate"},
		"lease in memory":  {[]string{"--simulate=3", "--leader-elect=false"}, "--leader-elect needs --kubeconfig"},
		"no namespace":     {[]string{"--kubeconfig=x", "--leader-elect-resource-namespace="}, "--leader-elect-resource-namespace is empty"},
		"short lease":      {[]string{"--kubeconfig=x", "--leader-elect-lease-duration=1ms"}, "--leader-elect-lease-duration 1ms: use at least 1s"},
		"no requests":      {[]string{"--kubeconfig=x", "--qps=0"}, "--qps 0 --burst 400: use positive limits"},
		"unknown node":     {[]string{"--simulate=4", "--fail-node=worker-1"}, `--fail-node "worker-1": the nodes are master-0, master-1, master-2, worker-0`},
		"empty node":       {[]string{"--simulate=4", "--fail-node="}, "--fail-node is empty: name a node"},
		"no components":    {[]string{"--kubeconfig=x", "--boot-images=false"}, "--boot-images needs --components"},
		"components":       {[]string{"--simulate=1", "--components"}, "--components needs --kubeconfig"},
		"step on cluster":  {[]string{"--kubeconfig=x", "--fail-step=OperatorSyncMCD"}, "--fail-step needs --simulate"},
		"controller step":  {[]string{"--simulate=1", "--fail-step=SyncMCC"}, `--fail-step "SyncMCC": the steps are ` + steps},
		"empty step":       {[]string{"--simulate=1", "--fail-step="}, `--fail-step "": the steps are ` + steps},
		"unknown flag":     {[]string{"--verbose"}, "unknown flag: --verbose"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, programtest.Outcome{Code: 2, Stderr: "operator: " + tc.want + "; see --help\n"}, execute(t.Context(), tc.args...))
		})
	}
}

func TestHelp(t *testing.T) {
	got := execute(t.Context(), "--help")
	assert.Zero(t, got.Code)
	assert.Empty(t, got.Stderr)
	for _, flag := range []string{"--kubeconfig", "--simulate", "--step", "--fail-node", "--leader-elect", "--qps", "--burst", "--output", "--speed", "--fail-step", "--boot-images", "machine-config-operator of the cluster, which writes the same objects"} {
		assert.Contains(t, got.Stdout, flag)
	}
}
