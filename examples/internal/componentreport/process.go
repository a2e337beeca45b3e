// Package componentreport reports the syncs of an operator on MachineConfiguration/cluster, and
// what it concludes about the controller and the daemons.
package componentreport

import (
	"context"
	"time"

	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/informer"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// flushTimeout bounds the write of pending changes at the end.
const flushTimeout = time.Second

// Process is an operator or a controller, which syncs periodically.
type Process struct {
	Client   operatorclientset.Interface
	State    components.State // of a sync as a whole
	Steps    []Step
	Interval time.Duration
	Config   components.Config // without Client and Lister

	// Judge judges the other components until ctx ends.
	Judge func(context.Context, *components.Reporter) error
}

// Step is a step of a sync.
type Step struct {
	State components.State
	Run   func(context.Context) error
}

// Run syncs until ctx ends, writes pending changes, and returns nil.
func (p Process) Run(ctx context.Context) error {
	factory := operatorinformers.NewSharedInformerFactory(p.Client, 0)
	configurations := factory.Operator().V1().MachineConfigurations()
	if p.Config.Clock == nil {
		p.Config.Clock = clock.RealClock{}
	}
	p.Config.Client, p.Config.Lister = p.Client.OperatorV1().MachineConfigurations(), configurations.Lister()
	reporter, err := components.New(p.Config)
	if err != nil {
		return err
	}
	if _, err := configurations.Informer().AddEventHandler(reporter.Handler()); err != nil {
		return err
	}
	if err := informer.LogWatchErrors(configurations.Informer()); err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), configurations.Informer().HasSynced) {
		return nil
	}
	err = program.Together(ctx, reporter.Run,
		func(ctx context.Context) error { return p.Judge(ctx, reporter) },
		func(ctx context.Context) error { return p.sync(ctx, reporter) })
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	_ = reporter.Flush(flush) // it has logged its error
	return err
}

// sync makes one sync after the other until ctx ends. A step that fails is reported, and retried by
// the next sync.
func (p Process) sync(ctx context.Context, reporter *components.Reporter) error {
	ticker := p.Config.Clock.NewTicker(p.Interval)
	defer ticker.Stop()
	for {
		_ = reporter.Track(ctx, p.State, "", func(ctx context.Context) error {
			for _, step := range p.Steps {
				if err := reporter.Track(ctx, step.State, "", step.Run); err != nil {
					return err
				}
			}
			return nil
		})
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}
