package plan_test

import (
	"fmt"
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const walks = 1_000

// each calls f with random states and intents; a failure names the seed.
func each(t *testing.T, f func(t *testing.T, r random, s plan.State, in plan.Intent)) {
	t.Helper()
	for seed := range uint64(walks) {
		func() {
			r := seeded(seed, false)
			imageMode := r.oneIn(2)
			s, in := r.state(imageMode), r.intent(imageMode)
			defer func() {
				if t.Failed() {
					t.Logf("seed %d: %+v on %+v, after %+v", seed, in, s, s.Object.Status)
				}
			}()
			f(t, r, s, in)
		}()
	}
}

// requirePure plans twice: the same input gives the same plan, and nothing is changed by it.
func requirePure(t *testing.T, s plan.State, in plan.Intent, memo plan.Memo) {
	t.Helper()
	before, text := copied(s), fmt.Sprintf("%#v", in)
	p, err := in.Plan(s, memo)
	first := copiedPlan(p)
	again, errAgain := in.Plan(s, memo)
	require.Equal(t, before, s, "the state was changed")
	require.Equal(t, text, fmt.Sprintf("%#v", in), "the intent was changed")
	require.Equal(t, first, p, "a plan was changed by the next")
	require.Equal(t, p, again)
	require.Equal(t, err, errAgain)
	if err != nil {
		require.Equal(t, plan.Plan{}, p, "a refusal has no plan")
	}
}

func copiedPlan(p plan.Plan) plan.Plan {
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		p.Steps[i].Next = copied(p.Steps[i].Next)
	}
	if p.Final.Object != nil {
		p.Final = copied(p.Final)
	}
	return p
}

func TestPlanningIsPure(t *testing.T) {
	each(t, func(t *testing.T, r random, s plan.State, in plan.Intent) { requirePure(t, s, in, r.memo()) })
}

func FuzzPlanningIsPureAndTotal(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, imageMode bool) {
		r := seeded(seed, true)
		s, in, memo := r.state(imageMode), r.intent(imageMode), r.memo()
		requirePure(t, s, in, memo)
		_, _, _ = in.Key(), in.Observed(), in.String()
	})
}

// sameObject compares what is written.
func requireSameObject(t *testing.T, want, got plan.State, why string) {
	t.Helper()
	require.Equal(t, want.Object, got.Object, why)
	require.Equal(t, want.Unowned, got.Unowned, why)
}

func TestFinalStateIsANoOp(t *testing.T) {
	each(t, func(t *testing.T, _ random, s plan.State, in plan.Intent) {
		p, err := in.Plan(s, plan.Memo{})
		if err != nil {
			return
		}
		again, err := in.Plan(p.Final, p.Memo)
		require.NoError(t, err)
		require.Empty(t, again.Steps)
		require.Equal(t, p.Final, again.Final)
		require.Equal(t, p.Memo, again.Memo)
	})
}

