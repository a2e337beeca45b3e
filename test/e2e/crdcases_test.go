package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// crdCase is an object of the tests of the CRD in openshift/api.
type crdCase struct{ name, object string }

// crdCases returns the cases of a feature gate, from the module of openshift/api.
func crdCases(t *testing.T, gate string) []crdCase {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/openshift/api").Output()
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "machineconfiguration/v1/tests/machineconfignodes.machineconfiguration.openshift.io", gate+".yaml"))
	require.NoError(t, err)
	var suite struct {
		Tests struct {
			OnCreate, OnUpdate []struct{ Name, Initial, Updated, Expected string }
		}
	}
	require.NoError(t, yaml.Unmarshal(data, &suite))
	var cases []crdCase
	for _, test := range append(suite.Tests.OnCreate, suite.Tests.OnUpdate...) {
		for when, object := range map[string]string{"initial": test.Initial, "updated": test.Updated, "expected": test.Expected} {
			if object != "" {
				cases = append(cases, crdCase{test.Name + " " + when, object})
			}
		}
	}
	return cases
}

// place creates the object of a case for the node. It returns false if the CRD of this cluster
// rejects it.
func (c crdCase) place(w *testNode) bool {
	w.t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(w.t, yaml.Unmarshal([]byte(c.object), object))
	object.SetName(w.name)
	require.NoError(w.t, unstructured.SetNestedField(object.Object, w.name, "spec", "node", "name"))
	client, err := dynamic.NewForConfig(w.config)
	require.NoError(w.t, err)
	nodes := client.Resource(schema.GroupVersionResource{Group: "machineconfiguration.openshift.io", Version: "v1", Resource: "machineconfignodes"})
	created, err := nodes.Create(w.t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		return false
	}
	if status, ok := object.Object["status"]; ok {
		created.Object["status"] = status
		_, err = nodes.UpdateStatus(w.t.Context(), created, metav1.UpdateOptions{FieldManager: "someone"})
	}
	return err == nil
}

func TestAnUpdateContinuesFromAnyObjectThatTheCRDAccepts(t *testing.T) {
	image := imageCluster(t)
	for _, from := range []struct {
		gate    string
		cluster *cluster.Cluster
		modes   []bool
	}{
		{"AAA_ungated", standard, []bool{false}},
		{"AAA_ungated", image, []bool{false, true}},
		{"ImageModeStatusReporting", image, []bool{false, true}},
		{"IrreconcilableMachineConfig", image, []bool{false, true}},
		{"NoRegistryClusterInstall", image, []bool{false, true}},
	} {
		for _, mode := range from.modes {
			accepted := 0
			for i, c := range crdCases(t, from.gate) {
				name := fmt.Sprintf("crd-%s-%t-%t-%d", strings.ToLower(strings.ReplaceAll(from.gate, "_", "-")), from.cluster == image, mode, i)
				t.Run(name+"/"+c.name, func(t *testing.T) {
					w := testNodeOn(t, from.cluster, name)
					w.imageMode = mode
					if !c.place(w) {
						return // an invalid object
					}
					accepted++
					w.updateWithImage()
				})
			}
			t.Logf("%s, image mode %t: %d objects", from.gate, mode, accepted)
			assert.Positive(t, accepted)
		}
	}
}

// updateWithImage runs an update of the node in its mode, and checks it.
func (w *testNode) updateWithImage() {
	w.t.Helper()
	history := watchFrom(w.t, w)
	m, requests := w.monitor("worker")
	w.annotateImages(oldConfig, newConfig, "", oldImage)
	require.NoError(w.t, m.GenerateAndApplyMachineConfigNodeSpec(w.t.Context()))
	calls := rebootCalls
	if w.imageMode {
		calls = imageCalls
	}
	for i, c := range calls {
		if i == len(calls)-1 {
			w.annotateImages(newConfig, newConfig, oldImage, oldImage)
		}
		c.make(w.t, m)
	}
	require.NoError(w.t, m.ReportPinnedImageSets(w.t.Context(), nil))
	require.NoError(w.t, m.ReportDegraded(w.t.Context(), nil))
	history.catchUp()
	history.check()
	history.checkEnded()
	assert.Zero(w.t, requests.answered(http.StatusUnprocessableEntity))
	assert.Zero(w.t, requests.answered(http.StatusBadRequest))
}
