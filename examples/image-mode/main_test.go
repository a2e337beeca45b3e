package main

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

func Example() {
	main()
	// Output:
	// current image: registry.example.com/os@sha256:aaaaaaaaaaaaaaaaa…
	// desired image: registry.example.com/os@sha256:bbbbbbbbbbbbbbbbb…
	// UpdatePrepared          True    Update is compatible
	// UpdateExecuted          True    Applying the OS image
	// Cordoned                True    Cordoned node
	// Drained                 True    Drained node
	// AppliedFiles            True    Applying files
	// AppliedOSImage          True    Applying the OS image
	// ImagePulledFromRegistry True    Pulling the OS image
	// RebootedNode            Unknown Update requires a reboot
	// Updated                 False   Node needs an update
	//
	// current image: registry.example.com/os@sha256:bbbbbbbbbbbbbbbbb…
	// desired image: registry.example.com/os@sha256:bbbbbbbbbbbbbbbbb…
	// Updated                 True    Node is updated
}

func TestTheProgramUpdatesANodeInImageMode(t *testing.T) {
	client := upgrademonitortest.NewClientset(t)
	require.NoError(t, run(t.Context(), client, work{succeed, succeed, succeed}, io.Discard))
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

func fail(context.Context) error { return errors.New("the registry is down") }

func TestAStepThatFailsStopsTheUpdate(t *testing.T) {
	for name, w := range map[string]work{
		"the files":           {files: fail, pull: succeed, image: succeed},
		"the pull":            {files: succeed, pull: fail, image: succeed},
		"the image":           {files: succeed, pull: succeed, image: fail},
		"the files, no image": {files: fail},
	} {
		client := upgrademonitortest.NewClientset(t)
		require.ErrorContains(t, run(t.Context(), client, w, io.Discard), "the registry is down", name)
		assert.NotContains(t, upgrademonitortest.Transitions(t, client, "worker-0"), "RebootedNode", name)
	}
}

// If the pull or the image has failed, and the next attempt needs no image, UpdateExecuted still completes.
func TestAnAttemptWithoutAnImageCompletesUpdateExecuted(t *testing.T) {
	for name, failed := range map[string]work{
		"the pull has failed":  {files: succeed, pull: fail, image: succeed},
		"the image has failed": {files: succeed, pull: succeed, image: fail},
	} {
		client := upgrademonitortest.NewClientset(t)
		monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
			Client: client, NodeName: "worker-0", ImageMode: func() bool { return true },
			Node: func() (*corev1.Node, error) { return newNode(oldImage, newImage), nil },
		})
		require.NoError(t, err)
		monitor.Report(t.Context(), phases.Updated, "Node needs an update", "False")
		require.Error(t, apply(t.Context(), monitor, failed))
		require.NoError(t, apply(t.Context(), monitor, work{files: succeed}))
		assert.Contains(t, upgrademonitortest.Transitions(t, client, "worker-0"), `UpdateExecuted: False Unknown True
AppliedFiles: False Unknown True False Unknown True
`, name)
	}
}

func TestErrorsOfTheClientAreReturned(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), nil, work{}, io.Discard), "Client")
	for name, n := range map[string]int{"before the reboot": 2, "after the update": 3} { // the Monitor makes the first get
		client := upgrademonitortest.NewClientset(t)
		gets := 0
		client.PrependReactor("get", "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			gets++
			return gets == n, nil, errors.New("etcd is down")
		})
		require.ErrorContains(t, run(t.Context(), client, work{succeed, succeed, succeed}, io.Discard), "etcd is down", name)
	}
}
