package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Why the policy of transitions denies a write.
const (
	messageJump       = "invalid transition "
	messageGone       = "may not remove conditions of phases: "
	messageUnfinished = "a child is Unknown: "
	messageStamp      = "may not change lastTransitionTime without the status: "

	early   = "2026-01-01T00:00:00Z"
	late    = "2026-01-01T01:00:00Z"
	unowned = "InternalReleaseImageDegraded"
)

// statuses are those of conditions by type: "True", or "True at <time>". The default time is
// early.
type statuses map[string]string

// patch returns a merge patch of the status.
func (s statuses) patch() []byte {
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

// policyTest is a node on which an administrator writes a status, and the daemon attempts the
// next one.
type policyTest struct {
	*testNode
	daemon nodes
}

func newPolicyTest(t *testing.T, name string) *policyTest {
	t.Helper()
	needGuards(t, standard)
	h := &policyTest{testNode: unguardedNodeOn(t, standard, name)}
	h.daemon = nodesOf(t, newIdentity(t, standard, fullGuard).podToken(name))
	h.resetObject(true)
	return h
}

func (h *policyTest) setStatus(s statuses) {
	h.t.Helper()
	h.mergeStatus(string(s.patch()))
}

// tryStatus is a dry run of a write by the daemon.
func (h *policyTest) tryStatus(s statuses) error {
	_, err := h.daemon.Patch(h.t.Context(), h.name, types.MergePatchType, s.patch(), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
	return err
}

// Another phase is running in the object, so that no write counts as a reset.
func TestThePolicyAllowsOneStepOfTheStateMachinePerWrite(t *testing.T) {
	h := newPolicyTest(t, "transitions")
	phases := append([]string{"AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry", unowned}, typesOf(false)...)
	values := []string{"False", "Unknown", "True"}
	for _, p := range phases {
		running := "Resumed" // a child of no phase
		if p == running {
			running = "RebootedNode"
		}
		for _, from := range append([]string{""}, values...) {
			before := statuses{running: "Unknown"}
			if from != "" {
				before[p] = from
			}
			h.setStatus(before)
			for _, to := range values {
				err := h.tryStatus(statuses{running: "Unknown", p: to + " at " + map[bool]string{true: early, false: late}[from == to]})
				was := cmp.Or(from, "False")
				if mayStep(p, metav1.ConditionStatus(was), metav1.ConditionStatus(to)) {
					assert.NoError(t, err, "%s from %q to %s", p, from, to)
					continue
				}
				deniedWith(t, err, messageJump+fmt.Sprintf("%s from %s to %s", p, was, to))
			}
		}
	}
}

func TestThePolicyAllowsAResetOfTheWholeListOnly(t *testing.T) {
	h := newPolicyTest(t, "transitions-lists")
	ran := statuses{"Updated": "False", "UpdatePrepared": "True", "UpdateExecuted": "Unknown", "Drained": "Unknown", "Cordoned": "True"}
	with := func(s statuses, changes statuses) statuses {
		s = maps.Clone(s)
		maps.Copy(s, changes)
		return s
	}
	without := func(s statuses, names ...string) statuses {
		s = maps.Clone(s)
		maps.DeleteFunc(s, func(name, _ string) bool { return slices.Contains(names, name) })
		return s
	}
	ended := statuses{"Updated": "True", "UpdatePrepared": "False", "UpdateExecuted": "False", "Drained": "False", "Cordoned": "False"}
	for name, tc := range map[string]struct {
		before, after statuses
		message       string // "": allowed
	}{
		"the same":                                 {ran, ran, ""},
		"the end of an update":                     {ran, ended, ""},
		"a new update":                             {ran, with(ended, statuses{"Updated": "False"}), ""},
		"one that is being prepared":               {with(ran, statuses{"UpdatePrepared": "Unknown"}), with(ended, statuses{"Updated": "False", "UpdatePrepared": "Unknown"}), ""},
		"one that was prepared already":            {ran, with(ended, statuses{"Updated": "False", "UpdatePrepared": "Unknown"}), messageJump + "UpdatePrepared from True to Unknown"},
		"all reset, with a singleton":              {ran, with(ended, statuses{"NodeDegraded": "True"}), ""},
		"reset but for one that is done":           {ran, with(ended, statuses{"Cordoned": "True"}), messageJump + "Drained from Unknown to False, UpdateExecuted from Unknown to False"},
		"reset but for the preparation":            {ran, with(ended, statuses{"UpdatePrepared": "True"}), messageJump + "Drained from Unknown to False, UpdateExecuted from Unknown to False"},
		"reset, and one starts":                    {ran, with(ended, statuses{"Resumed": "Unknown"}), messageJump + "Drained from Unknown to False, UpdateExecuted from Unknown to False"},
		"two jumps":                                {ended, with(ended, statuses{"Drained": "True", "Cordoned": "True"}), messageJump + "Cordoned from False to True, Drained from False to True"},
		"a parent completes before a child":        {ran, with(ran, statuses{"UpdateExecuted": "True"}), messageUnfinished + "UpdateExecuted"},
		"a parent completes with its last child":   {ran, with(ran, statuses{"UpdateExecuted": "True", "Drained": "True"}), ""},
		"a child of the other mode still runs":     {with(ran, statuses{"Drained": "True", "AppliedFiles": "Unknown"}), with(ran, statuses{"Drained": "True", "AppliedFiles": "Unknown", "UpdateExecuted": "True"}), messageUnfinished + "UpdateExecuted"},
		"a parent completes, another's child runs": {ran, with(ran, statuses{"UpdateExecuted": "Unknown", "UpdateComplete": "Unknown"}), ""},
		"a time changed without a status":          {ran, with(ran, statuses{"Drained": "Unknown at " + late}), messageStamp + "Drained"},
		"a time back":                              {ran, with(ran, statuses{"Drained": "Unknown at 2025-01-01T00:00:00Z"}), messageStamp + "Drained"},
		"a singleton's time":                       {with(ran, statuses{"NodeDegraded": "True"}), with(ran, statuses{"NodeDegraded": "True at " + late}), messageStamp + "NodeDegraded"},
		"the time of another's condition":          {with(ran, statuses{unowned: "True"}), with(ran, statuses{unowned: "True at " + late}), ""},
		"the same time in another zone":            {ran, with(ran, statuses{"Drained": "Unknown at 2026-01-01T02:00:00+02:00"}), ""},
		"a fraction of a second of another writer": {with(ran, statuses{"Drained": "Unknown at 2026-01-01T00:00:00.9Z"}), ran, ""},
		"a phase that ran removed":                 {ran, without(ran, "Drained"), messageGone + "Drained"},
		"a phase that never ran removed":           {with(ran, statuses{"Resumed": "False"}), ran, messageGone + "Resumed"},
		"a singleton removed":                      {with(ran, statuses{"NodeDegraded": "False"}), ran, messageGone + "NodeDegraded"},
		"another's condition removed":              {with(ran, statuses{unowned: "False"}), ran, ""},
		"all removed":                              {ran, statuses{}, messageGone},
		"to image mode":                            {with(ran, statuses{"AppliedFilesAndOS": "Unknown"}), with(ran, statuses{"AppliedFiles": "False", "AppliedOSImage": "Unknown"}), ""},
		"to standard mode":                         {with(ran, statuses{"AppliedFiles": "True", "AppliedOSImage": "Unknown"}), with(ran, statuses{"AppliedFilesAndOS": "False"}), ""},
		"to no mode":                               {with(ran, statuses{"AppliedFilesAndOS": "Unknown"}), ran, messageGone + "AppliedFilesAndOS"},
		"image mode without a phase":               {with(ran, statuses{"AppliedFiles": "True", "AppliedOSImage": "Unknown"}), with(ran, statuses{"AppliedFiles": "True"}), messageGone + "AppliedOSImage"},
	} {
		t.Run(name, func(t *testing.T) {
			h.setStatus(tc.before)
			err := h.tryStatus(tc.after)
			if tc.message == "" {
				assert.NoError(t, err)
				return
			}
			deniedWith(t, err, tc.message)
		})
	}
}
