package main

import (
	"slices"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	imageA = "registry.example.com/os/a@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	imageB = "registry.example.com/os/b@sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// At the end, the messages of the phases that ran name the update, the others have not yet occurred.
func TestPhasesOfImageMode(t *testing.T) {
	const disabled = "disable image mode"
	config := "rendered-worker-" + toHash
	all := []string{"AppliedFiles", "AppliedOSImage", "ImagePulledFromRegistry"}
	for name, tc := range map[string]struct {
		args   []string
		ran    []string
		update string // how messages name it
	}{
		"enabling":             {nil, all, defaultToImage},
		"another image":        {[]string{"--from-image=" + imageA, "--to-image=" + imageB}, all, imageB},
		"another image only":   {[]string{"--from-image=" + imageA, "--to-image=" + imageB, "--from=a", "--to=a"}, []string{"AppliedOSImage", "ImagePulledFromRegistry"}, imageB},
		"disabling":            {[]string{"--from-image=" + imageA, "--to-image="}, []string{"AppliedFiles", "AppliedOSImage"}, disabled},
		"disabling only":       {[]string{"--from-image=" + imageA, "--to-image=", "--from=a", "--to=a"}, []string{"AppliedOSImage"}, disabled},
		"another config":       {[]string{"--from-image=" + imageA, "--to-image=" + imageA}, []string{"AppliedFiles"}, config},
		"never an image":       {[]string{"--to-image="}, []string{"AppliedFiles"}, config},
		"rebootless":           {[]string{"--rebootless"}, []string{"AppliedFiles"}, config},
		"rebootless, an image": {[]string{"--rebootless", "--from-image=" + imageA}, []string{"AppliedFiles"}, config},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t.Context(), append([]string{"--image-mode", "--describe"}, tc.args...)...)
			require.Equal(t, 0, got.Code, got.Stderr)
			for _, phase := range all {
				shown := describedCondition(t, got.Stdout, phases.Phase(phase))
				want := "This node has not yet entered the " + phase + " phase"
				if slices.Contains(tc.ran, phase) {
					want = "Action during update to " + tc.update + ": "
				}
				assert.True(t, strings.HasPrefix(shown["Message"], want), "%s: %s", phase, shown["Message"])
				assert.Equal(t, "False", shown["Status"], phase)
			}
			assert.NotContains(t, got.Stdout, "AppliedFilesAndOS")
		})
	}
}

func TestDescribedImages(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an image":                    {[]string{"--to-image=" + imageA}, "  Config Image:\n    Current Image:  " + imageA + "\n    Desired Image:  " + imageA + "\n  Config Version:\n"},
		"a failed update":             {[]string{"--to-image=" + imageA, "--fail-at=AppliedOSImage"}, "  Config Image:\n    Desired Image:  " + imageA + "\n  Config Version:\n"},
		"a failed preparation":        {[]string{"--from-image=" + imageA, "--to-image=" + imageB, "--fail-at=UpdatePrepared"}, "  Config Image:\n    Current Image:  " + imageA + "\n    Desired Image:  " + imageA + "\n  Config Version:\n"},
		"a failed update to no image": {[]string{"--from-image=" + imageA, "--to-image=", "--fail-at=AppliedOSImage"}, "  Config Image:\n    Current Image:  " + imageA + "\n  Config Version:\n"},
		"no image any more":           {[]string{"--from-image=" + imageA, "--to-image="}, "PinnedImageSetsDegraded\n  Config Version:\n"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, execute(t.Context(), append([]string{"--image-mode", "--describe"}, tc.args...)...).Stdout, tc.want)
		})
	}
}

func TestLackingImage(t *testing.T) {
	object := &mcfgv1.MachineConfigNode{}
	assert.False(t, options{}.lacksImage(object))
	assert.True(t, options{toImage: imageA}.lacksImage(object), "a CRD without images drops it")
	object.Status.ConfigImage.CurrentImage = imageA
	assert.False(t, options{toImage: imageA}.lacksImage(object))
}

func TestImageUsageErrors(t *testing.T) {
	const noImage = " is not an image by digest: use host.domain[:port]/[namespace/]name@sha256:<64 of 0-9 and a-f>, at most 447 characters"
	long := "registry.example.com/" + strings.Repeat("a", 400) + imageA[strings.Index(imageA, "@"):]
	upper := strings.ToUpper(imageA)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"from-image in standard mode": {[]string{"--from-image=" + imageA}, "--from-image needs --image-mode"},
		"to-image in standard mode":   {[]string{"--to-image="}, "--to-image needs --image-mode"},
		"by tag":                      {[]string{"--image-mode", "--to-image=quay.io/os/a:latest"}, `--to-image "quay.io/os/a:latest"` + noImage},
		"short digest":                {[]string{"--image-mode", "--from-image=quay.io/os/a@sha256:abc"}, `--from-image "quay.io/os/a@sha256:abc"` + noImage},
		"upper case":                  {[]string{"--image-mode", "--to-image=" + upper}, `--to-image "` + upper + `"` + noImage},
		"too long":                    {[]string{"--image-mode", "--to-image=" + long}, `--to-image "` + long + `"` + noImage},
		"image without a reboot":      {[]string{"--image-mode", "--rebootless", "--to-image=" + imageA}, "--rebootless needs --to-image to be --from-image: another image needs a reboot"},
		"nothing to do":               {[]string{"--image-mode", "--from=a", "--to=a", "--to-image="}, "--from and --to are both a, and the image is the same: there is nothing to update"},
		"phase of standard mode":      {[]string{"--image-mode", "--fail-at=AppliedFilesAndOS"}, `--fail-at "AppliedFilesAndOS": in this update in image mode these can fail: UpdatePrepared, Cordoned, Drained, AppliedFiles, ImagePulledFromRegistry, AppliedOSImage, RebootedNode, Resumed, Uncordoned`},
		"no image to pull":            {[]string{"--image-mode", "--to-image=", "--fail-at=ImagePulledFromRegistry"}, `--fail-at "ImagePulledFromRegistry": in this update in image mode these can fail: UpdatePrepared, Cordoned, Drained, AppliedFiles, RebootedNode, Resumed, Uncordoned`},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t.Context(), tc.args...)
			assert.Equal(t, programtest.Outcome{Code: 2, Stderr: "daemon: " + tc.want + "; see --help\n"}, got)
		})
	}
}
