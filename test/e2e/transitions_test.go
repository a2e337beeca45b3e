package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	saysJump  = "denied request: a phase goes from False to Unknown to True to False, one step a write: "
	saysGone  = "denied request: the condition of a phase stays, once it is there: "
	saysStamp = "denied request: lastTransitionTime moves with the status, and not without it: leave that of "
	early     = "2026-01-01T00:00:00Z"
	late      = "2026-01-01T01:00:00Z"
	foreign   = "InternalReleaseImageDegraded"
)

// shows is a list of conditions by type: "True", or "True at <time>". The time is early where
// none is given.
type shows map[string]string

// patch is a merge patch of the status that shows this.
func (s shows) patch() []byte {
	list := []map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		status, at, found := strings.Cut(s[name], " at ")
		if !found {
			at = early
		}
		list = append(list, map[string]string{"type": name, "status": status, "reason": "Test", "message": "", "lastTransitionTime": at})
	}
	data, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": list}})
	if err != nil {
		return nil
	}
	return data
}

// historian is a world in which an administrator writes what was, and the daemon tries what
// shall be.
type historian struct {
	*world
	daemon nodes
}

func newHistorian(t *testing.T, name string) *historian {
	t.Helper()
	needGuards(t, standard)
	h := &historian{world: freeWorldOn(t, standard, name)}
	h.daemon = clientOf(t, newIdentity(t, standard, fullGuard).podToken(name))
	h.renewed(true)
	return h
}

func (h *historian) was(s shows) {
	h.t.Helper()
	_, err := h.admin.MachineconfigurationV1().MachineConfigNodes().Patch(h.t.Context(), h.name, types.MergePatchType, s.patch(), metav1.PatchOptions{}, "status")
	require.NoError(h.t, err)
}

