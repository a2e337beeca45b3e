package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	poolName    = "worker"
	workerLabel = "node-role.kubernetes.io/worker"
	nodeImages  = 50 // the maximum number of images that a kubelet reports
)

// config returns the name of the n-th rendered config. The name has a realistic length.
func config(n int) string {
	return fmt.Sprintf("rendered-worker-%.16x", sha256.Sum256(fmt.Append(nil, n)))
}

// node is a Node. latest is the response to the last write.
type node struct {
	name   string
	latest atomic.Pointer[corev1.Node]
}

// createNode creates a Node with a status. The API server does not drop the status of a new Node.
func createNode(ctx context.Context, c *client, i int) (*node, error) {
	object := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("worker-%05d.scale.example.com", i),
			Labels: map[string]string{workerLabel: "", corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"},
			Annotations: map[string]string{
				"machineconfiguration.openshift.io/currentConfig": config(1),
				"machineconfiguration.openshift.io/state":         "Done",
				"machineconfiguration.openshift.io/desiredConfig": config(1),
			},
		},
		Status: corev1.NodeStatus{
			Phase:      corev1.NodeRunning,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			NodeInfo:   corev1.NodeSystemInfo{OperatingSystem: "linux", Architecture: "amd64"},
		},
	}
	for image := range nodeImages {
		name := fmt.Sprintf("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%x", sha256.Sum256(fmt.Append(nil, image)))
		entry := corev1.ContainerImage{Names: []string{name}, SizeBytes: 500_000_000}
		object.Status.Images = append(object.Status.Images, entry)
	}
	created, err := c.core.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	n := &node{name: created.Name}
	n.latest.Store(created)
	return n, nil
}

// edit patches the Node, and updates latest.
func (n *node) edit(ctx context.Context, c *client, edit nodeEdit, config string) error {
	if edit == "" {
		return nil
	}
	patch := []byte(strings.ReplaceAll(string(edit), "CONFIG", config))
	changed, err := c.core.CoreV1().Nodes().Patch(ctx, n.name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil {
		n.latest.Store(changed)
	}
	return err
}
