package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// every returns as many conditions as the CRD allows, including all phases of both modes, with the
// longest reasons and messages.
func every(t *testing.T, status, at, letter string) []byte {
	t.Helper()
	names := append([]string{"AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry", "UnownedA", "UnownedB", "UnownedC"}, standardMode...)
	require.Len(t, names, 20)
	list := statuses{}
	for _, name := range names {
		list[name] = status + " at " + at
	}
	patch := string(list.patch())
	patch = strings.ReplaceAll(patch, `"message":""`, `"message":"`+strings.Repeat(letter, 32768)+`"`)
	return []byte(strings.ReplaceAll(patch, `"reason":"Test"`, `"reason":"`+strings.Repeat("R", 1024)+`"`))
}

// Every condition of the largest valid object changes: the policies must be evaluated within
// the cost limits of the server.
func TestCostOfTheLargestObject(t *testing.T) {
	h := newPolicyTest(t, "largest")
	write := func(c nodes, patch []byte) error {
		_, err := c.Patch(t.Context(), h.name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	}
	admin := h.admin.MachineconfigurationV1().MachineConfigNodes()
	require.NoError(t, write(admin, every(t, "Unknown", early, "a")))
	assert.NoError(t, write(h.daemon, every(t, "False", late, "b")), "all reset")

	err := write(h.daemon, every(t, "True", early, "c"))
	deniedWith(t, err, messageJump)
	assert.Equal(t, 13, strings.Count(err.Error(), "from False to True"), "Updated and the singletons may")

	deniedWith(t, write(h.daemon, every(t, "False", early, "d")), messageStamp)
	deniedWith(t, write(h.daemon, statuses{}.patch()), messageGone)
}

// TestCostOfAWrite measures the CPU time of the API server for a status write without policies,
// with the guard, and with the transition policy. The rounds alternate, so that all three
// measure a server of the same age.
func TestCostOfAWrite(t *testing.T) {
	const rounds, writes = 4, 99 // three transitions per cycle
	c, err := cluster.Start(t.Context(), cluster.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })

	free := scope.Guard{Name: "free", Namespace: "free"}
	own := scope.Guard{Name: "own", Namespace: "own"}
	full := scope.Guard{Name: "full", Namespace: "full", EnforceTransitions: true}
	require.NoError(t, createServiceAccount(t.Context(), c, withDefaults(free)))
	require.NoError(t, grantEverything(t.Context(), c, withDefaults(free)))
	require.NoError(t, installGuard(t.Context(), c, own))
	require.NoError(t, installGuard(t.Context(), c, full))

	type kept struct {
		name   string
		daemon nodes
		node   string
	}
	var daemons []kept
	for _, guard := range []scope.Guard{free, own, full} {
		w := unguardedNodeOn(t, c, "cost-"+guard.Name)
		w.resetObject(true)
		daemons = append(daemons, kept{guard.Name, clientOf(t, newIdentity(t, c, guard).podToken(w.name)), w.name})
	}
	for _, size := range []struct {
		name    string
		message int
		n       int
	}{{"14 conditions, messages of 60 characters", 60, writes}, {"14 conditions, messages of 32768 characters", 32768, writes / 3}} {
		used := map[string]time.Duration{}
		for round := range rounds + 1 {
			for _, d := range daemons {
				before, err := c.APIServerCPU()
				require.NoError(t, err)
				for i := range size.n {
					require.NoError(t, drain(t.Context(), d.daemon, d.node, size.message, i))
				}
				after, err := c.APIServerCPU()
				require.NoError(t, err)
				if round > 0 { // the first warms up
					used[d.name] += after - before
				}
			}
		}
		each := func(name string) time.Duration { return used[name] / time.Duration(rounds*size.n) }
		t.Logf("%s: no policy %v, own object %v, and transitions %v of processor time a write", size.name, each("free"), each("own"), each("full"))
		assert.Less(t, each("full"), 2*each("free")+2*time.Millisecond, "the policies cost as much as the write")
	}
}

// drain returns the i-th of a sequence of writes, each with one transition of a phase.
func drain(ctx context.Context, c nodes, node string, length, i int) error {
	ring := []string{"Unknown", "True", "False"}
	list := []map[string]string{}
	for _, name := range standardMode {
		condition := map[string]string{"type": name, "status": "False", "reason": "Cost", "message": strings.Repeat("m", length), "lastTransitionTime": early}
		if name == "Drained" {
			condition["status"] = ring[i%3]
			condition["lastTransitionTime"] = fmt.Sprintf("2026-01-01T01:%02d:%02dZ", i/60%60, i%60)
		}
		list = append(list, condition)
	}
	data, err := json.Marshal(map[string]any{
		"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigNode",
		"metadata": map[string]any{"name": node},
		"status":   map[string]any{"conditions": list},
	})
	if err != nil {
		return err
	}
	force := true
	_, err = c.Patch(ctx, node, types.ApplyPatchType, data, metav1.PatchOptions{FieldManager: "machine-config-operator", Force: &force}, "status")
	return err
}
