package cluster_test

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// TestInstallCRDChangesTheVariant relies on InstallCRD alone to wait until the other variant is
// in force.
func TestInstallCRDChangesTheVariant(t *testing.T) {
	ctx := testContext(t)
	config := shared.Config()
	config.WarningHandler = rest.NoWarnings{} // about the unknown field, which is the point here
	nodes := machineConfigNodes(t, config)
	defer func() { require.NoError(t, cluster.InstallCRD(ctx, shared.Config(), false)) }()
	image := "registry.example/os@sha256:" + mcfgv1.ImageDigestFormat(strings.Repeat("a", 64))

	for _, step := range []struct {
		name      string
		imageMode bool
		stored    mcfgv1.ImageDigestFormat
	}{
		{"standard", false, ""},
		{"image-mode", true, image},
		{"image-mode-again", true, image},
		{"back-to-standard", false, ""},
	} {
		require.NoError(t, cluster.InstallCRD(ctx, shared.Config(), step.imageMode))
		object := newNode(step.name)
		object.Spec.ConfigImage.DesiredImage = image
		created, err := nodes.Create(ctx, object, metav1.CreateOptions{})
		require.NoError(t, err, step.name)
		require.NoError(t, nodes.Delete(ctx, step.name, metav1.DeleteOptions{}))
		require.Equal(t, step.stored, created.Spec.ConfigImage.DesiredImage, step.name)
	}
}
