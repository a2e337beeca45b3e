package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// TestMCNScale prints the cost of the first screen with MCN_NODES nodes, beside that of kubectl get: see make scale-kubectl. If
// MCN_BEFORE is the folder of another kubectl-mcn, the test also prints its cost.
func TestMCNScale(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("MCN_NODES"))
	if err != nil {
		t.Skip("MCN_NODES is not set to a number of nodes")
	}
	kubectlMCN := buildMCN(t)
	newMCNPool(t, "mcn-scale", newConfig)
	client, kube := nodesOf(t, standard.Config()), kubernetes.NewForConfigOrDie(standard.Config()).CoreV1().Nodes()
	var failed atomic.Value
	workqueue.ParallelizeUntil(t.Context(), 16, n, func(i int) {
		node, err := kube.Create(t.Context(), kubeNode(i), metav1.CreateOptions{})
		if err == nil {
			err = createMidway(t.Context(), client, node, i)
		}
		if err != nil {
			failed.Store(err)
		}
	})
	require.Nil(t, failed.Load())

	table := fmt.Sprintf("| %d nodes | first output s | requests | MB of objects | MB of Nodes | peak RSS MB | CPU s |\n|---|---:|---:|---:|---:|---:|---:|\n", n)
	commands := [][]string{nil, {"-o", "json"}, {"wait"}, {withoutNodes}}
	commands = append(commands, []string{"get", "nodes"}, []string{"get", "nodes,machineconfignodes"}, []string{"get", "nodes,machineconfignodes", "-o", "json"})
	before := os.Getenv("MCN_BEFORE")
	if before != "" {
		commands = append(commands, []string{ofBefore}, []string{ofBefore, "-o", "json"}, []string{ofBefore, "wait"})
	}
	for _, args := range commands {
		isDenied, isBefore := slices.Contains(args, withoutNodes), slices.Contains(args, ofBefore)
		args = slices.DeleteFunc(args, func(arg string) bool { return arg == withoutNodes || arg == ofBefore })
		var received, receivedNodes, requests atomic.Int64
		kubeconfig := front(t, func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if isDenied && strings.HasSuffix(r.URL.Path, "/nodes") {
					r.Header.Set("Impersonate-User", "nobody")
					r.Header.Del("Impersonate-Group")
				}
				requests.Add(1)
				response, err := next.RoundTrip(r)
				if err == nil {
					count := &received
					if strings.HasSuffix(r.URL.Path, "/nodes") {
						count = &receivedNodes
					}
					response.Body = counted{response.Body, count}
				}
				return response, err
			})
		})
		isGet := len(args) > 0 && args[0] == "get"
		cmd := kubectl(t, args...)
		if !isGet {
			cmd = kubectlMCN("admin", append(args, "mcn-scale")...)
			cmd.Args = append(cmd.Args, "--as-group", "system:masters")
		}
		cmd.Env = append(cmd.Env, "KUBECONFIG="+kubeconfig)
		if isBefore {
			cmd.Env = append(cmd.Env, "PATH="+before+":"+os.Getenv("PATH"))
		}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		cmd.Stderr = os.Stderr
		start := time.Now()
		require.NoError(t, cmd.Start())
		_, err = out.Read(make([]byte, 1))
		require.NoError(t, err)
		took := time.Since(start)
		if len(args) > 0 && args[0] == "wait" {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		name := map[bool]string{true: "kubectl", false: "kubectl mcn"}[isGet]
		command := "`" + strings.Join(append([]string{name}, args...), " ") + "`"
		if isDenied {
			command += ", without permission for Nodes"
		}
		if isBefore {
			command += ", before"
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		table += fmt.Sprintf("| %s | %.2f | %d | %.1f | %.1f | %d | %.2f |\n", command,
			took.Seconds(), requests.Load(), float64(received.Load())/1e6, float64(receivedNodes.Load())/1e6, usage.Maxrss/1024, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	}
	t.Logf("\n%s", table)
}

// withoutNodes marks a command that a user runs who may not read Nodes. The command does not get this argument.
const withoutNodes = "-without-nodes"

// ofBefore marks a command that the program in MCN_BEFORE runs. The program does not get this argument.
const ofBefore = "-before"

// kubeNode returns a Node that is as large as on a cluster, with 50 images, and with the labels and annotations of a cloud
// provider, a network plugin and machine-config-operator.
func kubeNode(i int) *corev1.Node {
	name, current := fmt.Sprintf("mcn-scale-%05d.example.com", i), newConfig
	if i%10 == 0 {
		current = oldConfig
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}, Annotations: map[string]string{
		"machineconfiguration.openshift.io/currentConfig": current, "machineconfiguration.openshift.io/desiredConfig": newConfig,
		"machineconfiguration.openshift.io/state": "Done", "machineconfiguration.openshift.io/reason": "",
		"machineconfiguration.openshift.io/desiredDrain": "uncordon-" + newConfig, "machineconfiguration.openshift.io/lastAppliedDrain": "uncordon-" + newConfig,
	}}}
	for label := range 15 {
		n.Labels[fmt.Sprintf("label-%d.example.com/of-a-node", label)] = "value"
		n.Annotations[fmt.Sprintf("annotation-%d.example.com/of-a-node", label)] = fmt.Sprintf(`{"default":{"mode":"shared","mac-address":"0a:58:%d","ip-addresses":["10.0.0.%d/24"]}}`, label, i)
	}
	for image := range 50 {
		digest := sha256.Sum256(fmt.Append(nil, image, i%7))
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{SizeBytes: int64(500_000_000 + image), Names: []string{
			fmt.Sprintf("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%x", digest), fmt.Sprintf("quay.io/openshift-release-dev/image-%d:latest", image)}})
	}
	for _, t := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady} {
		status := corev1.ConditionFalse
		if t == corev1.NodeReady {
			status = corev1.ConditionTrue
		}
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: t, Status: status, Reason: "Kubelet" + string(t), Message: "the kubelet reports " + string(t), LastTransitionTime: metav1.Now()})
	}
	return n
}

// createMidway creates the object of a node that is updating, waiting for its update, or done.
func createMidway(ctx context.Context, client nodes, node *corev1.Node, i int) error {
	name := node.Name
	mcn := bareObject(name)
	mcn.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID}}
	mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired = "mcn-scale", newConfig
	mcn, err := client.Create(ctx, mcn, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: newConfig, Desired: newConfig}
	now := metav1.Now()
	mcn.Status.Conditions = transitions.Complete(nil, false, now)
	reports := []transitions.Report{{Phase: phases.Updated, Status: metav1.ConditionTrue}}
	if i%10 == 0 {
		mcn.Status.ConfigVersion.Current = oldConfig
		reports = append(reports, transitions.Report{Phase: phases.Updated, Status: metav1.ConditionFalse},
			transitions.Report{Phase: phases.UpdatePrepared, Status: metav1.ConditionTrue}, transitions.Report{Phase: phases.Drained, Status: metav1.ConditionUnknown})
	}
	for _, r := range reports {
		r.Reason, r.Message, r.Time = string(r.Phase), "about "+string(r.Phase)+" of "+name, now
		lists, err := conditionstest.Writes(mcn.Status.Conditions, false, r, transitions.Update{Name: newConfig})
		if err != nil {
			return err
		}
		if len(lists) > 0 {
			mcn.Status.Conditions = lists[len(lists)-1]
		}
	}
	_, err = client.UpdateStatus(ctx, mcn, metav1.UpdateOptions{})
	return err
}

// counted is a response body that counts the bytes that are read.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n.Add(int64(n))
	return n, err
}
