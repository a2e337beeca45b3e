package simulation_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// event makes a random event happen: to the weather, the view of the Node, the Lister, a process or another client.
func (s *simulation) event() {
	switch n := s.rng.IntN(12); {
	case n < 6:
		w, cut := weathers[s.rng.IntN(len(weathers))], s.rng.IntN(3) > 0
		s.change(w, cut)
	case n == 6:
		stale := s.rng.IntN(2) == 0
		s.log("the view of the Node is out of date: %t", stale)
		s.makeStale(stale)
	case n < 9 && s.lister != nil:
		s.lister.change(listerModes[s.rng.IntN(len(listerModes))])
	case n == 9:
		name := "daemon"
		if s.old == "daemon" || s.drains && s.rng.IntN(2) == 0 {
			name = "controller"
		}
		s.log("%s ends", name)
		if p := s.process(name); s.rng.IntN(2) == 0 {
			s.terminate(p)
		} else {
			p.kill()
		}
		started := s.start(name)
		s.mu.Lock()
		s.processes[name] = started
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
	{"a condition that is not a phase", func(s *simulation) { s.server.writeForeign(time.Now()) }},
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

// terminate ends the life of a process and calls Flush, as a process does after SIGTERM.
func (s *simulation) terminate(p *process) {
	p.end()
	s.flush(p, time.Duration(1+s.rng.IntN(20))*time.Second)
	p.kill()
}

// writeForeign writes a condition that is not a phase.
func (s *weatherServer) writeForeign(now time.Time) {
	s.write(func(m *mcfgv1.MachineConfigNode) {
		list := slices.DeleteFunc(m.Status.Conditions, func(c metav1.Condition) bool { return phases.KindOf(phases.Phase(c.Type)) == "" })
		m.Status.Conditions = append(list, metav1.Condition{Type: "InternalReleaseImageDegraded", Status: metav1.ConditionFalse,
			Reason: "AsExpected", LastTransitionTime: metav1.NewTime(now.Truncate(time.Second))})
	}, apiserver.StatusSubresource)
}

// lister is a Lister that is current, lags, or fails, depending on its mode.
type lister struct {
	mcfglisters.MachineConfigNodeLister
	simulation *simulation
	mode       string
	at         int // the number of versions that it has seen
}

var listerModes = []string{"current", "current", "lags", "old", "trims", "fails", "stands still"}

func (l *lister) change(mode string) {
	l.simulation.log("the Lister: %s", mode)
	s := l.simulation.server
	s.mu.Lock()
	defer s.mu.Unlock()
	l.mode = mode
}

// Get returns the version of the object that the mode of the lister selects.
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
		object.ManagedFields = nil
	}
	return object, nil
}
