package components_test

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// metrics is an Observer that counts as a Prometheus client would.
type metrics struct {
	mu     sync.Mutex
	total  map[string]int // mco_state_total{state, failed}
	health map[components.Component]components.Health
}

var _ components.Observer = &metrics{}

func (m *metrics) StepStarted(components.Component, components.State) {}

func (m *metrics) StepEnded(_ components.Component, s components.State, _ time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total[fmt.Sprintf("mco_state_total{state=%q,failed=\"%t\"}", s, err != nil)]++
}

func (m *metrics) HealthChanged(c components.Component, h components.Health) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.health[c] = h
}

func (m *metrics) Written(time.Duration, error) {}

// An Observer is notified of each step, also of those that are too short for a condition.
func ExampleObserver() {
	observed := &metrics{total: map[string]int{}, health: map[components.Component]components.Health{}}
	server := newMemory() // in a cluster: a clientset, and the lister of an informer
	reporter, err := components.New(components.Config{
		Client:    server,
		Lister:    server.lister(),
		Component: components.Operator,
		Observer:  observed,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for _, err := range []error{nil, nil, errDaemons} {
		_ = reporter.Track(ctx, components.OperatorSyncMCD, "", func(context.Context) error { return err })
	}
	var lines []string
	for name, n := range observed.total {
		lines = append(lines, fmt.Sprint(name, " ", n))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// mco_state_total{state="OperatorSyncMCD",failed="false"} 2
	// mco_state_total{state="OperatorSyncMCD",failed="true"} 1
}

// Before a process ends, it writes pending changes.
func ExampleReporter_Flush() {
	server := newMemory()
	reporter, err := components.New(components.Config{Client: server, Lister: server.lister(), Component: components.Operator})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	reporter.Begin(components.OperatorSync, "").End(nil)
	if err := reporter.Flush(ctx); err != nil {
		fmt.Println(err)
	}
	for _, c := range server.conditions() {
		fmt.Println(c.Type, c.Status, c.Reason)
	}
	// Output:
	// MachineConfigOperatorDegraded False AsExpected
	// MachineConfigOperatorProgressing False AsExpected
	// MachineConfigBootstrapProgressing False Complete
}

// A reader needs only the conditions of MachineConfiguration/cluster.
func ExampleMostRecentError() {
	conditions := []metav1.Condition{
		{Type: components.TypeOf(components.Operator, components.Available), Status: metav1.ConditionTrue, Reason: "AsExpected"},
		{Type: components.TypeOf(components.Operator, components.Degraded), Status: metav1.ConditionTrue, Reason: "OperatorSyncMCDFailed",
			Message: "timed out waiting for the daemons", LastTransitionTime: noon},
	}
	fmt.Println("operator:", components.HealthOf(conditions, components.Operator))
	fmt.Println("overall:", components.Overall(conditions))
	if fault, ok := components.MostRecentError(conditions); ok {
		fmt.Printf("%s since %s: %s\n", fault.State, fault.Since.UTC().Format("15:04"), fault.Message)
	}
	// Output:
	// operator: Unhealthy
	// overall: Unhealthy
	// OperatorSyncMCD since 12:00: timed out waiting for the daemons
}
