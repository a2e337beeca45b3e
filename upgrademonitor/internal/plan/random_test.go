package plan_test

import (
	"encoding/json"
	"math/rand/v2"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// random makes states and intents out of a seed. Garbage makes of them what no API server has.
type random struct {
	*rand.Rand
	garbage bool
}

func seeded(seed uint64, garbage bool) random {
	return random{Rand: rand.New(rand.NewPCG(seed, 7)), garbage: garbage}
}

func pick[T any](r random, all ...T) T { return all[r.IntN(len(all))] }

func (r random) oneIn(n int) bool { return r.IntN(n) == 0 }

func (r random) status() metav1.ConditionStatus {
	if r.garbage && r.oneIn(20) {
		return pick[metav1.ConditionStatus](r, "", "true", "Maybe")
	}
	return pick(r, no, running, done)
}

func (r random) phase(imageMode bool) phases.Phase {
	if r.garbage && r.oneIn(20) {
		return pick[phases.Phase](r, "", "Rebooted", phases.AppliedFiles, phases.AppliedFilesAndOS)
	}
	return pick(r, phases.All(imageMode)...)
}

func (r random) message() string {
	return pick(r, "", "a", "b", "Action during update to x: c", "c\x01\"")
}

func (r random) node() plan.Node {
	return plan.Node{
		CurrentConfig: pick(r, "", configA, configB), DesiredConfig: pick(r, "", configA, configB, configC),
		CurrentImage: pick(r, "", imageA, imageB), DesiredImage: pick(r, "", imageA, imageB),
		InvalidCurrentImage: r.oneIn(10), InvalidDesiredImage: r.oneIn(10),
	}
}

func (r random) conditions(imageMode bool) []metav1.Condition {
	if r.oneIn(8) {
		return nil
	}
	list := conditions.Complete(nil, imageMode, at(r.IntN(50)))
	for i := range list {
		c := &list[i]
		if p := phases.Phase(c.Type); r.oneIn(3) || p == phases.Updated && !r.oneIn(5) {
			if c.Status = r.status(); p == phases.Updated && c.Status == running {
				c.Status = done
			}
			c.Reason, c.Message, c.LastTransitionTime = pick(r, "Working", c.Type), r.message(), at(r.IntN(100))
		}
	}
	if r.garbage {
		for range r.IntN(4) {
			list = append(list, metav1.Condition{Type: pick(r, "", "Theirs", "Updated", "Drained", "AppliedFiles"), Status: r.status(), Message: r.message()})
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:r.IntN(len(list)+1)]
	} else if r.oneIn(8) {
		list = list[:r.IntN(len(list))]
	}
	return list
}

func (r random) imageSet(name string) entry {
	e := entry{Name: name, DesiredGeneration: 1 + r.Int32N(3)}
	e.CurrentGeneration = r.Int32N(e.DesiredGeneration + 1)
	if r.oneIn(3) {
		e.LastFailedGeneration, e.LastFailedGenerationError = 1+r.Int32N(e.DesiredGeneration), "e"
	}
	if r.garbage {
		e.CurrentGeneration, e.LastFailedGeneration = r.Int32(), -r.Int32()
	}
	return e
}

func (r random) state(imageMode bool) plan.State {
	s := upToDate(pick(r, "", plan.NotYetSet, configA, configB), pick(r, "", imageA, imageB), imageMode)
	status := &s.Object.Status
	status.Conditions = r.conditions(imageMode != r.oneIn(10))
	status.ConfigVersion.Desired = pick(r, plan.NotYetSet, configA, configB, configC)
	if len(status.Conditions) == 0 || r.garbage && r.oneIn(4) {
		status.ConfigVersion = nil
	}
	status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(pick(r, "", imageA, imageB))
	for _, name := range []string{"a", "b", "c"} {
		switch r.IntN(4) {
		case 0:
			status.PinnedImageSets = append(status.PinnedImageSets, r.imageSet(name))
		case 1:
			s.Unowned.ImageSets = append(s.Unowned.ImageSets, r.imageSet(name))
		}
	}
	for range r.IntN(3) {
		s.Unowned.Conditions = append(s.Unowned.Conditions, json.RawMessage(`{"type":"Theirs"}`))
	}
	s.NoImageField = r.oneIn(6)
	if !s.IsTrue(phases.Updated) && r.oneIn(2) || r.garbage {
		s.Update = plan.Update{Target: plan.Target{Config: pick(r, configA, configB, configC), Image: pick(r, "", imageA, imageB)}, FromImage: pick(r, "", imageA)}
	}
	if r.garbage && r.oneIn(10) {
		s.Object = &mcfgv1.MachineConfigNode{}
	}
	return s
}

func (r random) report(imageMode bool) plan.Report {
	in := plan.Report{
		Report: conditions.Report{
			Phase: r.phase(imageMode), Status: r.status(), Reason: pick(r, "Working", "Done"), Message: r.message(),
			CompletesParent: r.oneIn(4), Time: at(r.IntN(120)),
		},
		Node: r.node(), ImageMode: imageMode,
	}
	if r.oneIn(4) {
		in.ParentMessage = "of the parent"
	}
	if r.garbage && r.oneIn(4) {
		in.Time = metav1.Time{}
	}
	return in
}

func (r random) intent(imageMode bool) plan.Intent {
	switch r.IntN(6) {
	case 0:
		in := plan.ImageSets{Report: plan.Report{Report: conditions.Report{Time: at(r.IntN(120))}, Node: r.node(), ImageMode: imageMode}, NodeName: "worker-0"}
		for _, name := range []string{"a", "b", "c"} {
			if r.oneIn(2) {
				in.Sets = append(in.Sets, set{Name: name, Generation: 1 + r.Int32N(3), Done: r.oneIn(2)})
			}
		}
		if n := len(in.Sets); n > 0 && r.oneIn(3) {
			in.Sets[n-1].Done, in.Sets[n-1].Failure = false, "e"
		}
		if r.oneIn(4) {
			in.Failure = "of all"
		}
		if r.garbage {
			in.Report = r.report(imageMode)
			in.Sets = append(in.Sets, set{Generation: -r.Int32(), Failure: "\xff"}, set{})
		}
		return in
	case 1:
		o := owner
		o.UID = pick(r, owner.UID, "", "u-2")
		return plan.Spec{Owner: o, Pool: pick(r, "worker", "infra", plan.NotYetSet), Node: r.node(), ImageMode: imageMode}
	default:
		return r.report(imageMode)
	}
}

func (r random) memo() plan.Memo {
	return plan.Memo{Began: r.oneIn(8), Disrupted: r.oneIn(8), InUpdate: r.oneIn(4)}
}
