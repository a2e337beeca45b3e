package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/template"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// For each write in testdata/writes.yaml of package upgrademonitortest, the API server and the clientset of that package give
// the same response.
func TestWritesHaveTheSameResponseOnTheTestServer(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../upgrademonitor/upgrademonitortest/testdata/writes.yaml")
	require.NoError(t, err)
	parsed, err := template.New("").Funcs(template.FuncMap{"repeat": strings.Repeat}).Parse(string(file))
	require.NoError(t, err)
	var data bytes.Buffer
	require.NoError(t, parsed.Execute(&data, nil))
	var table struct {
		Given  string
		Writes []struct {
			Name, Main, Status string
			Missing            bool
		}
	}
	require.NoError(t, yaml.Unmarshal(data.Bytes(), &table))
	real := nodesOf(t, withImages.get(t).Config())
	for i, tc := range table.Writes {
		t.Run(tc.Name, func(t *testing.T) {
			name := fmt.Sprint("writes-", i)
			write := func(client nodes) string {
				patch := func(text string, subresources ...string) (*mcfgv1.MachineConfigNode, error) {
					return client.Patch(t.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{}, subresources...)
				}
				before := bareObject(name)
				if !tc.Missing {
					_, err := client.Create(t.Context(), before, metav1.CreateOptions{})
					require.NoError(t, err)
					before, err = patch(table.Given, "status")
					require.NoError(t, err)
				}
				text, subresources := tc.Main, []string(nil)
				if tc.Status != "" {
					text, subresources = tc.Status, []string{"status"}
				}
				text = strings.NewReplacer("NODE", name, "VERSION", before.ResourceVersion, "UID", string(before.UID)).Replace(text)
				after, err := patch(text, subresources...)
				if err != nil {
					return string(apierrors.ReasonForError(err))
				}
				stored, err := json.Marshal([]any{after.ResourceVersion != before.ResourceVersion, after.Generation, after.Labels, after.Spec, after.Status})
				require.NoError(t, err)
				return string(stored)
			}
			assert.Equal(t, write(real), write(upgrademonitortest.NewClientset(&recorder{TB: t}).MachineconfigurationV1().MachineConfigNodes()))
		})
	}
}
