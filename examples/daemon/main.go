// Command daemon reports the steps of each update of a node on its MachineConfigNode, as the
// machine-config-daemon does. With --kubeconfig, or in a Pod, the command runs until SIGTERM, and
// reports an update when the desired config of the Node changes. The command does not update the
// node. But it changes the annotation currentConfig of the Node, so use a test cluster. Without a
// cluster, the command shows one update of a Node in memory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig of a test cluster")
	name := flag.String("node", "worker-0", "name of the Node")
	imageMode := flag.Bool("image-mode", false, "whether the feature gate ImageModeStatusReporting is on")
	flag.Parse()
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: *kubeconfig}, nil).ClientConfig()
	switch {
	case err == nil:
		err = onCluster(stop, config, *name, func() bool { return *imageMode })
	case *kubeconfig == "":
		err = inMemory(stop, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func onCluster(stop context.Context, config *rest.Config, name string, imageMode func() bool) error {
	core, err := corev1client.NewForConfig(config)
	if err != nil {
		return err
	}
	client, err := mcfgclientset.NewForConfig(config)
	if err != nil {
		return err
	}
	onlyThisNode := fields.OneTermEqualSelector("metadata.name", name)
	list := cache.NewListWatchFromClient(core.RESTClient(), "nodes", "", onlyThisNode)
	nodes := cache.NewSharedIndexInformer(list, &corev1.Node{}, 0, cache.Indexers{})
	// The informer runs until the last report is written.
	informing, end := context.WithCancel(context.WithoutCancel(stop))
	defer end()
	go nodes.RunWithContext(informing)
	d, err := newDaemon(stop, client, corelisters.NewNodeLister(nodes.GetIndexer()), name, imageMode)
	if err != nil {
		return err
	}
	d.setDone = func(ctx context.Context, config string) error {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, currentConfig, config)
		_, err := core.Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return err
		}
		// Wait for the cache, because the next report reads the annotation from the cache.
		isCached := func(context.Context) (bool, error) {
			node, err := d.node()
			return err == nil && node.Annotations[currentConfig] == config, nil
		}
		return wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 5*time.Second, true, isCached)
	}
	if !cache.WaitForCacheSync(stop.Done(), nodes.HasSynced) {
		return stop.Err()
	}
	d.run(stop)
	return nil
}

// inMemory updates a Node in three calls of sync. In the first call the drain fails, in the second
// call the node reboots, and the third call completes the update.
func inMemory(ctx context.Context, out io.Writer) error {
	newNode := func(current string) *corev1.Node {
		annotations := map[string]string{
			currentConfig: current,
			desiredConfig: "rendered-worker-2",
		}
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1a01a163", Annotations: annotations},
		}
	}
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	client := mcfgfake.NewClientset()
	_ = nodes.Add(newNode("rendered-worker-1"))
	d, err := newDaemon(ctx, client, corelisters.NewNodeLister(nodes), "worker-0", func() bool { return false })
	if err != nil {
		return err
	}
	d.setDone = func(_ context.Context, config string) error { return nodes.Update(newNode(config)) }
	d.reboot = func(context.Context) error {
		d.rebooted = true
		return nil
	}
	// On a cluster, the drain controller reports Cordoned, Drained and Uncordoned.
	d.uncordon = func(ctx context.Context) error {
		d.monitor.Report(ctx, phases.Uncordoned, "Uncordoned node", metav1.ConditionTrue,
			upgrademonitor.CompletesParent())
		return nil
	}
	for _, eviction := range []error{errors.New("pod web-0 cannot be evicted"), nil, nil} {
		d.drain = func(ctx context.Context) error {
			d.monitor.Report(ctx, phases.Cordoned, "Cordoned node", metav1.ConditionTrue)
			return d.monitor.Track(ctx, phases.Drained, "Draining node", func(context.Context) error { return eviction })
		}
		if err := d.sync(ctx); err != nil {
			fmt.Fprintf(out, "\n%v\n", err)
		}
		mcn, err := client.MachineconfigurationV1().MachineConfigNodes().Get(ctx, "worker-0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\nThe reported conditions of the MachineConfigNode:\n\n")
		for _, c := range mcn.Status.Conditions {
			if conditions.IsReservedReason(c.Reason) {
				continue
			}
			name := c.Type
			if _, isChild := phases.ParentOf(phases.Phase(c.Type)); isChild {
				name = "  " + name
			}
			fmt.Fprintf(out, "%-24s %-8s %s\n", name, c.Status, c.Message)
		}
	}
	return nil
}
