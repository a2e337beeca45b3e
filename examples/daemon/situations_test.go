package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// situation is a Node with the daemon of README.md, which runs config-1. Its steps succeed, and it needs neither a drain nor a
// reboot.
type situation struct {
	*testing.T
	*daemon
	node   *corev1.Node
	config upgrademonitor.Config
	watch  watch.Interface
	target string // what finish sets as the current config
}

func newSituation(t *testing.T) *situation {
	t.Helper()
	client := upgrademonitortest.NewClientset(t)
	s := &situation{T: t, node: newNode("config-1", "config-1"), target: "config-1"}
	s.config = upgrademonitor.Config{Client: client, NodeName: s.node.Name, Node: func() (*corev1.Node, error) { return s.node, nil }}
	s.restart()
	require.NoError(t, s.complete(t.Context(), false))
	var err error
	s.watch, err = client.MachineconfigurationV1().MachineConfigNodes().Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return s
}

// restart replaces the daemon by that of a new process.
func (s *situation) restart() {
	s.Helper()
	var err error
	s.daemon, err = newDaemon(s.Context(), s.config)
	require.NoError(s, err)
	succeed := func(context.Context) error { return nil }
	s.validate, s.apply, s.daemon.restart = succeed, succeed, succeed
	s.finish = func(context.Context) error {
		s.node = newNode(s.target, s.node.Annotations[desiredConfig])
		return nil
	}
}

// begins gives the Node the desired config config-2, which the daemon takes up.
func (s *situation) begins() {
	s.Helper()
	s.target = "config-2"
	s.order("config-2")
}

// order gives the Node another desired config. The informer's handler calls nodeChanged.
func (s *situation) order(config string) {
	s.Helper()
	s.node = newNode(s.node.Annotations[currentConfig], config)
	require.NoError(s, s.monitor.GenerateAndApplyMachineConfigNodeSpec(s.Context()))
}

// versions returns what a watcher has seen, from the object before the situation on: for each version the conditions that have changed, with their error, and what spec
// and status desire, if that has changed. ~ means that the spec was not observed.
func (s *situation) versions() string {
	s.Helper()
	s.watch.Stop()
	var lines []string
	before, configs := map[string]string{}, ""
	for event := range s.watch.ResultChan() {
		mcn := event.Object.(*mcfgv1.MachineConfigNode)
		var changed []string
		for _, c := range mcn.Status.Conditions {
			now := c.Type + "=" + string(c.Status)
			if _, text, ok := strings.Cut(c.Message, "Error: "); ok && c.Status != metav1.ConditionFalse {
				now += fmt.Sprintf(" (%s)", text)
			}
			if last := cmp.Or(before[c.Type], c.Type+"=False"); last != now && (before[c.Type] != "" || c.Type != "Updated") {
				changed = append(changed, now)
			}
			before[c.Type] = now
		}
		now := "desired: " + mcn.Spec.ConfigVersion.Desired + ", " + mcn.Status.ConfigVersion.Desired
		if mcn.Status.ObservedGeneration < mcn.Generation {
			now += " ~"
		}
		if now != configs {
			changed = append(changed, now)
		}
		configs = now
		lines = append(lines, strings.Join(changed, ", "))
	}
	return strings.Join(lines, "\n")
}

// installed has the versions from the end of apply on, if nothing fails.
const installed = `UpdateExecuted=True, AppliedFilesAndOS=True
UpdatePostActionComplete=Unknown
UpdatePostActionComplete=True
Resumed=Unknown
Resumed=True
UpdateComplete=Unknown
UpdateComplete=True
UpdatePrepared=False, UpdateExecuted=False, AppliedFilesAndOS=False, UpdatePostActionComplete=False, Resumed=False, UpdateComplete=False, Updated=True
`

