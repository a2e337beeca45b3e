package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const namespace = "openshift-machine-config-operator"

// lead waits for the Lease, and then runs the functions until ctx ends, the Lease is lost, or any
// function returns.
func lead(ctx context.Context, lock resourcelock.Interface, work ...func(context.Context) error) error {
	election, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	leading := make(chan context.Context, 1) // the context ends when the Lease is lost
	ended := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   137 * time.Second,
		RenewDeadline:   107 * time.Second,
		RetryPeriod:     26 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { leading <- ctx },
			OnStoppedLeading: func() { close(ended) },
		},
	})
	if err != nil {
		return err
	}
	go elector.Run(election)
	defer func() {
		release() // after the work has ended, so that two replicas never work at the same time
		<-ended
	}()
	select {
	case <-ctx.Done():
		return nil
	case led := <-leading:
		return together(ctx, led, work...)
	}
}

// together runs the functions until ctx or led ends, or any function returns. Then it cancels all
// functions, and waits until they have returned.
func together(ctx, led context.Context, work ...func(context.Context) error) error {
	led, stop := context.WithCancel(led)
	defer context.AfterFunc(ctx, stop)()
	ended := make(chan error)
	for _, w := range work {
		go func() { ended <- w(led) }()
	}
	var errs []error
	for range work {
		errs = append(errs, <-ended)
		stop()
	}
	if ctx.Err() == nil {
		errs = append(errs, errors.New("the Lease was lost, or a controller has ended"))
	}
	return errors.Join(errs...)
}
