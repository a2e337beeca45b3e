package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/upgrademonitor/examples/internal/componentreport"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// syncInterval is that of the operator and the controller.
const syncInterval = 20 * time.Second

// errStep is the error of a step that fails.
var errStep = errors.New("timed out waiting for DaemonSet machine-config-daemon: 5 of 6 pods are ready")

// OperatorSteps returns the steps of the operator's sync.
func OperatorSteps() []components.State {
	return slices.DeleteFunc(components.States(components.Operator), func(s components.State) bool {
		parent, ok := components.ParentOf(s)
		return !ok || parent != components.OperatorSync
	})
}

// FailStep runs an operator and a controller that report on MachineConfiguration/cluster. A step of
// the operator fails and recovers: show is called with the conditions before, meanwhile and after.
func (c *Cluster) FailStep(ctx context.Context, step components.State, show func(title string, conditions []metav1.Condition) error) error {
	configurations := memory.Configurations(memory.WithTimes(c.clock.convert))
	client := configurations.OperatorV1().MachineConfigurations()
	if _, err := client.Create(ctx, &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	changes, err := client.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer changes.Stop()

	var failing atomic.Bool
	operator := c.process(configurations, components.Operator, components.OperatorSync, judgeOthers)
	operator.Steps = []componentreport.Step{{State: step, Run: func(context.Context) error {
		if failing.Load() {
			return errStep
		}
		return nil
	}}}
	controller := c.process(configurations, components.Controller, components.MCCSync, judgeOperator)
	return program.Together(ctx, operator.Run, controller.Run, func(ctx context.Context) error {
		for _, stage := range []struct {
			title string
			fails bool
			until components.Health
		}{
			{"All components are healthy", false, components.Healthy},
			{fmt.Sprintf("The operator fails at %s", step), true, components.Unhealthy},
			{"The operator has recovered", false, components.Healthy},
		} {
			failing.Store(stage.fails)
			conditions, err := waitForHealth(ctx, changes.ResultChan(), stage.until)
			if err != nil {
				return err
			}
			if err := show(stage.title, conditions); err != nil {
				return err
			}
		}
		return nil
	})
}

// process returns the operator or the controller, on the clock of the cluster.
func (c *Cluster) process(configurations operatorclientset.Interface, component components.Component, sync components.State, judge judgement) componentreport.Process {
	return componentreport.Process{
		Client: configurations, State: sync, Interval: syncInterval, Judge: judge,
		Config: components.Config{Component: component, Clock: c.clock},
	}
}

// waitForHealth waits for conditions with this overall health.
func waitForHealth(ctx context.Context, changes <-chan watch.Event, health components.Health) ([]metav1.Condition, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case change := <-changes:
			if mc, ok := change.Object.(*operatorv1.MachineConfiguration); ok && components.Overall(mc.Status.Conditions) == health {
				return mc.Status.Conditions, nil
			}
		}
	}
}

// judgement is what a process concludes about others, until ctx ends.
type judgement func(context.Context, *components.Reporter) error

// judgeOperator concludes that the operator is running, as a LeaseWatch would.
func judgeOperator(ctx context.Context, reporter *components.Reporter) error {
	err := reporter.SetPeerConditions(components.Operator, condition(components.Operator, components.Available, metav1.ConditionTrue))
	<-ctx.Done()
	return err
}

// judgeOthers concludes that the controller and the daemons are running.
func judgeOthers(ctx context.Context, reporter *components.Reporter) error {
	err := errors.Join(
		reporter.SetPeerConditions(components.Controller, condition(components.Controller, components.Available, metav1.ConditionTrue)),
		reporter.SetPeerConditions(components.Daemon,
			condition(components.Daemon, components.Available, metav1.ConditionTrue),
			condition(components.Daemon, components.Degraded, metav1.ConditionFalse)))
	<-ctx.Done()
	return err
}

func condition(c components.Component, a components.Aspect, status metav1.ConditionStatus) metav1.Condition {
	return metav1.Condition{Type: components.TypeOf(c, a), Status: status, Reason: "AsExpected"}
}
