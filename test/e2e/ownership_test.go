package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	ownManager   = "machine-config-operator"
	otherManager = "release-image"
	unownedType  = string(mcfgv1.MachineConfigNodeInternalReleaseImageDegraded)
)

// document is the JSON of an object, as the API server returns it.
type document map[string]any

func (w *testNode) document() document {
	w.t.Helper()
	data, err := w.admin.MachineconfigurationV1().RESTClient().Get().Resource("machineconfignodes").Name(w.name).Do(w.t.Context()).Raw()
	require.NoError(w.t, err)
	var d document
	require.NoError(w.t, json.Unmarshal(data, &d))
	return d
}

func (d document) status() map[string]any { return d["status"].(map[string]any) }

func (d document) conditions() []any { return d.status()["conditions"].([]any) }

// condition returns one condition, nil if there is none.
func (d document) condition(name string) map[string]any {
	for _, c := range d.conditions() {
		if c := c.(map[string]any); c["type"] == name {
			return c
		}
	}
	return nil
}

// putStatus changes the status and writes all of it, as another manager.
func (w *testNode) putStatus(change func(d document)) {
	w.t.Helper()
	d := w.document()
	change(d)
	data, err := json.Marshal(d)
	require.NoError(w.t, err)
	require.NoError(w.t, w.admin.MachineconfigurationV1().RESTClient().Put().Resource("machineconfignodes").Name(w.name).SubResource("status").
		Param("fieldManager", otherManager).Body(data).Do(w.t.Context()).Error())
}

// flip changes the other manager's condition.
func (w *testNode) flip() {
	w.t.Helper()
	w.putStatus(func(d document) {
		c := d.condition(unownedType)
		c["status"] = map[any]string{"False": "True", "True": "False"}[c["status"]]
		c["message"] = fmt.Sprint("about ", c["status"])
	})
}

// applyAll applies the whole status that it has read, by force, as a daemon without this library
// does.
func (w *testNode) applyAll() {
	w.t.Helper()
	d := w.document()
	data, err := json.Marshal(map[string]any{"apiVersion": d["apiVersion"], "kind": d["kind"], "metadata": map[string]any{"name": w.name}, "status": d["status"]})
	require.NoError(w.t, err)
	require.NoError(w.t, w.admin.MachineconfigurationV1().RESTClient().Patch(types.ApplyPatchType).Resource("machineconfignodes").Name(w.name).SubResource("status").
		Param("fieldManager", ownManager).Param("force", "true").Body(data).Do(w.t.Context()).Error())
}

// addUnowned adds a field and a condition of the other manager, with a time that a typed client
// would rewrite.
func (w *testNode) addUnowned() {
	w.t.Helper()
	w.putStatus(func(d document) {
		d.status()["conditions"] = append(d.conditions(), map[string]any{"type": unownedType, "status": "False", "reason": "AsExpected", "message": "All is good",
			"lastTransitionTime": "2026-01-01T02:00:00.500+02:00"})
		d.status()["irreconcilableChanges"] = []any{map[string]any{"fieldPath": "spec.config.storage", "diff": "- a\n+ b"}}
	})
}

// claims returns the fields of the status that belong to others, but are owned by this library's
// manager, too.
func (w *testNode) claims() []string {
	w.t.Helper()
	var claims []string
	for _, entry := range w.object().ManagedFields {
		if entry.Manager != ownManager || entry.Subresource != "status" {
			continue
		}
		var fields map[string]map[string]map[string]any
		require.NoError(w.t, json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields))
		for name, below := range fields["f:status"] {
			switch name {
			case "f:irreconcilableChanges", "f:internalReleaseImage":
				claims = append(claims, name)
			case "f:conditions":
				if _, ok := below[`k:{"type":"`+unownedType+`"}`]; ok {
					claims = append(claims, unownedType)
				}
			}
		}
	}
	slices.Sort(claims)
	return slices.Compact(claims)
}

// clusters returns a cluster for each CRD.
func clusters(t *testing.T) map[string]*cluster.Cluster {
	return map[string]*cluster.Cluster{"standard": standard, "image": imageCluster(t)}
}

