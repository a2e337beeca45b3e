package pool_test

import (
	"encoding/json"
	"errors"
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
		options := in.options()
		n := len(ns) - 1            // one is a node of another pool
		for i := range in.pick(4) { // repeated entries that differ, and nothing
			if i < n {
				again, object := ns[i].DeepCopy(), in.object(ns[i].Name)
				again.Spec.Unschedulable, object.ResourceVersion = !again.Spec.Unschedulable, []string{"", "", "9", "10"}[in.pick(4)]
				ns, ms = append(ns, nil, again, ns[i]), append(ms, object, nil)
			}
		}
		before := text(t, p, ns, ms)
		status := pool.Status(p, ns, ms, options, now)
		if after := text(t, p, ns, ms); after != before {
			t.Fatalf("the arguments changed from %s to %s", before, after)
		}
		if p.Spec.Configuration.Name == "" && status.UpdatedMachineCount > 0 {
			t.Fatal("updated to nothing")
		}
		if err := check(status, n, options); err != nil {
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

// TestNewestCounts of several objects with one name: resource versions are numbers.
func TestNewestCounts(t *testing.T) {
	older, newer := newMCN("a", degraded), newMCN("a")
	older.ResourceVersion, newer.ResourceVersion = "9", "10"
	down, up := newNode("a", cordoned), newNode("a")
	down.ResourceVersion, up.ResourceVersion = "999", "1000"
	for range 2 {
		s := pool.Status(newPool("worker"), nodes{up, down}, mcns{older, newer}, pool.Options{}, now)
		if got := countsOf(s); got != (counts{1, 1, 1, 0, 0}) {
			t.Fatal(got)
		}
		up, down, older, newer = down, up, newer, older
	}
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
		{"Updated: all machines are ready", !is("Updated") || s.ReadyMachineCount == s.MachineCount && s.UnavailableMachineCount == 0},
		{"NodeDegraded = degraded machines", is("NodeDegraded") == (s.DegradedMachineCount > 0)},
		{"Degraded where a part is", is("Degraded") == (is("NodeDegraded") || is("RenderDegraded") || is("ImageBuildDegraded"))},
		{"Updated: the image exists", !is("Updated") || options.MachineOSConfig == nil || len(options.MachineOSConfig.Status.CurrentImagePullSpec) > 0},
	} {
		if !rule.holds {
			return fmt.Errorf("violated: %s", rule.text)
		}
	}
	seen := map[mcfgv1.MachineConfigPoolConditionType]bool{}
	for _, c := range s.Conditions {
		if c.Type == "PinnedImageSetsDegraded" {
			if c.LastTransitionTime != earlier {
				return errors.New("another controller's condition was written")
			}
			continue
		}
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
		if m == nil {
			continue
		}
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
		for _, conditionType := range []mcfgv1.MachineConfigPoolConditionType{"Updated", "Degraded", "RenderDegraded", "ImageBuildDegraded", "PinnedImageSetsDegraded"} {
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
		for _, change := range [][]func(*corev1.Node){{}, {}, {notReady}, {cordoned}, {notReady, cordoned}, {ordered(oldConfig, "")}}[t.pick(6)] {
			change(node)
		}
		ns = append(ns, node)
		if t.pick(8) != 7 {
			ms = append(ms, t.object(name))
		}
	}
	return p, append(ns, newNode("of another pool", roles("infra"))), append(ms, t.object("of no node"))
}

func (t *tape) options() (o pool.Options) {
	if t.pick(3) > 0 {
		o.MachineOSConfig = mosc([]string{newImage, newImage, oldImage, ""}[t.pick(4)])
	}
	if t.pick(4) > 0 {
		o.MachineOSBuild = mosb([]mcfgv1.BuildProgress{mcfgv1.MachineOSBuildSucceeded, "", mcfgv1.MachineOSBuilding, mcfgv1.MachineOSBuildFailed,
			mcfgv1.MachineOSBuildInterrupted, mcfgv1.MachineOSBuildPrepared}[t.pick(6)], []string{newImage, newImage, ""}[t.pick(3)])
		o.MachineOSBuild.Spec.MachineConfig.Name = []string{newConfig, newConfig, oldConfig}[t.pick(3)]
	}
	return o
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
