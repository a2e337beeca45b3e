package main

import (
	"context"
	"errors"
	"sync"
	"time"

	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// reports syncs periodically and reports the syncs on MachineConfiguration/cluster.
type reports struct {
	client   operatorclientset.Interface
	state    components.State // of a sync as a whole
	steps    []syncStep
	interval time.Duration
	config   components.Config                                 // without Client and Lister
	judge    func(context.Context, *components.Reporter) error // runs until ctx ends; nil: no judgements
}

// syncStep is one step of a sync.
type syncStep struct {
	state components.State
	run   func(context.Context) error
}

// run syncs until ctx ends, writes pending changes, and returns nil.
func (r reports) run(ctx context.Context) error {
	factory := operatorinformers.NewSharedInformerFactory(r.client, 0)
	configurations := factory.Operator().V1().MachineConfigurations()
	r.config.Client, r.config.Lister = r.client.OperatorV1().MachineConfigurations(), configurations.Lister()
	reporter, err := components.New(r.config)
	if err != nil {
		return err
	}
	if _, err := configurations.Informer().AddEventHandler(reporter.Handler()); err != nil {
		return err
	}
	if err := configurations.Informer().SetWatchErrorHandlerWithContext(unlessEnded); err != nil {
		return err
	}

	ctx, fail := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	start := func(run func(context.Context) error) {
		running.Go(func() {
			if err := run(ctx); err != nil {
				fail(err)
			}
		})
	}
	factory.StartWithContext(ctx)
	if cache.WaitForCacheSync(ctx.Done(), configurations.Informer().HasSynced) {
		start(reporter.Run)
		if r.judge != nil {
			start(func(ctx context.Context) error { return r.judge(ctx, reporter) })
		}
		r.syncUntilEnded(ctx, reporter)
	}
	running.Wait()
	factory.Shutdown()
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = reporter.Flush(flush) // it has logged its error
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// syncUntilEnded makes one sync after the other. Their errors are reported and retried.
func (r reports) syncUntilEnded(ctx context.Context, reporter *components.Reporter) {
	ticker := time.NewTicker(r.interval)
	defer ticker.Stop()
	for {
		_ = reporter.Track(ctx, r.state, "", func(ctx context.Context) error {
			for _, step := range r.steps {
				if err := reporter.Track(ctx, step.state, "", step.run); err != nil {
					return err
				}
			}
			return nil
		})
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
