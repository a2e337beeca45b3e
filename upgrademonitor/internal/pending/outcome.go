package pending

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// outcome is what becomes of the object when entries are written.
type outcome struct {
	updates []update
}

// update is a stretch of time from one begin or end of an update to the next.
type update struct {
	first, last map[string]plan.State // what a watcher sees of each version, see version
	end         plan.State
}

func newUpdate(end plan.State) update {
	return update{first: map[string]plan.State{}, last: map[string]plan.State{}, end: end}
}

// outcomeOf plans entries one by one.
func outcomeOf(start plan.State, entries []*Entry) outcome {
	o := outcome{updates: []update{newUpdate(start)}}
	for _, e := range entries {
		p, err := e.Plan(o.end(), e.Memo)
		if err != nil {
			continue
		}
		for _, step := range p.Steps {
			o.add(step.Next)
		}
		o.updates[len(o.updates)-1].end = p.Final
	}
	return o
}

func (o *outcome) end() plan.State { return o.updates[len(o.updates)-1].end }

// add has a watcher see a state.
func (o *outcome) add(s plan.State) {
	before := o.end()
	if s.IsTrue(phases.Updated) != before.IsTrue(phases.Updated) || s.Update != before.Update {
		o.updates = append(o.updates, newUpdate(s))
	}
	current, v := &o.updates[len(o.updates)-1], version(s)
	if _, seen := current.first[v]; !seen {
		current.first[v] = s
	}
	current.last[v], current.end = s, s
}

// same reports whether the outcome of some of the entries is that of all of them.
func (o outcome) same(some outcome) bool {
	return slices.EqualFunc(o.updates, some.updates, func(all, some update) bool {
		return maps.EqualFunc(all.first, some.first, equivalent) && maps.EqualFunc(all.last, some.last, equalTimes) &&
			equivalent(all.end, some.end)
	})
}

// version is what a watcher sees of a state, texts and times aside.
func version(s plan.State) string {
	var b strings.Builder
	for _, c := range s.Object.Status.Conditions {
		b.WriteString(c.Type)
		b.WriteString(string(c.Status))
	}
	for _, set := range s.Object.Status.PinnedImageSets {
		fmt.Fprintf(&b, "%s/%d/%d/%d ", set.Name, set.CurrentGeneration, set.DesiredGeneration, set.LastFailedGeneration)
	}
	if v := s.Object.Status.ConfigVersion; v != nil {
		fmt.Fprintf(&b, "%s %s ", v.Current, v.Desired)
	}
	fmt.Fprint(&b, s.Object.Status.ConfigImage, s.Object.Spec)
	return b.String()
}

// equivalent reports whether two states are the same to every plan: resource versions aside.
func equivalent(a, b plan.State) bool {
	if a.Object == nil || b.Object == nil || a.Update != b.Update || a.NoImageField != b.NoImageField {
		return a.Object == b.Object && a.Update == b.Update && a.NoImageField == b.NoImageField
	}
	x, y := a.Object.Status, b.Object.Status
	return len(a.Unowned.Conditions) == len(b.Unowned.Conditions) && slices.Equal(a.Unowned.ImageSets, b.Unowned.ImageSets) &&
		(a.Object == b.Object || a.Object.UID == b.Object.UID && a.Object.Spec == b.Object.Spec &&
			reflect.DeepEqual(a.Object.OwnerReferences, b.Object.OwnerReferences) &&
			x.ConfigImage == y.ConfigImage && equalVersions(x.ConfigVersion, y.ConfigVersion) &&
			slices.Equal(x.PinnedImageSets, y.PinnedImageSets) && slices.EqualFunc(x.Conditions, y.Conditions, equalConditions))
}

// equalTimes reports whether the conditions of two equal versions have the same times.
func equalTimes(a, b plan.State) bool {
	return slices.EqualFunc(a.Object.Status.Conditions, b.Object.Status.Conditions, func(a, b metav1.Condition) bool {
		return a.LastTransitionTime.Equal(&b.LastTransitionTime)
	})
}

func equalConditions(a, b metav1.Condition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
		a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

func equalVersions(a, b *mcfgv1.MachineConfigNodeStatusMachineConfigVersion) bool {
	return a == b || a != nil && b != nil && *a == *b
}
