package pool_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// FuzzStatus decodes a pool, its nodes and their objects from bytes, and checks the invariants
// of their status.
func FuzzStatus(f *testing.F) {
	f.Add([]byte{}, uint64(1))
	f.Add([]byte{1, 3, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 0, 0, 7, 1, 2, 0, 1}, uint64(2))
	for seed := range uint64(200) {
		data := make([]byte, 160)
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range data {
			data[i] = byte(random.UintN(256))
		}
		f.Add(data, seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		in := tape(data)
		p, ns, ms := in.cluster()
		options := pool.Options{DegradeOnPinnedImageSets: in.pick(2) == 1, Image: pool.Image{
			State:    []pool.ImageState{pool.ImageUnknown, pool.ImageBuilt, pool.ImageNone, pool.ImageBuilding, pool.ImageBuildFailed, "Odd"}[in.pick(6)],
			PullSpec: []string{newImage, newImage, ""}[in.pick(3)]}}
		before := text(t, p, ns, ms)
		status := pool.Status(p, ns, ms, options, now)
		if after := text(t, p, ns, ms); after != before {
			t.Fatalf("the arguments changed from %s to %s", before, after)
		}
		if p.Spec.Configuration.Name == "" && status.UpdatedMachineCount > 0 {
			t.Fatal("updated to nothing")
		}
		if err := check(status, len(ns), options); err != nil {
			t.Fatalf("%v: %s", err, text(t, status))
		}

		shuffle(rand.New(rand.NewPCG(seed, 1)), ns, ms)
		if again := pool.Status(p, ns, ms, options, now); !equality.Semantic.DeepEqual(status, again) {
			t.Fatalf("in another order: %s, want %s", text(t, again), text(t, status))
		}
		p.Status = status
		if again := pool.Status(p, ns, ms, options, metav1.NewTime(now.AddDate(0, 0, 1))); !equality.Semantic.DeepEqual(status, again) {
			t.Fatalf("an unchanged pool: %s, want %s", text(t, again), text(t, status))
		}
	})
}

// check returns the first invariant that a status violates: of its counts, the CRD, its conditions.
func check(s mcfgv1.MachineConfigPoolStatus, n int, options pool.Options) error {
	is := func(conditionType mcfgv1.MachineConfigPoolConditionType) bool {
		for _, c := range s.Conditions {
			if c.Type == conditionType {
				return c.Status == corev1.ConditionTrue
			}
		}
		return false
	}
	y := s.PoolSynchronizersStatus[0]
	for _, rule := range []struct {
		text  string
		holds bool
	}{
		{"machines = nodes", int(s.MachineCount) == n},
		{"updated + degraded ≤ machines", s.UpdatedMachineCount+s.DegradedMachineCount <= s.MachineCount},
		{"ready ≤ updated", s.ReadyMachineCount <= s.UpdatedMachineCount},
		{"ready + unavailable ≤ machines", s.ReadyMachineCount+s.UnavailableMachineCount <= s.MachineCount},
		{"CRD: machines ≥ each", y.MachineCount >= max(y.UpdatedMachineCount, y.AvailableMachineCount, y.UnavailableMachineCount, y.ReadyMachineCount)},
		{"CRD: available ≥ ready", y.AvailableMachineCount >= y.ReadyMachineCount},
		{"not Updated and Updating at once", !is("Updated") || !is("Updating")},
		{"Updated = all machines", !is("Updated") || s.UpdatedMachineCount == s.MachineCount},
		{"NodeDegraded = degraded machines", is("NodeDegraded") == (s.DegradedMachineCount > 0)},
		{"Degraded where a part is", is("Degraded") == (is("NodeDegraded") || is("RenderDegraded") ||
			options.DegradeOnPinnedImageSets && is("PinnedImageSetsDegraded"))},
		{"no node has an image that does not exist", options.Image.State != pool.ImageBuilding && options.Image.State != pool.ImageBuildFailed ||
			s.UpdatedMachineCount == 0 && !is("Updated")},
	} {
		if !rule.holds {
			return fmt.Errorf("violated: %s", rule.text)
		}
	}
	seen := map[mcfgv1.MachineConfigPoolConditionType]bool{}
	for _, c := range s.Conditions {
		if seen[c.Type] || c.Reason == "" || c.Message == "" {
			return fmt.Errorf("duplicate, or without reason or message: %s", c.Type)
		}
		seen[c.Type] = true
	}
	return nil
}

// shuffle reorders nodes, objects and the objects' conditions.
func shuffle(random *rand.Rand, ns nodes, ms mcns) {
	random.Shuffle(len(ns), func(i, j int) { ns[i], ns[j] = ns[j], ns[i] })
	random.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	for _, m := range ms {
		list := m.Status.Conditions
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}

// tape decodes choices from bytes; at its end, each is 0.
type tape []byte

func (t *tape) pick(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

func (t *tape) cluster() (*mcfgv1.MachineConfigPool, nodes, mcns) {
	p := newPool("worker", func(p *mcfgv1.MachineConfigPool) {
		p.Spec.Paused = t.pick(4) == 3
		p.Spec.Configuration.Name = []string{newConfig, newConfig, oldConfig, ""}[t.pick(4)]
		for _, conditionType := range []mcfgv1.MachineConfigPoolConditionType{"Updated", "Degraded", "RenderDegraded"} {
			if status := t.pick(3); status > 0 {
				p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
					Type: conditionType, Status: []corev1.ConditionStatus{"", "True", "False"}[status], LastTransitionTime: earlier, Reason: "R", Message: "M"})
			}
		}
	})
	var ns nodes
	var ms mcns
	for i := range t.pick(12) {
		name := fmt.Sprintf("n%d", i)
		node := newNode(name)
		for _, change := range [][]func(*corev1.Node){{}, {notReady}, {cordoned}, {notReady, cordoned}}[t.pick(4)] {
			change(node)
		}
		ns = append(ns, node)
		if t.pick(8) != 7 {
			ms = append(ms, t.object(name))
		}
	}
	return p, ns, append(ms, t.object("of no node"))
}

func (t *tape) object(name string) *mcfgv1.MachineConfigNode {
	version := func() string { return []string{newConfig, newConfig, newConfig, oldConfig, ""}[t.pick(5)] }
	image := func() string { return []string{"", newImage, newImage, oldImage}[t.pick(4)] }
	m := newMCN(name, configs(version(), version(), version()), images(image(), image()))
	for i := range m.Status.Conditions {
		m.Status.Conditions[i].Status = []metav1.ConditionStatus{"False", "True", "Unknown", "True"}[t.pick(4)]
		m.Status.Conditions[i].Message = []string{"", "disk full", "disk full\nvery"}[t.pick(3)]
	}
	m.Status.Conditions = m.Status.Conditions[:3-t.pick(4)]
	if t.pick(4) == 3 {
		m.OwnerReferences[0].UID = "another"
	}
	for range t.pick(3) {
		m.Status.PinnedImageSets = append(m.Status.PinnedImageSets, mcfgv1.MachineConfigNodeStatusPinnedImageSet{
			DesiredGeneration: int32(t.pick(2)), CurrentGeneration: int32(t.pick(2)), LastFailedGeneration: int32(t.pick(2))})
	}
	return m
}

func text(t *testing.T, objects ...any) string {
	t.Helper()
	b, err := json.Marshal(objects)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
