package simulation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// event lets one thing happen that is not the daemon's doing.
func (s *simulation) event() {
	switch n := s.rng.IntN(12); {
	case n < 6:
		w, cut := weathers[s.rng.IntN(len(weathers))], s.rng.IntN(3) > 0
		if s.rejects && w.name == "flaky" {
			w.faults = append([]string{"invalid"}, every...)
		}
		s.change(w, cut)
		s.mu.Lock()
		s.windows = append(s.windows, window{weather: w, from: time.Now()})
		s.mu.Unlock()
		if p := s.process("daemon"); w.name == "fair" && p.runs {
			s.checkPending(p, cut)
		}
	case n == 6:
		behind := s.rng.IntN(2) == 0
		s.log("the view of the Node is behind: %t", behind)
		s.behindNode(behind)
	case n < 9 && s.lister != nil:
		s.lister.change(listerModes[s.rng.IntN(len(listerModes))])
	case n == 9:
		name := "daemon"
		if s.drains && s.rng.IntN(2) == 0 {
			name = "controller"
		}
		s.process(name).kill()
		started := s.start(name)
		s.mu.Lock()
		s.processes[name] = started
		s.windows = append(s.windows, window{weather: s.server.weather, from: time.Now()})
		s.mu.Unlock()
	case s.others:
		other := others[s.rng.IntN(len(others))]
		s.log("others: %s", other.name)
		other.write(s)
	}
}

// others are the writes of other processes.
var others = []struct {
	name  string
	write func(*simulation)
}{
	{"a condition of their own", func(s *simulation) { s.server.writeForeign(time.Now()) }},
	{"a label", func(s *simulation) {
		s.server.write(func(m *mcfgv1.MachineConfigNode) { m.Labels = map[string]string{"at": fmt.Sprint(time.Now().Unix())} }, "")
	}},
	{"another pool", func(s *simulation) {
		s.server.write(func(m *mcfgv1.MachineConfigNode) { m.Spec.Pool.Name = "infra" }, "")
	}},
	{"NodeDegraded", func(s *simulation) {
		s.server.write(func(m *mcfgv1.MachineConfigNode) { set(m, phases.NodeDegraded, metav1.ConditionTrue) }, apiserver.StatusSubresource)
	}},
	{"Updated=Unknown", func(s *simulation) {
		s.server.write(func(m *mcfgv1.MachineConfigNode) {
			set(m, phases.Updated, metav1.ConditionUnknown)
			s.server.ended = time.Now()
		}, apiserver.StatusSubresource)
	}},
	{"the end of the update", func(s *simulation) {
		s.server.write(func(m *mcfgv1.MachineConfigNode) {
			for _, c := range m.Status.Conditions {
				if phases.IsUpdateStep(phases.Phase(c.Type)) {
					set(m, phases.Phase(c.Type), metav1.ConditionFalse)
				}
			}
			set(m, phases.Updated, metav1.ConditionTrue)
			s.server.ended = time.Now()
		}, apiserver.StatusSubresource)
	}},
	{"the object is deleted", func(s *simulation) { s.server.remove() }},
}

func set(m *mcfgv1.MachineConfigNode, p phases.Phase, status metav1.ConditionStatus) {
	for i := range m.Status.Conditions {
		if c := &m.Status.Conditions[i]; c.Type == string(p) && c.Status != status {
			c.Status, c.Message, c.LastTransitionTime = status, "by others", metav1.NewTime(time.Now().Truncate(time.Second))
		}
	}
}

// writeForeign writes a condition that is no phase, as typed clients do not keep it.
func (s *server) writeForeign(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.object == nil {
		return
	}
	var status struct{ Conditions []json.RawMessage }
	_ = json.Unmarshal(s.object.Status, &status)
	list := []json.RawMessage{}
	for _, c := range status.Conditions {
		var condition metav1.Condition
		if _ = json.Unmarshal(c, &condition); phases.KindOf(phases.Phase(condition.Type)) != "" {
			list = append(list, c)
		}
	}
	list = append(list, json.RawMessage(fmt.Sprintf(`{"type":"InternalReleaseImageDegraded","status":"False","reason":"AsExpected","message":"","lastTransitionTime":%q,"extra":1}`,
		now.In(time.FixedZone("", 7200)).Format(time.RFC3339))))
	patch, _ := json.Marshal(map[string]any{"status": map[string]any{"conditions": list}})
	after, err := s.object.Patch(patch, apiserver.StatusSubresource, s.revision+1)
	if err != nil {
		s.fail("a write of another process: %v", err)
		return
	}
	s.store(&after)
}

// lister is that of an informer.
type lister struct {
	mcfglisters.MachineConfigNodeLister
	simulation *simulation
	mode       string
	at         int // how many versions it has seen
}

var listerModes = []string{"current", "current", "lags", "old", "trims", "trims images", "fails", "stands still"}

func (l *lister) change(mode string) {
	l.simulation.log("the Lister: %s", mode)
	s := l.simulation.server
	s.mu.Lock()
	defer s.mu.Unlock()
	l.mode = mode
}

func (l *lister) List(labels.Selector) ([]*mcfgv1.MachineConfigNode, error) {
	return nil, errors.New("not used")
}

// Get implements the lister of a single informer.
func (l *lister) Get(name string) (*mcfgv1.MachineConfigNode, error) {
	s := l.simulation.server
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.versions)
	switch l.mode {
	case "fails":
		return nil, errors.New("the informer has not synced")
	case "stands still":
	case "lags":
		l.at = max(l.at, n-1-s.rng.IntN(3))
	case "old":
		l.at = max(0, n-s.rng.IntN(10))
	default:
		l.at = n
	}
	l.at = max(0, min(l.at, n))
	if l.at == 0 || s.versions[l.at-1] == nil {
		return nil, apiserver.NotFound(name)
	}
	object := s.versions[l.at-1]
	switch l.mode {
	case "trims":
		object = object.DeepCopy()
		object.Status = mcfgv1.MachineConfigNodeStatus{}
	case "trims images":
		object = object.DeepCopy()
		object.Status.PinnedImageSets, object.OwnerReferences = nil, nil
	}
	return object, nil
}
