package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/test/today"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// daemon reports the update of one node.
type daemon interface {
	report(ctx context.Context, c call) error
	spec(ctx context.Context) error
	end(ctx context.Context) error // writes the pending reports
}

// newDaemon starts a daemon process.
type newDaemon func(*client, *node) (daemon, error)

// ours is a daemon with this library.
type ours struct{ monitor *upgrademonitor.Monitor }

func newOurs(c *client, node *node) (daemon, error) {
	m, err := upgrademonitor.New(context.Background(), upgrademonitor.Config{
		Client:   c.mcfg,
		NodeName: node.name,
		Node:     func() (*corev1.Node, error) { return node.latest.Load(), nil },
		Pool:     func(*corev1.Node) (string, error) { return poolName, nil },
		Timeout:  time.Minute, // each call waits for its write, even on a busy machine
	})
	return ours{m}, err
}

func (o ours) report(ctx context.Context, c call) error {
	var opts []upgrademonitor.Option
	if c.completesParent {
		opts = append(opts, upgrademonitor.CompletesParent())
	}
	return o.monitor.GenerateAndApplyMachineConfigNode(ctx, c.phase, c.reason, c.message, c.status, opts...)
}

func (o ours) spec(ctx context.Context) error {
	return o.monitor.GenerateAndApplyMachineConfigNodeSpec(ctx)
}

func (o ours) end(ctx context.Context) error { return o.monitor.Flush(ctx) }

// theirs makes the requests of a daemon without this library.
type theirs struct{ today.Daemon }

func newTheirs(c *client, node *node) (daemon, error) {
	return &theirs{today.Daemon{
		Client:   c.mcfg.MachineconfigurationV1().MachineConfigNodes(),
		Node:     node.latest.Load,
		PoolName: poolName,
	}}, nil
}

func (t *theirs) report(ctx context.Context, c call) error {
	return t.Report(ctx, today.Call{
		Phase:           c.phase,
		Status:          c.status,
		Reason:          c.reason,
		Message:         c.message,
		CompletesParent: c.completesParent,
	})
}

func (t *theirs) spec(ctx context.Context) error { return t.Spec(ctx) }

// end does nothing, because each report was written before the call of report returned.
func (*theirs) end(context.Context) error { return nil }
