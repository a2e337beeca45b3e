// Package memory is an in-memory API server for the examples: the fake clientsets of client-go and
// of openshift/client-go, with what they lack, see store.
package memory

import (
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Option changes a clientset.
type Option func(*store)

// WithTimes converts the times that the API server sets, for a cluster whose clock is not the real
// one.
func WithTimes(convert func(time.Time) time.Time) Option {
	return func(s *store) { s.convert = convert }
}

// MachineConfigs returns a clientset that holds MachineConfigNodes and MachineConfigPools.
func MachineConfigs(options ...Option) *mcfgfake.Clientset {
	clientset := mcfgfake.NewClientset()
	serve(&clientset.Fake, clientset.Tracker(), options)
	return clientset
}

// Kube returns a clientset that holds Nodes, Events and Leases.
func Kube(options ...Option) *kubefake.Clientset {
	clientset := kubefake.NewClientset()
	serve(&clientset.Fake, clientset.Tracker(), options)
	return clientset
}

// serve replaces the tracker of a clientset by a store.
func serve(fake *clienttesting.Fake, tracker clienttesting.ObjectTracker, options []Option) *store {
	s := newStore(tracker)
	for _, option := range options {
		option(s)
	}
	fake.PrependReactor("*", "*", clienttesting.ObjectReaction(s))
	fake.PrependWatchReactor("*", s.react)
	return s
}
