// Package election lets one of the replicas of a program lead.
package election

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// Election elects one of the replicas of an operator, which runs the controllers. Two that run
// at once would be correct, but write everything twice.
type Election struct {
	Leases    coordinationv1client.LeasesGetter
	Namespace string        // of the Lease
	Name      string        // of the Lease
	Identity  string        // of this replica, see NewIdentity
	Duration  time.Duration // after which others take over a Lease that is not renewed

	// Waiting is called when another replica leads.
	Waiting func(holder string)
}

// NewIdentity returns an identity that no other replica has.
func NewIdentity() string {
	host, _ := os.Hostname()
	return host + "_" + string(uuid.NewUUID())
}

// Run waits for the Lease, and then runs lead until ctx ends or the Lease is lost, which is an
// error. The Lease is released after lead has returned, so that the next leader can start at
// once, and never beside this one.
func (e Election) Run(ctx context.Context, lead func(context.Context) error) error {
	holding, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	// The elector logs each step of the election; only its errors are of interest here.
	holding = klog.NewContext(holding, klog.FromContext(ctx).V(2))

	started := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name},
			Client:     e.Leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: e.Identity},
		},
		LeaseDuration:   e.Duration, // and the usual proportions: 15s, 10s, 2s
		RenewDeadline:   e.Duration * 10 / 15,
		RetryPeriod:     e.Duration * 2 / 15,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) { started <- leading },
			OnStoppedLeading: func() {},
			OnNewLeader: func(holder string) {
				if holder != e.Identity {
					e.Waiting(holder)
				}
			},
		},
	})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		elector.Run(holding)
	}()
	defer func() {
		release()
		<-ended
	}()

	select {
	case <-ctx.Done():
		return nil
	case leading := <-started:
		leading, cancel := context.WithCancel(leading)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		err := lead(leading)
		if err == nil && ctx.Err() == nil {
			err = fmt.Errorf("lost the Lease %s/%s: another replica may be the leader", e.Namespace, e.Name)
		}
		return err
	}
}