// Planning with the memo of a plan, on the state that it was made for, is that plan.
func TestMemoDecidesNothingElse(t *testing.T) {
	each(t, func(t *testing.T, _ random, s plan.State, in plan.Intent) {
		p, err := in.Plan(s, plan.Memo{})
		if err != nil {
			return
		}
		again, err := in.Plan(s, p.Memo)
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

// The process is stopped, or a write fails, after any of the steps: what is planned then, with
// the memo, leads to the same object. So it does if the step was made and its answer lost.
func TestEveryPrefixLeadsToTheSameObject(t *testing.T) {
	each(t, func(t *testing.T, _ random, s plan.State, in plan.Intent) {
		p, err := in.Plan(s, plan.Memo{})
		if err != nil {
			return
		}
		known := s.Update
		for i, step := range p.Steps {
			again, err := in.Plan(step.Next, p.Memo)
			require.NoError(t, err)
			requireSameObject(t, p.Final, again.Final, fmt.Sprintf("after step %d", i+1))
			require.Equal(t, p.Final.Update, again.Final.Update)

			lost := step.Next
			lost.Update = known
			if lost.IsTrue(phases.Updated) {
				lost.Update = plan.Update{}
			}
			again, err = in.Plan(lost, p.Memo)
			require.NoError(t, err)
			requireSameObject(t, p.Final, again.Final, fmt.Sprintf("step %d has no answer", i+1))
			require.Equal(t, p.Final.Update, again.Final.Update)
			known = step.Next.Update

			if p.WritesSpec() && step.Kind != plan.MergeSpec {
				behind := withSpec(lost, s.Object.Spec)
				again, err = in.Plan(behind, p.Memo)
				require.NoError(t, err)
				requireSameObject(t, p.Final, withSpec(again.Final, p.Final.Object.Spec), fmt.Sprintf("step %d has no answer, and the spec was denied", i+1))
				require.Equal(t, p.Memo.Began, again.Memo.Began, "no other update begins")
			}
		}
	})
}

// withSpec returns the state with another spec.
func withSpec(s plan.State, spec mcfgv1.MachineConfigNodeSpec) plan.State {
	object := *s.Object
	object.Spec = spec
	s.Object = &object
	return s
}

// No watcher sees a jump: each step is one that the state machine allows.
func TestStepsAreAllowed(t *testing.T) {
	each(t, func(t *testing.T, r random, s plan.State, in plan.Intent) {
		p, err := in.Plan(s, r.memo())
		if err != nil {
			return
		}
		before := s
		for i, step := range p.Steps {
			require.NoError(t, checkStep(before, step, in), "step %d of %d", i+1, len(p.Steps))
			before = step.Next
		}
		if n := len(p.Steps); n > 0 {
			require.Equal(t, before.Object, p.Final.Object)
		} else {
			require.Same(t, s.Object, p.Final.Object, "no step leaves the object alone")
		}
	})
}

// checkStep looks at one write alone.
func checkStep(from plan.State, step plan.Step, in plan.Intent) error {
	a, b := from.Object, step.Next.Object
	if step.Kind == plan.MergeSpec {
		if !assert.ObjectsAreEqual(a.Status, b.Status) {
			return fmt.Errorf("a write of the spec changes the status")
		}
		if a.Spec == b.Spec && assert.ObjectsAreEqual(a.OwnerReferences, b.OwnerReferences) {
			return fmt.Errorf("a write of the spec changes nothing")
		}
		return nil
	}
	if a.Spec != b.Spec || !assert.ObjectsAreEqual(a.ObjectMeta, b.ObjectMeta) {
		return fmt.Errorf("a write of the status changes the rest")
	}
	if !assert.ObjectsAreEqual(from.Unowned.Conditions, step.Next.Unowned.Conditions) {
		return fmt.Errorf("conditions of others are changed")
	}
	if removes := removesSomething(from, step.Next); removes != (step.Kind == plan.MergeStatus) {
		return fmt.Errorf("%s, and it removes something is %t", step.Kind, removes)
	}
	r := reportOf(in)
	if len(b.Status.Conditions) != len(phases.All(r.ImageMode)) {
		return fmt.Errorf("%d conditions", len(b.Status.Conditions))
	}
	for _, c := range b.Status.Conditions {
		if err := checkCondition(a.Status.Conditions, b.Status.Conditions, c, r); err != nil {
			return fmt.Errorf("%s: %w", c.Type, err)
		}
	}
	return checkVersions(from, step.Next, r)
}

func reportOf(in plan.Intent) plan.Report {
	switch in := in.(type) {
	case plan.Report:
		return in
	case plan.ImageSets:
		return in.Report
	}
	return plan.Report{}
}

func checkCondition(before, after []metav1.Condition, c metav1.Condition, r plan.Report) error {
	from, existed := no, false
	if b := conditions.Find(before, phases.Phase(c.Type)); b != nil {
		from, existed = b.Status, true
		if from == c.Status && !b.LastTransitionTime.Equal(&c.LastTransitionTime) {
			return fmt.Errorf("the time moved without the status")
		}
		if c.LastTransitionTime.Before(&b.LastTransitionTime) {
			return fmt.Errorf("the time went back")
		}
	}
	arrow := string(from + "→" + c.Status)
	p := phases.Phase(c.Type)
	switch {
	case from == c.Status:
		return nil
	case existed && !c.LastTransitionTime.Equal(&r.Time) && c.LastTransitionTime.Before(&r.Time):
		return fmt.Errorf("%s at %s", arrow, c.LastTransitionTime)
	case p == phases.Updated && c.Status != running:
		return nil
	case phases.KindOf(p) == phases.Singleton:
		ended := p == phases.NodeDegraded && arrow == "True→False" && conditions.StatusOf(after, phases.Updated) == done
		imageSets := r.Phase == "" && (p == phases.PinnedImageSetsDegraded || p == phases.PinnedImageSetsProgressing)
		if p == r.Phase || ended || imageSets {
			return nil
		}
	case arrow == "False→Unknown", arrow == "Unknown→True", arrow == "True→False":
		return nil
	case arrow == "Unknown→False" && allReset(after):
		return nil
	}
	return fmt.Errorf("%s", arrow)
}

// allReset reports whether a list is what the begin or the end of an update leaves.
func allReset(list []metav1.Condition) bool {
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		return phases.KindOf(p) != phases.Singleton && p != phases.Updated && c.Status != no && (p != phases.UpdatePrepared || c.Status != running)
	})
}

func checkVersions(from, to plan.State, r plan.Report) error {
	turns := statusOf(from, phases.UpdatePrepared) != done && statusOf(to, phases.UpdatePrepared) == done
	ends := r.Phase == phases.Updated && r.Status == done
	a, b := shownIn(from), shownIn(to)
	wantCurrent := a.current
	if r.Node.CurrentConfig != "" {
		wantCurrent = r.Node.CurrentConfig
	}
	wantDesired := a.desired
	if wantDesired == "" {
		wantDesired = plan.NotYetSet
	}
	if (turns || ends) && r.Node.DesiredConfig != "" {
		wantDesired = r.Node.DesiredConfig
	}
	if b.current != wantCurrent || b.desired != wantDesired {
		return fmt.Errorf("versions %s %s, want %s %s", b.current, b.desired, wantCurrent, wantDesired)
	}
	images := r.ImageMode && !from.NoImageField && (r.Node.CurrentConfig != "" || r.Node.DesiredConfig != "")
	if a.currentImage != b.currentImage && (!images || b.currentImage != r.Node.CurrentImage || b.currentImage == "" && !ends) {
		return fmt.Errorf("current image %q", b.currentImage)
	}
	if a.desiredImage != b.desiredImage && (!images || b.desiredImage != r.Node.DesiredImage || !turns && !ends || r.Node.InvalidDesiredImage) {
		return fmt.Errorf("desired image %q", b.desiredImage)
	}
	if images && ends && !r.Node.InvalidDesiredImage && b.desiredImage != r.Node.DesiredImage {
		return fmt.Errorf("desired image %q at the end", b.desiredImage)
	}
	return nil
}

// removesSomething reports whether something that was applied is not in the next state.
func removesSomething(from, to plan.State) bool {
	a, b := shownIn(from), shownIn(to)
	if a.currentImage != "" && b.currentImage == "" || a.desiredImage != "" && b.desiredImage == "" {
		return true
	}
	kept, failed := map[string]bool{}, map[string]bool{}
	for _, c := range to.Object.Status.Conditions {
		kept[c.Type] = true
	}
	for _, sets := range [][]mcfgv1.MachineConfigNodeStatusPinnedImageSet{to.Object.Status.PinnedImageSets, to.Unowned.ImageSets} {
		for _, e := range sets {
			kept["set "+e.Name], failed[e.Name] = true, e.LastFailedGeneration > 0
		}
	}
	for _, c := range from.Object.Status.Conditions {
		if !kept[c.Type] {
			return true
		}
	}
	for _, e := range slices.Concat(from.Object.Status.PinnedImageSets, from.Unowned.ImageSets) {
		if !kept["set "+e.Name] || e.LastFailedGeneration > 0 && !failed[e.Name] {
			return true
		}
	}
	return false
}
