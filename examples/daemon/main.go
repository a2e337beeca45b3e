// Command daemon reports the steps of each update of a node on its MachineConfigNode, as the
// machine-config-daemon does. Without a cluster, the command shows one update of a Node in memory.
//
// With --kubeconfig, or in a Pod, the command runs until SIGTERM, and reports an update when the desired
// config of the Node changes. It does not update the node. But it changes annotations of the Node, and asks
// examples/drain-controller to drain the Node, so use a test cluster, for example:
//
//	eval "$(make cluster)"
//	kubectl create -f - <<<'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-0"}}'
//	kubectl annotate node worker-0 machineconfiguration.openshift.io/{current,desired}Config=rendered-1
//	go run ./examples/drain-controller --kubeconfig "$KUBECONFIG" &
//	go run ./examples/daemon --kubeconfig "${KUBECONFIG%/*}/daemon.kubeconfig" & # as the daemon, under the admission policies
//	kubectl annotate --overwrite node worker-0 machineconfiguration.openshift.io/desiredConfig=rendered-2
//	kubectl get machineconfignodes -o wide --watch
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	var o options
	kubeconfig := flag.String("kubeconfig", "", "path of the kubeconfig of a test cluster")
	flag.StringVar(&o.node, "node", "worker-0", "name of the Node")
	flag.BoolVar(&o.drains, "drain", true, "whether an update needs a drain, which needs the drain controller")
	flag.BoolVar(&o.boots, "reboot", true, "whether an update needs a reboot")
	flag.DurationVar(&o.timeOfEachStep, "step", time.Second, "how long each step takes")
	flag.Parse()
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(stop, cancel) // the second signal ends the process, for example during a drain
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: *kubeconfig}, nil).ClientConfig()
	switch {
	case err == nil:
		err = onCluster(stop, kubernetes.NewForConfigOrDie(config), mcfgclientset.NewForConfigOrDie(config), o)
	case *kubeconfig == "":
		err = inMemory(stop, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
