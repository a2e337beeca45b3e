package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// maxPins is how many pinned image sets a MachineConfigNode takes.
const maxPins = 100

// pin is a pinned image set.
type pin struct {
	name       string
	generation int64
}

// setPins parses the values of --pin.
func (o *options) setPins(pinned []string) error {
	if len(pinned) > maxPins {
		return fmt.Errorf("--pin is set %d times: a MachineConfigNode holds at most %d pinned image sets", len(pinned), maxPins)
	}
	seen := map[string]bool{}
	for _, text := range pinned {
		name, number, found := strings.Cut(text, "=")
		if !found {
			return fmt.Errorf("--pin %q has no generation: use name=generation, for example test-pinned=3", text)
		}
		if err := checkName("pin", name); err != nil {
			return err
		}
		generation, err := strconv.ParseInt(number, 10, 64)
		if err != nil || generation < 1 || generation > math.MaxInt32 {
			return fmt.Errorf("--pin %s: generation %q is not a number from 1 to %d", name, number, math.MaxInt32)
		}
		if seen[name] {
			return fmt.Errorf("duplicate --pin %s", name)
		}
		seen[name] = true
		o.pins = append(o.pins, pin{name: name, generation: generation})
	}
	return nil
}

// pin fetches the pinned image sets. A cluster pins the images of an update before it starts;
// the update does not depend on them, and does not fail with them.
func (d *daemon) pin(ctx context.Context) error {
	if len(d.options.pins) == 0 {
		return nil // nothing to report
	}
	d.reportPins(ctx, false, nil)
	err := d.simulate(ctx, phases.PinnedImageSetsDegraded)
	if ctx.Err() != nil {
		return at(phases.PinnedImageSetsProgressing, err)
	}
	d.reportPins(ctx, err == nil, err)
	return nil
}

// reportPins reports the state of all pinned image sets. The report is declarative: a set that is
// not in it is removed from the object.
func (d *daemon) reportPins(ctx context.Context, done bool, err error) {
	var sets []upgrademonitor.PinnedImageSet
	for _, p := range d.options.pins {
		sets = append(sets, upgrademonitor.PinnedImageSet{Name: p.name, Generation: p.generation, Done: done, Err: err})
	}
	d.log(ctx, d.monitor.ReportPinnedImageSets(ctx, sets))
}