// claimed creates the object as a daemon without this library: it owns the other manager's fields,
// one of which the other manager has changed since.
func (w *testNode) claimed() {
	w.t.Helper()
	w.reportUpdated()
	w.addUnowned()
	w.applyAll()
	w.flip()
	require.Equal(w.t, []string{unownedType, "f:irreconcilableChanges"}, w.claims())
}

// TestOwnershipIsReleased takes over objects of daemons without this library, on both CRDs,
// with and without the guard in force.
func TestOwnershipIsReleased(t *testing.T) {
	for crd, c := range clusters(t) {
		for name, create := range map[string]func(*testing.T, *cluster.Cluster, string) *testNode{"free": testNodeOn, "guarded": guardedNodeOn} {
			t.Run(crd+"/"+name, func(t *testing.T) {
				w := create(t, c, "released-"+crd+"-"+name)
				w.claimed()
				before := w.document()
				history := watchFrom(t, w)
				m, requests := w.monitor("master")

				w.rebootUpdate(m)

				history.catchUp()
				history.check()
				history.checkEnded()
				after := w.document()
				assert.Equal(t, before.condition(unownedType), after.condition(unownedType), "unchanged")
				assert.Equal(t, before.status()["irreconcilableChanges"], after.status()["irreconcilableChanges"])
				assert.Empty(t, w.claims())
				assert.Equal(t, requests.all(), requests.answered(http.StatusOK), "%v", requests)
				assert.Equal(t, 1, requests.of("read"))
				assert.Equal(t, 2, requests.of("spec"), "one of them is the release")
				for _, event := range history.events {
					got, ok := statusOf(event.Status.Conditions, unownedType)
					require.True(t, ok)
					assert.Equal(t, metav1.ConditionTrue, got.Status)
					assert.Len(t, event.Status.IrreconcilableChanges, 1)
				}

				w.flip()
				w.rebootUpdate(m)
				assert.Equal(t, "False", w.document().condition(unownedType)["status"])
				assert.Empty(t, w.claims())
				assert.Equal(t, 1, requests.answered(http.StatusConflict))
				assert.Zero(t, requests.answered(http.StatusUnprocessableEntity), "a partial entry")
			})
		}
	}
}

// TestOldDaemonComesBack: a daemon without this library writes in the middle of an update. With
// and without an informer.
func TestOldDaemonComesBack(t *testing.T) {
	for _, informed := range []bool{false, true} {
		t.Run(fmt.Sprintf("informed %t", informed), func(t *testing.T) {
			w := newTestNode(t, fmt.Sprintf("comes-back-%t", informed))
			w.reportUpdated()
			w.addUnowned()
			m, requests := w.monitor("master")
			caughtUp := func(string) {}
			if informed {
				m, requests, caughtUp = w.informed(t.Context())
			}
			w.annotate(oldConfig, newConfig)
			for i, c := range rebootCalls {
				if i == 3 || i == 6 {
					w.applyAll()
					w.flip()
					caughtUp(w.object().ResourceVersion)
					require.NotEmpty(t, w.claims())
				}
				if i == len(rebootCalls)-1 {
					w.annotate(newConfig, newConfig)
				}
				c.make(t, m)
			}

			unowned := w.document().condition(unownedType)
			assert.Equal(t, map[string]any{"type": unownedType, "status": "False", "reason": "AsExpected", "message": "about False",
				"lastTransitionTime": "2026-01-01T02:00:00.500+02:00"}, unowned)
			assert.Empty(t, w.claims())
			assert.LessOrEqual(t, requests.answered(http.StatusConflict), 2)
			assert.Zero(t, requests.answered(http.StatusUnprocessableEntity), "a partial entry")
		})
	}
}

