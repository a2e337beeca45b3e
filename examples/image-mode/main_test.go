package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

func TestRun(t *testing.T) {
	client := upgrademonitortest.NewClientset(t)
	var out strings.Builder
	require.NoError(t, run(t.Context(), client, &out))
	before, after, _ := strings.Cut(out.String(), "\n\n")
	assert.Equal(t, `
current image: registry.example.com/os@sha256:aaaaaaaaaaaaaaaaa…
UpdatePrepared          True    Update is compatible
UpdateExecuted          True    Applying the OS image
Cordoned                True    Cordoned node
Drained                 True    Drained node
AppliedFiles            True    Applying files
AppliedOSImage          True    Applying the OS image
ImagePulledFromRegistry True    Pulling the OS image
RebootedNode            Unknown Update requires a reboot
Updated                 False   Node needs an update`, before)
	assert.Equal(t, `current image: registry.example.com/os@sha256:bbbbbbbbbbbbbbbbb…
Updated                 True    Node is updated
`, after)
	assert.Equal(t, `UpdatePrepared: False Unknown True False
UpdateExecuted: False Unknown True False
Cordoned: False Unknown True False
Drained: False Unknown True False
AppliedFiles: False Unknown True False
AppliedOSImage: False Unknown True False
ImagePulledFromRegistry: False Unknown True False
RebootedNode: False Unknown True False
Resumed: False Unknown True False
UpdateComplete: False Unknown True False
Uncordoned: False Unknown True False
Updated: False True False True`, upgrademonitortest.Transitions(t, client, "worker-0"))
}

// If a pull has failed, and the next attempt needs no image, UpdateExecuted still completes.
func TestApplyWithoutAnImage(t *testing.T) {
	client := upgrademonitortest.NewClientset(t)
	monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
		Client: client, NodeName: "worker-0", ImageMode: func() bool { return true },
		Node: func() (*corev1.Node, error) { return newNode(oldImage, newImage), nil },
	})
	require.NoError(t, err)
	monitor.Report(t.Context(), phases.Updated, "Node needs an update", "False")
	succeed := func(context.Context) error { return nil }
	pull := func(context.Context) error { return errors.New("the registry is down") }
	require.Error(t, apply(t.Context(), monitor, work{files: succeed, pull: pull, image: succeed}))
	require.NoError(t, apply(t.Context(), monitor, work{files: succeed}))
	assert.Contains(t, upgrademonitortest.Transitions(t, client, "worker-0"), `UpdateExecuted: False Unknown True
AppliedFiles: False Unknown True False Unknown True
ImagePulledFromRegistry: False Unknown True`)
}
