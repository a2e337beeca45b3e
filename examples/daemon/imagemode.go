package main

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// defaultToImage is the default of --to-image.
const defaultToImage = "image-registry.openshift-image-registry.svc:5000/openshift-machine-config-operator/ocb-image@sha256:" +
	"1111111111111111111111111111111111111111111111111111111111111111"

// setImages validates the images, and sets the default of the new one. Another image needs a
// reboot.
func (o *options) setImages(flags *pflag.FlagSet) error {
	for _, i := range []struct{ flag, image string }{{"from-image", o.fromImage}, {"to-image", o.toImage}} {
		switch {
		case flags.Changed(i.flag) && !o.imageMode:
			return fmt.Errorf("--%s needs --image-mode", i.flag)
		case i.image != "" && !validate.IsImage(i.image):
			return fmt.Errorf("--%s %q is not an image by digest: use host.domain[:port]/[namespace/]name@sha256:<64 of 0-9 and a-f>, at most %d characters", i.flag, i.image, validate.MaxImage)
		}
	}
	switch {
	case !o.imageMode || flags.Changed("to-image"):
	case o.rebootless:
		o.toImage = o.fromImage
	default:
		o.toImage = defaultToImage
	}
	if o.rebootless && o.changesImage() {
		return errors.New("--rebootless needs --to-image to be --from-image: another image needs a reboot")
	}
	return nil
}

// changesFiles, changesImage and pullsImage report whether the update has the phases AppliedFiles,
// AppliedOSImage and ImagePulledFromRegistry. A node whose new image is none returns to the OS of
// its config, and pulls no image.
func (o options) changesFiles() bool { return o.imageMode && o.from != o.to }
func (o options) changesImage() bool { return o.imageMode && o.fromImage != o.toImage }
func (o options) pullsImage() bool   { return o.changesImage() && o.toImage != "" }

// target describes the new config and image.
func (o options) target() string {
	if o.pullsImage() {
		return fmt.Sprintf("image %s, config %s", o.toImage, o.to)
	}
	return "config " + o.to
}

// lacksImage reports whether the object lacks the new image.
func (o options) lacksImage(object *mcfgv1.MachineConfigNode) bool {
	return o.toImage != "" && object.Status.ConfigImage.CurrentImage == ""
}

// applyInImageMode is apply in image mode, where files and image have a phase each. Both are in
// place together, so both are reported as done at the end.
func (d *daemon) applyInImageMode(ctx context.Context) error {
	if err := d.applyFiles(ctx); err != nil {
		return err
	}
	if err := d.applyOSImage(ctx); err != nil {
		return err
	}
	if d.options.changesFiles() {
		d.report(ctx, phases.AppliedFiles, "UpdateExecutedAppliedFiles", "Applied files to node", metav1.ConditionTrue,
			upgrademonitor.CompletesParent(), upgrademonitor.ParentMessage("Updated the files on disk"))
	}
	if d.options.changesImage() {
		d.report(ctx, phases.AppliedOSImage, "UpdateExecutedAppliedOSImage", "Applied new OS image to node", metav1.ConditionTrue,
			upgrademonitor.CompletesParent(), upgrademonitor.ParentMessage("Updated the OS image on disk"))
	}
	return nil
}

func (d *daemon) applyFiles(ctx context.Context) error {
	if !d.options.changesFiles() {
		return nil
	}
	const reason, message = "UpdateExecutedAppliedFiles", "Applying files to node. SSH Keys will not need an update"
	d.report(ctx, phases.AppliedFiles, reason, message, metav1.ConditionUnknown,
		upgrademonitor.ParentMessage("Updating the files on disk as a part of the in progress phase"))
	return d.work(ctx, phases.AppliedFiles, reason, message)
}

func (d *daemon) applyOSImage(ctx context.Context) error {
	if !d.options.changesImage() {
		return nil
	}
	const reason, message = "UpdateExecutedAppliedOSImage", "Applying new OS image to node"
	d.report(ctx, phases.AppliedOSImage, reason, message, metav1.ConditionUnknown,
		upgrademonitor.ParentMessage("Updating the OS image on disk as a part of the in progress phase"))
	if err := d.pullImage(ctx); err != nil {
		return err
	}
	return d.work(ctx, phases.AppliedOSImage, reason, message)
}

// pullImage is a part of the work of AppliedOSImage. An update without an image skips its phase.
func (d *daemon) pullImage(ctx context.Context) error {
	if !d.options.pullsImage() {
		return nil
	}
	err := d.monitor.Track(ctx, phases.ImagePulledFromRegistry, "Pull of the image "+d.options.toImage, func(ctx context.Context) error {
		return d.simulate(ctx, phases.ImagePulledFromRegistry)
	})
	return at(phases.ImagePulledFromRegistry, err)
}
