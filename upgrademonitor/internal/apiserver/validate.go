package apiserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// The limits of the CRD.
const (
	maxConditions = 20
	maxImageSets  = 100
	maxType       = 316
	maxReason     = 1024
	maxMessage    = 32768
)

var (
	typeRegexp = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?` +
		`(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`)
	reasonRegexp = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	statuses     = []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}
)

// problems collects violations of the rules of the CRD.
type problems struct{ list field.ErrorList }

func (p *problems) require(ok bool, path *field.Path, value any, detail string) {
	if !ok {
		p.list = append(p.list, field.Invalid(path, value, detail))
	}
}

func (p *problems) name(path *field.Path, value string) {
	p.require(nodemeta.IsName(value), path, value, "a lowercase RFC 1123 subdomain is required")
}

func (p *problems) image(path *field.Path, value mcfgv1.ImageDigestFormat) {
	p.require(value == "" || nodemeta.IsImage(string(value)), path, value, "a pull spec by digest is required")
}

// grows requires that a number does not decrease. It may become 0, which means that it is absent.
func (p *problems) grows(path *field.Path, before, after int64) {
	p.require(after >= 0 && (after == 0 || after >= before), path, after, path.String()+" must not decrease")
}

// text limits the length of a string, in characters.
func (p *problems) text(path *field.Path, value string, maximum int) {
	if utf8.RuneCountInString(value) > maximum {
		p.list = append(p.list, field.TooLong(path, "", maximum))
	}
}

// validate checks the part of the object that a write changes: the status, or the other fields.
func (o StoredObject) validate(before StoredObject, subresource string) error {
	var p problems
	if subresource == StatusSubresource {
		var known mcfgv1.MachineConfigNodeStatus
		var status struct {
			mcfgv1.MachineConfigNodeStatus
			// The names are pointers, to distinguish "" from an absent name.
			ConfigVersion *struct{ Current, Desired *string } `json:"configVersion"`
		}
		p.decode("status", before.Status, &known)
		p.decode("status", o.Status, &status)
		if v := status.ConfigVersion; v != nil {
			path := field.NewPath("status", "configVersion")
			if v.Desired == nil {
				p.list = append(p.list, field.Required(path.Child("desired"), ""))
			} else {
				p.name(path.Child("desired"), *v.Desired)
			}
			if v.Current != nil {
				p.name(path.Child("current"), *v.Current)
			}
		}
		p.status(known, status.MachineConfigNodeStatus)
	} else {
		var spec mcfgv1.MachineConfigNodeSpec
		p.decode("spec", o.Spec, &spec)
		p.spec(o.Metadata.Name, spec)
	}
	return invalid(o.Metadata.Name, p.list)
}

func (p *problems) decode(name string, data json.RawMessage, into any) {
	if len(data) == 0 {
		return
	}
	if err := json.Unmarshal(data, into); err != nil {
		p.list = append(p.list, field.Invalid(field.NewPath(name), string(data), err.Error()))
	}
}

func (p *problems) spec(name string, spec mcfgv1.MachineConfigNodeSpec) {
	path := field.NewPath("spec")
	p.name(field.NewPath("metadata", "name"), name)
	nodeName := path.Child("node", "name")
	p.require(spec.Node.Name == name, nodeName, spec.Node.Name, "spec.node.name should match metadata.name")
	p.name(path.Child("pool", "name"), spec.Pool.Name)
	p.name(path.Child("configVersion", "desired"), spec.ConfigVersion.Desired)
	p.image(path.Child("configImage", "desiredImage"), spec.ConfigImage.DesiredImage)
}

func (p *problems) status(before, after mcfgv1.MachineConfigNodeStatus) {
	path := field.NewPath("status")
	p.grows(path.Child("observedGeneration"), before.ObservedGeneration, after.ObservedGeneration)
	p.image(path.Child("configImage", "currentImage"), after.ConfigImage.CurrentImage)
	p.image(path.Child("configImage", "desiredImage"), after.ConfigImage.DesiredImage)

	if len(after.Conditions) > maxConditions {
		p.list = append(p.list, field.TooMany(path.Child("conditions"), len(after.Conditions), maxConditions))
	}
	seen := map[string]bool{}
	for i, c := range after.Conditions {
		p.condition(path.Child("conditions").Index(i), c, seen)
		seen[c.Type] = true
	}

	if len(after.PinnedImageSets) > maxImageSets {
		p.list = append(p.list, field.TooMany(path.Child("pinnedImageSets"), len(after.PinnedImageSets), maxImageSets))
	}
	known := map[string]mcfgv1.MachineConfigNodeStatusPinnedImageSet{}
	for _, set := range before.PinnedImageSets {
		known[set.Name] = set
	}
	names := map[string]bool{}
	for i, set := range after.PinnedImageSets {
		at := path.Child("pinnedImageSets").Index(i)
		p.require(!names[set.Name], at, set.Name, "Duplicate value")
		names[set.Name] = true
		p.imageSet(at, known[set.Name], set)
	}
}

func (p *problems) condition(path *field.Path, c metav1.Condition, seen map[string]bool) {
	p.require(!seen[c.Type], path, c.Type, "Duplicate value")
	p.require(typeRegexp.MatchString(c.Type), path.Child("type"), c.Type, "must match "+typeRegexp.String())
	p.text(path.Child("type"), c.Type, maxType)
	isStatus := slices.Contains(statuses, c.Status)
	p.require(isStatus, path.Child("status"), c.Status, fmt.Sprint("must be one of ", statuses))
	p.require(reasonRegexp.MatchString(c.Reason), path.Child("reason"), c.Reason, "must match "+reasonRegexp.String())
	p.text(path.Child("reason"), c.Reason, maxReason)
	p.text(path.Child("message"), c.Message, maxMessage)
	at := path.Child("lastTransitionTime")
	p.require(!c.LastTransitionTime.IsZero(), at, c.LastTransitionTime, "must be set")
}

func (p *problems) imageSet(path *field.Path, before, after mcfgv1.MachineConfigNodeStatusPinnedImageSet) {
	p.name(path.Child("name"), after.Name)
	grows := func(name string, before, after int32) { p.grows(path.Child(name), int64(before), int64(after)) }
	grows("currentGeneration", before.CurrentGeneration, after.CurrentGeneration)
	grows("desiredGeneration", before.DesiredGeneration, after.DesiredGeneration)
	grows("lastFailedGeneration", before.LastFailedGeneration, after.LastFailedGeneration)
	if desired := after.DesiredGeneration; desired != 0 {
		p.require(desired >= after.CurrentGeneration, path, desired,
			"desired generation must be greater than or equal to the current generation")
		p.require(desired >= after.LastFailedGeneration, path, desired,
			"desired generation must be greater than or equal to the last failed generation")
	}
	isExplained := after.LastFailedGeneration == 0 || after.LastFailedGenerationError != ""
	p.require(isExplained, path, after.LastFailedGeneration,
		"last failed generation error must be defined on image pull and pin failure")
	p.text(path.Child("lastFailedGenerationError"), after.LastFailedGenerationError, maxMessage)
}