// TestMergePatchKeepsConditionsOfOthers switches the mode, which requires a patch that replaces
// the whole list of conditions.
func TestMergePatchKeepsConditionsOfOthers(t *testing.T) {
	for _, informed := range []bool{false, true} {
		t.Run(fmt.Sprintf("informed %t", informed), func(t *testing.T) {
			w := testNodeOn(t, imageCluster(t), fmt.Sprintf("merge-unowned-%t", informed))
			w.claimed()
			before := w.document()
			m, requests := w.monitor("master")
			if informed {
				m, requests, _ = w.informed(t.Context())
			}
			for _, mode := range []bool{true, false, true} {
				w.imageMode = mode
				call{phases.NodeDegraded, metav1.ConditionFalse, nil}.make(t, m)
				after := w.document()
				assert.Len(t, after.conditions(), len(phases.All(mode))+1)
				assert.Equal(t, before.condition(unownedType), after.condition(unownedType), "unchanged")
				assert.Equal(t, before.status()["irreconcilableChanges"], after.status()["irreconcilableChanges"])
				assert.Empty(t, w.claims())
			}
			assert.Zero(t, requests.answered(http.StatusConflict))
			assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
		})
	}
}

// applyImageSet applies an image set as the other manager.
func (w *testNode) applyImageSet(set string) {
	w.t.Helper()
	apply := fmt.Sprintf(`{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode","metadata":{"name":%q},"status":{"pinnedImageSets":[%s]}}`, w.name, set)
	require.NoError(w.t, w.admin.MachineconfigurationV1().RESTClient().Patch(types.ApplyPatchType).Resource("machineconfignodes").Name(w.name).SubResource("status").
		Param("fieldManager", otherManager).Body([]byte(apply)).Do(w.t.Context()).Error())
}

// TestImageSetsOfOthersStay: another manager has applied an image set.
func TestImageSetsOfOthersStay(t *testing.T) {
	w := newTestNode(t, "unowned-sets")
	w.reportUpdated()
	w.applyImageSet(`{"name":"theirs","desiredGeneration":2,"currentGeneration":1}`)
	theirs := mcfgv1.MachineConfigNodeStatusPinnedImageSet{Name: "theirs", DesiredGeneration: 2, CurrentGeneration: 1}
	m, requests := w.monitor("master")

	for _, names := range [][]string{{"a"}, {"a", "b"}, {"b"}, nil} {
		require.NoError(t, m.ReportPinnedImageSets(t.Context(), sets(names...)))
		got := w.object().Status.PinnedImageSets
		assert.Len(t, got, len(names)+1)
		assert.Contains(t, got, theirs)
	}
	for _, entry := range w.object().ManagedFields {
		if entry.Manager == ownManager {
			assert.NotContains(t, entry.FieldsV1.GetRawString(), "theirs")
		}
	}

	theirsNow := []upgrademonitor.PinnedImageSet{{Name: "theirs", Generation: 3}}
	require.NoError(t, m.ReportPinnedImageSets(t.Context(), theirsNow), "this library owns it now")
	assert.Equal(t, []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "theirs", DesiredGeneration: 3, CurrentGeneration: 1}}, w.object().Status.PinnedImageSets)
	require.NoError(t, m.ReportPinnedImageSets(t.Context(), nil))
	assert.Empty(t, w.object().Status.PinnedImageSets)
	assert.Zero(t, requests.answered(http.StatusConflict))
	assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
}

// TestImageSetsOfOthersStayVerbatim has a set with an empty text, which a type cannot tell from none.
func TestImageSetsOfOthersStayVerbatim(t *testing.T) {
	const theirs = `{"name":"theirs","desiredGeneration":2,"lastFailedGenerationError":""}`
	var want map[string]any
	require.NoError(t, json.Unmarshal([]byte(theirs), &want))
	w := newTestNode(t, "unowned-verbatim")
	w.reportUpdated()
	w.applyImageSet(theirs)
	m, _ := w.monitor("master")

	for _, names := range [][]string{{"a"}, {"a", "b"}, {"b"}, nil} {
		require.NoError(t, m.ReportPinnedImageSets(t.Context(), sets(names...)))
		assert.Contains(t, w.document().status()["pinnedImageSets"], want, "%v", names)
	}
}
