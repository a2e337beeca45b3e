package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// callTimeout is longer than a daemon's, so that no report is pending on a loaded machine.
const callTimeout = time.Minute

// daemon reports on one node.
type daemon interface {
	report(ctx context.Context, c call) error
	spec(ctx context.Context) error
}

// daemons are the clients that are compared. Each function is the start of a process.
var daemons = map[string]func(*client, *node) (daemon, error){"today": newToday, "ours": newOurs}

// ours is a daemon that reports with this library.
type ours struct{ monitor *upgrademonitor.Monitor }

func newOurs(c *client, node *node) (daemon, error) {
	m, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   c.mcfg,
		NodeName: node.name,
		Node:     func() (*corev1.Node, error) { return node.view.Load(), nil },
		Pool:     func(*corev1.Node) (string, error) { return poolName, nil },
		Timeout:  callTimeout,
	})
	return ours{m}, err
}

func (o ours) report(ctx context.Context, c call) error {
	var opts []upgrademonitor.ReportOption
	if c.completesParent {
		opts = append(opts, upgrademonitor.CompletesParent())
	}
	return o.monitor.GenerateAndApplyMachineConfigNode(ctx, c.phase, c.reason, c.message, c.status, opts...)
}

func (o ours) spec(ctx context.Context) error {
	return o.monitor.GenerateAndApplyMachineConfigNodeSpec(ctx)
}
