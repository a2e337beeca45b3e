package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/phases"
)

// The hashes in the default names of the rendered configs.
const (
	fromHash = "6c320f722eb9ce8bfbd80750dbf70d2e"
	toHash   = "ceedbbb3b533372a501c2410fa554c89"
)

// defaultStepDelay lets a person follow the update.
const defaultStepDelay = 700 * time.Millisecond

const help = `daemon reports an update of a node on its MachineConfigNode, step by step, and prints
each change of the object. The work of the update is simulated.

Without --kubeconfig it runs in memory. With it, use a test cluster: the program never
changes the Node, but it overwrites the status of the node's MachineConfigNode.

Usage:
  daemon [flags]

Flags:
%s
Phases that can fail:
  %s
Phases that can fail with --rebootless:
  %s
Phases that can fail with --image-mode, where both config and image change:
  %s
With --pin, PinnedImageSetsDegraded can fail too. It does not fail the update, so the exit
status is that of the update.
`

// options are the values of the flags.
type options struct {
	kubeconfig string
	node, pool string
	from, to   string
	rebootless bool

	imageMode          bool
	fromImage, toImage string // "" for none
	pins               []pin

	failAt    phases.Phase
	stepDelay time.Duration

	wide, describe bool
}

// parse parses the flags. If they ask for help, it prints it and returns pflag.ErrHelp.
func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	var failAt, output string
	var pinned []string
	flags := program.NewFlags("daemon", stdout, func(flags string) string {
		return fmt.Sprintf(help, flags, names(options{}.failable()), names(options{rebootless: true}.failable()),
			names(options{imageMode: true, from: "a", to: "b", toImage: defaultToImage}.failable()))
	})
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "run on the cluster of this kubeconfig `file`")
	flags.StringVar(&o.node, "node", "worker-0", "`name` of the node")
	flags.StringVar(&o.pool, "pool", "worker", "`name` of the node's MachineConfigPool")
	flags.StringVar(&o.from, "from", "", "`name` of the node's current config (default rendered-<pool>-"+fromHash+")")
	flags.StringVar(&o.to, "to", "", "`name` of the node's new config (default rendered-<pool>-"+toHash+")")
	flags.BoolVar(&o.rebootless, "rebootless", false, "an update without a drain and a reboot")
	flags.BoolVar(&o.imageMode, "image-mode", false, "report the phases and images of image mode, which -o wide has no columns for")
	flags.StringVar(&o.fromImage, "from-image", "", "the node's current `image` in image mode (default none)")
	flags.StringVar(&o.toImage, "to-image", "", "the node's new `image`, empty for none (default …/ocb-image@sha256:1111…, with --rebootless that of --from-image)")
	flags.StringArrayVar(&pinned, "pin", nil, "fetch a pinned image set, as `name=generation`; may be repeated")
	flags.StringVar(&failAt, "fail-at", "", "fail the work of this `phase`, see below")
	flags.DurationVar(&o.stepDelay, "step-delay", defaultStepDelay, "duration of the work of each phase")
	flags.StringVarP(&output, "output", "o", "", "`format` of the output: wide is the table of oc get machineconfignodes -o wide")
	flags.BoolVar(&o.describe, "describe", false, "at the end, print the conditions as oc describe does")
	if err := program.Parse(flags, args); err != nil {
		return o, err
	}

	if flags.Changed("kubeconfig") && o.kubeconfig == "" {
		return o, errors.New("--kubeconfig is empty: name a file, or omit it to run in memory")
	}
	if output != "" && output != "wide" {
		return o, fmt.Errorf("--output %q: use wide, or omit it", output)
	}
	o.wide = output == "wide"
	if o.stepDelay < 0 {
		return o, fmt.Errorf("--step-delay %s is negative", o.stepDelay)
	}
	if !flags.Changed("from") {
		o.from = "rendered-" + o.pool + "-" + fromHash
	}
	if !flags.Changed("to") {
		o.to = "rendered-" + o.pool + "-" + toHash
	}
	if err := o.checkNames(); err != nil {
		return o, err
	}
	if err := o.setImages(flags); err != nil {
		return o, err
	}
	if o.from == o.to && o.fromImage == o.toImage {
		return o, o.nothingToDo()
	}
	if err := o.setPins(pinned); err != nil {
		return o, err
	}
	if !flags.Changed("fail-at") {
		return o, nil
	}
	return o, o.setFailAt(failAt)
}

func (o *options) checkNames() error {
	for _, n := range []struct{ flag, name string }{{"node", o.node}, {"pool", o.pool}, {"from", o.from}, {"to", o.to}} {
		if err := checkName(n.flag, n.name); err != nil {
			return err
		}
	}
	return nil
}

func checkName(flag, name string) error {
	if len(validation.NameIsDNSSubdomain(name, false)) > 0 {
		return fmt.Errorf("--%s %q is not a valid name: use at most 253 of a-z, 0-9, '-' and '.', with a letter or digit at both ends", flag, name)
	}
	return nil
}

func (o *options) nothingToDo() error {
	if o.imageMode {
		return fmt.Errorf("--from and --to are both %s, and the image is the same: there is nothing to update", o.from)
	}
	return fmt.Errorf("--from and --to are both %s: there is nothing to update", o.from)
}

func (o *options) setFailAt(name string) error {
	can := o.failable()
	if len(o.pins) > 0 {
		can = append(can, phases.PinnedImageSetsDegraded)
	}
	for _, p := range can {
		if strings.EqualFold(name, string(p)) {
			o.failAt = p
			return nil
		}
	}
	if strings.EqualFold(name, string(phases.PinnedImageSetsDegraded)) {
		return fmt.Errorf("--fail-at %s needs --pin", phases.PinnedImageSetsDegraded)
	}
	kind := "a standard update"
	switch {
	case o.imageMode:
		kind = "this update in image mode"
	case o.rebootless:
		kind = "a rebootless update"
	}
	return fmt.Errorf("--fail-at %q: in %s these can fail: %s", name, kind, names(can))
}

// failable returns the phases of the update that can fail, in their order.
func (o options) failable() []phases.Phase {
	can := []phases.Phase{phases.UpdatePrepared}
	if !o.rebootless {
		can = append(can, phases.Cordoned, phases.Drained)
	}
	if !o.imageMode {
		can = append(can, phases.AppliedFilesAndOS)
	}
	if o.changesFiles() {
		can = append(can, phases.AppliedFiles)
	}
	if o.pullsImage() {
		can = append(can, phases.ImagePulledFromRegistry)
	}
	if o.changesImage() {
		can = append(can, phases.AppliedOSImage)
	}
	if o.rebootless {
		can = append(can, phases.UpdatePostActionComplete)
	} else {
		can = append(can, phases.RebootedNode)
	}
	return append(can, phases.Resumed, phases.Uncordoned)
}

func names(ps []phases.Phase) string {
	words := make([]string, len(ps))
	for i, p := range ps {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
}
