// Package memory is an API server that lives in memory, for the examples: the fake
// clientsets of client-go and of openshift/client-go, with what they lack, see store.
package memory

import (
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// MachineConfigs returns a clientset that holds MachineConfigNodes and MachineConfigPools.
func MachineConfigs() *mcfgfake.Clientset {
	clientset := mcfgfake.NewClientset()
	serve(&clientset.Fake, clientset.Tracker())
	return clientset
}

// Kube returns a clientset that holds Nodes and Events.
func Kube() *kubefake.Clientset {
	clientset := kubefake.NewClientset()
	serve(&clientset.Fake, clientset.Tracker())
	return clientset
}

// serve has a store answer in the tracker's place.
func serve(fake *clienttesting.Fake, tracker clienttesting.ObjectTracker) {
	s := newStore(tracker)
	fake.PrependReactor("*", "*", clienttesting.ObjectReaction(s))
	fake.PrependWatchReactor("*", s.react)
}
