package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// daemon reports on one node.
type daemon interface {
	report(ctx context.Context, c call) error
	spec(ctx context.Context) error
}

// newDaemon creates the daemon of a node, as in a process that has just started.
type newDaemon func(p *party, node *workerNode) (daemon, error)

// The clients that can be compared.
const (
	clientOurs  = "ours"
	clientToday = "today"
)

var daemonsBy = map[string]newDaemon{clientOurs: newOurs, clientToday: newToday}

// ours is a daemon that reports with this library.
type ours struct{ monitor *upgrademonitor.Monitor }

func newOurs(p *party, node *workerNode) (daemon, error) {
	m, err := upgrademonitor.New(upgrademonitor.Config{
		Client:   p.mcfg,
		NodeName: node.name,
		Node:     func() (*corev1.Node, error) { return node.view(), nil },
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
