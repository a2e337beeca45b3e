package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

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

// The calls of a daemon and a drain controller that were recorded on a cluster are accepted: a watcher sees no illegal
// transition, and the API server and the policies reject no request. Each process has its own Monitor.
func TestTracesOfAClusterAreAccepted(t *testing.T) {
	data, err := os.ReadFile("testdata/daemon-calls.json")
	require.NoError(t, err)
	var traces []trace
	require.NoError(t, json.Unmarshal(data, &traces))
	for _, tr := range traces {
		t.Run(tr.Name, func(t *testing.T) {
			create := newTestNode
			if tr.ImageMode {
				create = newImageModeNode
			}
			w := create(t, "trace-"+strings.ReplaceAll(tr.Name, "_", "-"))
			r := &replay{node: w, monitors: map[string]*upgrademonitor.Monitor{}, requests: map[string]*transport{}}
			history := watchFrom(t, w)
			for _, start := range traces {
				if start.Name == strings.TrimSuffix(tr.Start, "_gate_on") {
					r.run(start)
				}
			}
			r.run(tr)
			history.check()
			if last := tr.Steps[len(tr.Steps)-1]; last.Phase == phases.Updated {
				history.checkEnded()
			}
			for by, requests := range r.requests {
				t.Logf("%s: %v", by, requests)
				assert.Zero(t, requests.answered(http.StatusUnprocessableEntity, http.StatusForbidden), by)
			}
		})
	}
}

// replay has the Monitor of each process of a trace, and its requests.
type replay struct {
	node     *testNode
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
		current := version{step.Node.CurrentConfig, step.Node.CurrentImage}
		for _, write := range tr.SpecWrites {
			if write.BeforeStep == i {
				r.node.annotateVersions(current, version{write.Desired, write.DesiredImage})
				call{}.make(t, r.monitor(write.By))
			}
		}
		r.node.annotateVersions(current, version{step.Node.DesiredConfig, step.Node.DesiredImage})
		var opts []upgrademonitor.Option
		if step.CompletesParent {
			opts = completesParent
		}
		require.NoError(t, r.monitor(step.By).GenerateAndApplyMachineConfigNode(t.Context(), step.Phase, step.Reason, step.Message, step.Status, opts...),
			"step %d of %s", i, tr.Name)
	}
}