func TestTheVersionsThatAWatcherSees(t *testing.T) {
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		happens func(*situation)
		want    string
	}{
		"a completion fails and is retried": {func(s *situation) {
			s.begins()
			finish := s.finish
			s.finish = func(context.Context) error { return broken }
			require.ErrorIs(s, s.update(s.Context()), broken)
			s.finish = finish
			require.NoError(s, s.update(s.Context()))
		}, `desired: config-1, config-1
desired: config-2, config-1 ~
UpdatePrepared=Unknown, Updated=False, desired: config-2, config-1
UpdatePrepared=True, desired: config-2, config-2
UpdateExecuted=Unknown
AppliedFilesAndOS=Unknown
UpdateExecuted=True, AppliedFilesAndOS=True
UpdatePostActionComplete=Unknown
UpdatePostActionComplete=True
Resumed=Unknown
Resumed=True
UpdateComplete=Unknown
UpdateComplete=Unknown (Completing the update: broken)
NodeDegraded=True
UpdateExecuted=False, AppliedFilesAndOS=False
UpdateExecuted=Unknown, AppliedFilesAndOS=Unknown
UpdateExecuted=True, AppliedFilesAndOS=True
UpdatePostActionComplete=False
UpdatePostActionComplete=Unknown
UpdatePostActionComplete=True
UpdateComplete=True
UpdatePrepared=False, UpdateExecuted=False, AppliedFilesAndOS=False, UpdatePostActionComplete=False, Resumed=False, UpdateComplete=False, NodeDegraded=False, Updated=True
`},
		"a restart without an update": {func(s *situation) {
			s.restart()
			require.NoError(s, s.complete(s.Context(), false))
		}, `desired: config-1, config-1`},
		"an order is withdrawn while apply fails, in a process that has just started": {func(s *situation) {
			s.begins()
			s.restart()
			s.apply = func(context.Context) error {
				s.order("config-1")
				return broken
			}
			require.ErrorIs(s, s.update(s.Context()), broken)
			s.target = "config-1"
			require.NoError(s, s.complete(s.Context(), false))
		}, `desired: config-1, config-1
desired: config-2, config-1 ~
UpdatePrepared=Unknown, Updated=False, desired: config-2, config-1
UpdatePrepared=True, desired: config-2, config-2
UpdateExecuted=Unknown
AppliedFilesAndOS=Unknown
desired: config-1, config-2 ~
UpdateExecuted=Unknown (Applying files and OS: broken), AppliedFilesAndOS=Unknown (Applying files and OS: broken)
NodeDegraded=True
Resumed=Unknown
Resumed=True
UpdateComplete=Unknown
UpdateComplete=True
UpdatePrepared=False, UpdateExecuted=False, AppliedFilesAndOS=False, Resumed=False, UpdateComplete=False, NodeDegraded=False, Updated=True, desired: config-1, config-1
`},
		"another order while validate runs": {func(s *situation) {
			s.begins()
			s.validate = func(context.Context) error {
				s.order("config-3")
				return nil
			}
			require.NoError(s, s.update(s.Context()))
		}, `desired: config-1, config-1
desired: config-2, config-1 ~
UpdatePrepared=Unknown, Updated=False, desired: config-2, config-1
desired: config-3, config-1 ~
UpdatePrepared=True, desired: config-3, config-2 ~
UpdateExecuted=Unknown
AppliedFilesAndOS=Unknown
` + installed},
		"another order while apply runs": {func(s *situation) {
			s.begins()
			s.apply = func(context.Context) error {
				s.order("config-3")
				return nil
			}
			require.NoError(s, s.update(s.Context()))
		}, `desired: config-1, config-1
desired: config-2, config-1 ~
UpdatePrepared=Unknown, Updated=False, desired: config-2, config-1
UpdatePrepared=True, desired: config-2, config-2
UpdateExecuted=Unknown
AppliedFilesAndOS=Unknown
desired: config-3, config-2 ~
` + installed},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSituation(t)
			tc.happens(s)
			assert.Equal(t, tc.want, s.versions())
		})
	}
}
