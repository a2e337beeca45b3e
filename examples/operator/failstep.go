package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/examples/internal/componentview"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// errStep is the error of the failing step of a simulation.
var errStep = errors.New("timed out waiting for DaemonSet machine-config-daemon: 5 of 6 pods are ready")

// The intervals of the operator and the controller in a simulation are shorter than real ones.
const simulatedInterval = 20 * time.Millisecond

// isOperatorStep reports whether a state is a step of the operator's sync.
func isOperatorStep(s components.State) bool {
	parent, ok := components.ParentOf(s)
	return ok && parent == components.OperatorSync
}

// showFailedStep lets a step of a simulated operator fail and recover, and prints what
// MachineConfiguration/cluster shows before, meanwhile and after.
func (c command) showFailedStep(ctx context.Context, state components.State) error {
	configurations := memory.Configurations()
	client := configurations.OperatorV1().MachineConfigurations()
	if _, err := client.Create(ctx, &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: components.ObjectName}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	var broken atomic.Bool
	step := func(context.Context) error {
		if broken.Load() {
			return errStep
		}
		return nil
	}
	running, fail := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer fail(nil)
	for _, r := range []reports{
		{state: components.OperatorSync, steps: []syncStep{{state, step}}, config: simulated(components.Operator), judge: judgeSimulated},
		{state: components.MCCSync, config: simulated(components.Controller), judge: judgeOf(components.Operator)},
	} {
		r.client, r.interval = configurations, simulatedInterval
		group.Go(func() {
			if err := r.run(running); err != nil {
				fail(err)
			}
		})
	}
	for _, screen := range []struct {
		title  string
		broken bool
		until  components.Health
	}{
		{"All is well", false, components.Healthy},
		{"A step of the operator fails", true, components.Unhealthy},
		{"It has recovered", false, components.Healthy},
	} {
		broken.Store(screen.broken)
		var list []metav1.Condition
		err := wait.PollUntilContextCancel(running, simulatedInterval, true, func(ctx context.Context) (bool, error) {
			mc, err := client.Get(ctx, components.ObjectName, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			list = mc.Status.Conditions
			return components.Overall(list) == screen.until, nil
		})
		if err != nil {
			return errors.Join(context.Cause(running), err)
		}
		if _, err := fmt.Fprintf(c.Out, "\n%s:\n\n", screen.title); err != nil {
			return err
		}
		if err := componentview.Render(c.Out, list, c.clock.Now(), componentview.Options{}); err != nil {
			return err
		}
	}
	return nil
}

// simulated is the Config of a component that publishes within moments.
func simulated(component components.Component) components.Config {
	return components.Config{
		Component: component, Persist: 2 * simulatedInterval, Dwell: time.Hour, MinInterval: simulatedInterval, MaxInterval: 5 * simulatedInterval,
	}
}

// judgeSimulated is the operator's judgement of a cluster whose controller and daemons are running.
func judgeSimulated(ctx context.Context, reporter *components.Reporter) error {
	if err := judgeOf(components.Controller)(ctx, reporter); err != nil {
		return err
	}
	return judgeOf(components.Daemon)(ctx, reporter)
}

// judgeOf judges that a component is running, as a LeaseWatch or Daemons would on a cluster.
func judgeOf(component components.Component) func(context.Context, *components.Reporter) error {
	list := []metav1.Condition{{Type: components.TypeOf(component, components.Available), Status: metav1.ConditionTrue, Reason: "AsExpected"}}
	if component == components.Daemon {
		list = append(list, metav1.Condition{Type: components.TypeOf(component, components.Degraded), Status: metav1.ConditionFalse, Reason: "AsExpected"})
	}
	return func(_ context.Context, reporter *components.Reporter) error {
		return reporter.Judge(component, list...)
	}
}
