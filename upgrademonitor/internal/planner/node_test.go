package planner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// An annotation with an invalid value is left out of the Node, and NewNode returns an error. In standard mode, the image
// annotations are ignored.
func TestAnAnnotationThatTheCRDRejectsIsOmitted(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("1", 64)
	image := "quay.io/mco/os" + digest
	all := map[string]string{nodemeta.CurrentConfig: "a", nodemeta.DesiredConfig: "b", nodemeta.CurrentImage: image, nodemeta.DesiredImage: image}
	for name, tc := range map[string]struct {
		annotation, value string // the annotation that is changed, and its value
		mode              planner.Mode
		want              planner.Versions
	}{
		"all valid": {nodemeta.CurrentConfig, "a", planner.Image, planner.Versions{CurrentConfig: "a", DesiredConfig: "b", CurrentImage: image, DesiredImage: image}},
		"the object shows the mode, and the current config is missing": {nodemeta.CurrentConfig, "", planner.ModeOfObject, planner.Versions{DesiredConfig: "b", CurrentImage: image, DesiredImage: image}},
		"an invalid image in standard mode":                            {nodemeta.CurrentImage, "x", planner.Standard, planner.Versions{CurrentConfig: "a", DesiredConfig: "b"}},
		"an invalid current config":                                    {nodemeta.CurrentConfig, "Rendered_Worker", planner.Standard, planner.Versions{DesiredConfig: "b"}},
		"an invalid desired config":                                    {nodemeta.DesiredConfig, "Rendered_Worker", planner.Standard, planner.Versions{CurrentConfig: "a"}},
		"an image with a tag":                                          {nodemeta.CurrentImage, "quay.io/mco/os:latest", planner.Image, planner.Versions{CurrentConfig: "a", DesiredConfig: "b", DesiredImage: image, InvalidCurrentImage: true}},
		"a digest that is too long":                                    {nodemeta.DesiredImage, image + "0", planner.Image, planner.Versions{CurrentConfig: "a", DesiredConfig: "b", CurrentImage: image, InvalidDesiredImage: true}},
		"an image with two digests":                                    {nodemeta.DesiredImage, image + digest, planner.Image, planner.Versions{CurrentConfig: "a", DesiredConfig: "b", CurrentImage: image, InvalidDesiredImage: true}},
		"an image with a scheme":                                       {nodemeta.DesiredImage, "https://" + image, planner.Image, planner.Versions{CurrentConfig: "a", DesiredConfig: "b", CurrentImage: image, InvalidDesiredImage: true}},
		"an image that is too long":                                    {nodemeta.DesiredImage, "quay.io/" + strings.Repeat("a", 447) + digest, planner.Image, planner.Versions{CurrentConfig: "a", DesiredConfig: "b", CurrentImage: image, InvalidDesiredImage: true}},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{}}}
			for annotation, value := range all {
				node.Annotations[annotation] = value
			}
			node.Annotations[tc.annotation] = tc.value
			got, invalid := planner.NewNode(node, "worker", tc.mode)
			assert.Equal(t, planner.Node{Owner: nodemeta.Owner(node), Pool: "worker", Mode: tc.mode, Provisioned: true, Versions: tc.want}, got)
			if isInvalid := tc.want.CurrentConfig+tc.want.DesiredConfig != "ab" && tc.value != "" || strings.Count(tc.want.CurrentImage+tc.want.DesiredImage, image) < 2 && tc.mode == planner.Image; isInvalid {
				assert.ErrorContains(t, invalid, "metadata.annotations["+tc.annotation+"]: Invalid value")
			} else {
				assert.NoError(t, invalid)
			}
		})
	}
}

func TestTheConditionsShowTheMode(t *testing.T) {
	assert.Equal(t, planner.Image, planner.ModeOf([]metav1.Condition{{Type: "AppliedFiles"}}))
	assert.Equal(t, planner.Standard, planner.ModeOf(nil))
}
