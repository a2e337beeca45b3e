package rollout_test

import (
	"context"
	"fmt"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"

	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// A host creates the informers and the controller, and starts both.
func ExampleNew() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	node := newNode("worker-0", "worker")
	desires("rendered-2")(node)
	kube := kubefake.NewClientset(node)
	client := mcfgfake.NewClientset()
	_, err := client.MachineconfigurationV1().MachineConfigPools().Create(ctx, newPool("worker"), metav1.CreateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	watch, err := client.MachineconfigurationV1().MachineConfigNodes().Watch(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}

	core := informers.NewSharedInformerFactory(kube, 0)
	mcfg := mcfginformers.NewSharedInformerFactory(client, 0)
	controller, err := rollout.New(rollout.Config{
		Client:             client,
		KubeClient:         kube,
		Nodes:              core.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	core.Start(ctx.Done())
	mcfg.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() {
		if err := controller.Run(ctx, 1); err != nil {
			fmt.Println(err)
		}
	})

	event := <-watch.ResultChan()
	if mcn, ok := event.Object.(*mcfgv1.MachineConfigNode); ok {
		fmt.Println(event.Type, mcn.Name, "of", mcn.Spec.Pool.Name, "should have", mcn.Spec.ConfigVersion.Desired)
	}
	cancel()
	running.Wait()
	core.Shutdown()
	mcfg.Shutdown()
	// Output:
	// ADDED worker-0 of worker should have rendered-2
}
