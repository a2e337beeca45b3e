package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// trace is a recorded sequence of calls of the daemon and the controller on a cluster.
type trace struct {
	Name       string
	ImageMode  bool
	Start      string
	SpecWrites []specWrite
	Steps      []step
}

type specWrite struct {
	BeforeStep   int
	By           string
	Desired      string
	DesiredImage string
}

type step struct {
	By              string
	Phase           phases.Phase
	Status          metav1.ConditionStatus
	Reason, Message string
	CompletesParent bool
	Node            struct{ CurrentConfig, DesiredConfig, CurrentImage, DesiredImage string }
}

func readTraces(t *testing.T) map[string]trace {
	t.Helper()
	data, err := os.ReadFile("testdata/daemon-calls.json")
	require.NoError(t, err)
	var list []trace
	require.NoError(t, json.Unmarshal(data, &list))
	byName := map[string]trace{}
	for _, trace := range list {
		byName[trace.Name] = trace
	}
	return byName
}

// The daemon and the controller are replayed with a Monitor each.
func TestAWatcherOfTheTracesSeesNoSkippedTransition(t *testing.T) {
	traces := readTraces(t)
	for name, tr := range traces {
		t.Run(name, func(t *testing.T) {
			name, create := "trace-"+strings.ReplaceAll(name, "_", "-"), newTestNode
			if tr.ImageMode {
				create = newImageModeNode
			}
			replayAll(t, create(t, name), traces, tr)
		})
	}
}

// replayAll replays a trace, after the trace that it continues.
func replayAll(t *testing.T, w *testNode, traces map[string]trace, tr trace) {
	t.Helper()
	r := &replay{node: w, history: watchFrom(t, w), monitors: map[string]*upgrademonitor.Monitor{}, requests: map[string]*transport{}}
	if start, ok := traces[strings.TrimSuffix(tr.Start, "_gate_on")]; ok {
		r.run(start)
	}
	r.run(tr)
	r.history.check()
	if last := tr.Steps[len(tr.Steps)-1]; last.Phase == phases.Updated {
		r.history.checkEnded()
	}
	for by, requests := range r.requests {
		t.Logf("%s: %v", by, requests)
		assert.Zero(t, requests.answered(http.StatusUnprocessableEntity, http.StatusForbidden), "422 or 403 to the %s", by)
	}
}

// replay is a trace that is being replayed.
type replay struct {
	node     *testNode
	history  *history
	monitors map[string]*upgrademonitor.Monitor
	requests map[string]*transport
}

func (r *replay) monitor(by string) *upgrademonitor.Monitor {
	if r.monitors[by] == nil {
		r.monitors[by], r.requests[by] = r.node.monitor("worker")
	}
	return r.monitors[by]
}

func (r *replay) run(tr trace) {
	t := r.node.t
	t.Helper()
	for i, step := range tr.Steps {
		for _, write := range tr.SpecWrites {
			if write.BeforeStep == i {
				r.node.annotateVersions(version{step.Node.CurrentConfig, step.Node.CurrentImage}, version{write.Desired, write.DesiredImage})
				require.NoError(t, r.monitor(write.By).GenerateAndApplyMachineConfigNodeSpec(t.Context()))
			}
		}
		r.node.annotateVersions(version{step.Node.CurrentConfig, step.Node.CurrentImage}, version{step.Node.DesiredConfig, step.Node.DesiredImage})
		var opts []upgrademonitor.Option
		if step.CompletesParent {
			opts = append(opts, upgrademonitor.CompletesParent())
		}
		var before []metav1.Condition
		if len(r.history.events) > 0 {
			before = r.history.last().Status.Conditions
		}
		start := time.Now()
		require.NoError(t, r.monitor(step.By).GenerateAndApplyMachineConfigNode(t.Context(), step.Phase, step.Reason, step.Message, step.Status, opts...),
			"step %d of %s", i, tr.Name)
		r.history.checkTimes(before, r.history.catchUp(), start, time.Now())
	}
}
