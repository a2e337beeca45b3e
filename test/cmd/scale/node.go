package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	// stateAnnotation is the state that the daemon sets on its Node.
	stateAnnotation = "machineconfiguration.openshift.io/state"

	nodeImages = 50 // as many as a kubelet reports
)

// config returns the name of the n-th rendered config, as long as a real one.
func config(n int) string {
	return fmt.Sprintf("rendered-worker-%.16x", sha256.Sum256(fmt.Append(nil, n)))
}

// workerNode is a Node, and its daemon's view of it.
type workerNode struct {
	name string

	mu   sync.Mutex
	node *corev1.Node
}

func newWorkerNode(i int, config string) *workerNode {
	name := fmt.Sprintf("worker-%05d.scale.example.com", i)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: map[string]string{workerLabel: "", corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"},
			Annotations: map[string]string{
				upgrademonitor.CurrentConfigAnnotation: config,
				upgrademonitor.DesiredConfigAnnotation: config,
				stateAnnotation:                        "Done",
			},
		},
		Status: corev1.NodeStatus{
			Phase:      corev1.NodeRunning,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"}},
			NodeInfo:   corev1.NodeSystemInfo{OperatingSystem: "linux", Architecture: "amd64", KubeletVersion: "v1.36.2"},
		},
	}
	for image := range nodeImages {
		digest := sha256.Sum256(fmt.Append(nil, image))
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names: []string{
				fmt.Sprintf("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%x", digest),
				fmt.Sprintf("quay.io/openshift-release-dev/ocp-v4.0-art-dev:<none>-%d", image),
			},
			SizeBytes: 500_000_000,
		})
	}
	return &workerNode{name: name, node: node}
}

// view returns the daemon's view, which is immutable.
func (n *workerNode) view() *corev1.Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.node
}

// create creates the Node with its status, which the server does not drop.
func (n *workerNode) create(ctx context.Context, p *party) error {
	node, err := p.core.CoreV1().Nodes().Create(ctx, n.view(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.node = node
	return nil
}

// edit changes the Node in the daemon's view and, unless p is nil, on the server.
func (n *workerNode) edit(ctx context.Context, p *party, edit nodeEdit, config string) error {
	patch := patchOf(edit, config)
	if patch == nil {
		return nil
	}
	node := n.view().DeepCopy()
	if p == nil {
		maps.Copy(node.Annotations, patch.Metadata.Annotations)
	} else {
		data, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		if node, err = p.core.CoreV1().Nodes().Patch(ctx, n.name, types.MergePatchType, data, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.node = node
	return nil
}

// nodePatch is a merge patch of a Node.
type nodePatch struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata,omitzero"`
	Spec struct {
		Unschedulable *bool `json:"unschedulable,omitempty"`
	} `json:"spec,omitzero"`
}

// patchOf returns the patch of an edit, nil for nothing.
func patchOf(edit nodeEdit, config string) *nodePatch {
	p := &nodePatch{}
	switch edit {
	case desire:
		p.Metadata.Annotations = map[string]string{upgrademonitor.DesiredConfigAnnotation: config}
	case cordon:
		p.Spec.Unschedulable = new(true)
		p.Metadata.Annotations = map[string]string{stateAnnotation: "Working"}
	case uncordon:
		p.Spec.Unschedulable = new(false)
	case done:
		p.Metadata.Annotations = map[string]string{upgrademonitor.CurrentConfigAnnotation: config, stateAnnotation: "Done"}
	default:
		return nil
	}
	return p
}