// try makes a write of the daemon, but does not keep it.
func (h *historian) try(s shows) error {
	_, err := h.daemon.Patch(h.t.Context(), h.name, types.MergePatchType, s.patch(), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
	return err
}

// TestTransitionsOfEveryPhase tries every move of every phase, in an object in which
// something else runs, so that nothing is taken back.
func TestTransitionsOfEveryPhase(t *testing.T) {
	h := newHistorian(t, "transitions")
	phases := append([]string{"AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry", foreign}, standardMode...)
	statuses := []string{"False", "Unknown", "True"}
	for _, p := range phases {
		running := "Drained"
		if p == running {
			running = "Cordoned"
		}
		for _, from := range append([]string{""}, statuses...) {
			before := shows{running: "Unknown"}
			if from != "" {
				before[p] = from
			}
			h.was(before)
			for _, to := range statuses {
				err := h.try(shows{running: "Unknown", p: to + " at " + map[bool]string{true: early, false: late}[from == to]})
				step := [2]metav1.ConditionStatus{"False", metav1.ConditionStatus(to)}
				if from != "" {
					step[0] = metav1.ConditionStatus(from)
				}
				if mayStep(p, step) {
					assert.NoError(t, err, "%s from %q to %s", p, from, to)
					continue
				}
				deniedWith(t, err, saysJump+fmt.Sprintf("%s from %s to %s is none", p, step[0], to))
			}
		}
	}
}

// mayStep says what the rules allow one write to do to one phase alone.
func mayStep(p string, step [2]metav1.ConditionStatus) bool {
	switch {
	case step[0] == step[1], singletons[p], p == foreign:
		return true
	case p == "Updated":
		return step[1] != metav1.ConditionUnknown
	default:
		return arrows[step]
	}
}

// TestTransitionsOfWholeLists are writes whose parts decide together.
func TestTransitionsOfWholeLists(t *testing.T) {
	h := newHistorian(t, "transitions-lists")
	ran := shows{"Updated": "False", "UpdatePrepared": "True", "UpdateExecuted": "Unknown", "Drained": "Unknown", "Cordoned": "True"}
	with := func(s shows, changes shows) shows {
		s = maps.Clone(s)
		maps.Copy(s, changes)
		return s
	}
	without := func(s shows, names ...string) shows {
		s = maps.Clone(s)
		maps.DeleteFunc(s, func(name, _ string) bool { return slices.Contains(names, name) })
		return s
	}
	ended := shows{"Updated": "True", "UpdatePrepared": "False", "UpdateExecuted": "False", "Drained": "False", "Cordoned": "False"}
	for name, tc := range map[string]struct {
		was, is shows
		says    string // "": allowed
	}{
		"the same":                                {ran, ran, ""},
		"the end of an update":                    {ran, ended, ""},
		"a new update":                            {ran, with(ended, shows{"Updated": "False"}), ""},
		"one that prepares at once":               {with(ran, shows{"UpdatePrepared": "Unknown"}), with(ended, shows{"Updated": "False", "UpdatePrepared": "Unknown"}), ""},
		"one whose preparation was done":          {ran, with(ended, shows{"Updated": "False", "UpdatePrepared": "Unknown"}), saysJump + "UpdatePrepared from True to Unknown is none"},
		"all taken back, with a singleton":        {ran, with(ended, shows{"NodeDegraded": "True"}), ""},
		"taken back but for one that is done":     {ran, with(ended, shows{"Cordoned": "True"}), saysJump + "Drained from Unknown to False, UpdateExecuted from Unknown to False is none"},
		"taken back but for the preparation":      {ran, with(ended, shows{"UpdatePrepared": "True"}), saysJump + "Drained from Unknown to False, UpdateExecuted from Unknown to False is none"},
		"taken back, and one starts":              {ran, with(ended, shows{"Resumed": "Unknown"}), saysJump + "Drained from Unknown to False, UpdateExecuted from Unknown to False is none"},
		"two jumps":                               {ended, with(ended, shows{"Drained": "True", "Cordoned": "True"}), saysJump + "Cordoned from False to True, Drained from False to True is none"},
		"a time without a status":                 {ran, with(ran, shows{"Drained": "Unknown at " + late}), saysStamp + "Drained"},
		"a time back":                             {ran, with(ran, shows{"Drained": "Unknown at 2025-01-01T00:00:00Z"}), saysStamp + "Drained"},
		"a singleton's time":                      {with(ran, shows{"NodeDegraded": "True"}), with(ran, shows{"NodeDegraded": "True at " + late}), saysStamp + "NodeDegraded"},
		"of a condition of others":                {with(ran, shows{foreign: "True"}), with(ran, shows{foreign: "True at " + late}), ""},
		"the same time in other words":            {ran, with(ran, shows{"Drained": "Unknown at 2026-01-01T02:00:00+02:00"}), ""},
		"less than a second, as another wrote it": {with(ran, shows{"Drained": "Unknown at 2026-01-01T00:00:00.9Z"}), ran, ""},
		"a phase that ran is gone":                {ran, without(ran, "Drained"), saysGone + "Drained would be gone"},
		"one that never ran is":                   {with(ran, shows{"Resumed": "False"}), ran, saysGone + "Resumed would be gone"},
		"a singleton is":                          {with(ran, shows{"NodeDegraded": "False"}), ran, saysGone + "NodeDegraded would be gone"},
		"one of others is":                        {with(ran, shows{foreign: "False"}), ran, ""},
		"all are":                                 {ran, shows{}, saysGone},
		"to image mode":                           {with(ran, shows{"AppliedFilesAndOS": "Unknown"}), with(ran, shows{"AppliedFiles": "False", "AppliedOSImage": "Unknown"}), ""},
		"to standard mode":                        {with(ran, shows{"AppliedFiles": "True", "AppliedOSImage": "Unknown"}), with(ran, shows{"AppliedFilesAndOS": "False"}), ""},
		"to no mode":                              {with(ran, shows{"AppliedFilesAndOS": "Unknown"}), ran, saysGone + "AppliedFilesAndOS would be gone"},
		"image mode, less one":                    {with(ran, shows{"AppliedFiles": "True", "AppliedOSImage": "Unknown"}), with(ran, shows{"AppliedFiles": "True"}), saysGone + "AppliedOSImage would be gone"},
	} {
		t.Run(name, func(t *testing.T) {
			h.was(tc.was)
			err := h.try(tc.is)
			if tc.says == "" {
				assert.NoError(t, err)
				return
			}
			deniedWith(t, err, tc.says)
		})
	}
}

// TestStatusCannotGoAroundThePolicy writes a status through the object itself: the server
// drops it.
func TestStatusCannotGoAroundThePolicy(t *testing.T) {
	h := newHistorian(t, "transitions-around")
	h.was(shows{"Drained": "False"})
	after, err := h.daemon.Patch(t.Context(), h.name, types.MergePatchType, shows{"Drained": "True"}.patch(), metav1.PatchOptions{})
	require.NoError(t, err)
	drained, ok := statusOf(after.Status.Conditions, "Drained")
	require.True(t, ok)
	assert.Equal(t, metav1.ConditionFalse, drained.Status)

	require.NoError(t, h.admin.MachineconfigurationV1().MachineConfigNodes().Delete(t.Context(), h.name, metav1.DeleteOptions{}))
	made, err := h.daemon.Create(t.Context(), &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: h.name},
		Spec:       specFor(h.name),
		Status:     mcfgv1.MachineConfigNodeStatus{Conditions: []metav1.Condition{{Type: "Drained", Status: "True", Reason: "Test"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Empty(t, made.Status.Conditions)
}

// TestTransitionsLeaveOthersAlone has the administrator jump.
func TestTransitionsLeaveOthersAlone(t *testing.T) {
	h := newHistorian(t, "transitions-others")
	h.was(shows{"Drained": "False"})
	h.was(shows{"Drained": "True"})
	h.was(shows{"Drained": "Unknown at " + late})
}
