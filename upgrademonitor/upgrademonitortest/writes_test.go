package upgrademonitortest_test

import (
	"bytes"
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

// writes has the cases of testdata/writes.yaml, which the tests on a real API server also make.
type writes struct {
	Given  string
	Writes []struct {
		Name, Main, Status string // a patch of the object, or of the status
		Missing, Unchanged bool
		Generation         int64
		Want               metav1.StatusReason
	}
}

func readWrites(t *testing.T) (w writes) {
	t.Helper()
	file, err := os.ReadFile("testdata/writes.yaml")
	require.NoError(t, err)
	text, err := template.New("").Funcs(template.FuncMap{"repeat": strings.Repeat}).Parse(string(file))
	require.NoError(t, err)
	var data bytes.Buffer
	require.NoError(t, text.Execute(&data, nil))
	require.NoError(t, yaml.UnmarshalStrict(data.Bytes(), &w))
	return w
}

// The clientset responds to a write as testdata/writes.yaml says. An e2e test makes the same writes on a real API server.
func TestTheClientsetRespondsLikeAnAPIServer(t *testing.T) {
	w := readWrites(t)
	for _, tc := range w.Writes {
		t.Run(tc.Name, func(t *testing.T) {
			client := upgrademonitortest.NewClientset(t).MachineconfigurationV1().MachineConfigNodes()
			patch := func(text string, subresources ...string) (*mcfgv1.MachineConfigNode, error) {
				return client.Patch(t.Context(), nodeName, types.MergePatchType, []byte(text), metav1.PatchOptions{}, subresources...)
			}
			if !tc.Missing {
				_, err := client.Create(t.Context(), newObject(), metav1.CreateOptions{})
				require.NoError(t, err)
				_, err = patch(w.Given, "status")
				require.NoError(t, err)
			}
			before, _ := client.Get(t.Context(), nodeName, metav1.GetOptions{})
			text := tc.Main
			var subresources []string
			if tc.Status != "" {
				text, subresources = tc.Status, []string{"status"}
			}
			if before != nil {
				text = strings.NewReplacer("NODE", nodeName, "VERSION", before.ResourceVersion, "UID", string(before.UID)).Replace(text)
			}
			after, err := patch(text, subresources...)
			require.Equal(t, tc.Want, apierrors.ReasonForError(err), "%v", err)
			if err != nil {
				return
			}
			assert.Equal(t, tc.Unchanged, before.ResourceVersion == after.ResourceVersion)
			assert.Equal(t, max(tc.Generation, 1), after.Generation)
			read, err := client.Get(t.Context(), nodeName, metav1.GetOptions{})
			require.NoError(t, err)
			read.ManagedFields, after.ManagedFields = nil, nil
			assert.Equal(t, after, read)
		})
	}
}
