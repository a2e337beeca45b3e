package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// daemon reports the update of one node.
type daemon struct{ monitor *upgrademonitor.Monitor }

// newDaemon starts a daemon process.
func newDaemon(c *client, node *node) (daemon, error) {
	m, err := upgrademonitor.New(context.Background(), upgrademonitor.Config{
		Client:   c.mcfg,
		NodeName: node.name,
		Node:     func() (*corev1.Node, error) { return node.latest.Load(), nil },
		Pool:     func(*corev1.Node) (string, error) { return poolName, nil },
		Timeout:  time.Minute, // each call waits for its write, even on a busy machine
	})
	return daemon{m}, err
}

func (d daemon) report(ctx context.Context, c call) error {
	var opts []upgrademonitor.Option
	if c.completesParent {
		opts = append(opts, upgrademonitor.CompletesParent())
	}
	return d.monitor.GenerateAndApplyMachineConfigNode(ctx, c.phase, c.reason, c.message, c.status, opts...)
}

func (d daemon) spec(ctx context.Context) error {
	return d.monitor.GenerateAndApplyMachineConfigNodeSpec(ctx)
}

// end writes the pending reports.
func (d daemon) end(ctx context.Context) error { return d.monitor.Flush(ctx) }
