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

// every is as many conditions as the CRD takes, all phases of both modes among them, each
// with the longest reason and message that it takes.
func every(t *testing.T, status, at, letter string) []byte {
	t.Helper()
	names := append([]string{"AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry", "ForeignA", "ForeignB", "ForeignC"}, standardMode...)
	require.Len(t, names, 20)
	list := shows{}
	for _, name := range names {
		list[name] = status + " at " + at
	}
	patch := string(list.patch())
	patch = strings.ReplaceAll(patch, `"message":""`, `"message":"`+strings.Repeat(letter, 32768)+`"`)
	return []byte(strings.ReplaceAll(patch, `"reason":"Test"`, `"reason":"`+strings.Repeat("R", 1024)+`"`))
}

// TestCostOfTheLargestObject moves every condition of the largest object that there is: the
// policies must come to a decision within the server's limits.
func TestCostOfTheLargestObject(t *testing.T) {
	h := newHistorian(t, "largest")
	write := func(c nodes, patch []byte) error {
		_, err := c.Patch(t.Context(), h.name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	}
	admin := h.admin.MachineconfigurationV1().MachineConfigNodes()
	require.NoError(t, write(admin, every(t, "Unknown", early, "a")))
	assert.NoError(t, write(h.daemon, every(t, "False", late, "b")), "all taken back")

	err := write(h.daemon, every(t, "True", early, "c"))
	deniedWith(t, err, saysJump)
	assert.Equal(t, 13, strings.Count(err.Error(), "from False to True"), "Updated and the singletons may")

	deniedWith(t, write(h.daemon, every(t, "False", early, "d")), saysStamp)
	deniedWith(t, write(h.daemon, shows{}.patch()), saysGone)
}

// TestCostOfAWrite measures the processor time of the API server for one status write, by
// daemons that differ in what they are held to. Rounds take turns, so that all see the
// server age alike.
func TestCostOfAWrite(t *testing.T) {
	const rounds, writes = 4, 99 // three moves a time round the ring
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
		w := freeWorldOn(t, c, "cost-"+guard.Name)
		w.renewed(true)
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

// drain is the i-th of a sequence of writes, each of which moves a phase along its ring.
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
