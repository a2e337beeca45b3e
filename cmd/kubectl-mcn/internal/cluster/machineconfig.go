package cluster

import (
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// releaseAnnotation is the annotation with the OpenShift version of a rendered MachineConfig.
const releaseAnnotation = "machineconfiguration.openshift.io/release-image-version"

// MachineConfig has the facts of a MachineConfig that a wait needs.
type MachineConfig struct {
	Name    string
	Labels  map[string]string
	Release string // the OpenShift version of a rendered config, or ""
	// Created is when it was created, and Changed when its spec last changed. They are zero if they
	// are not known.
	Created, Changed time.Time
}

// NewMachineConfig reads the metadata of a MachineConfig.
func NewMachineConfig(o metav1.ObjectMeta) MachineConfig {
	created := o.CreationTimestamp.UTC()
	return MachineConfig{
		Name: o.Name, Labels: o.Labels, Release: o.Annotations[releaseAnnotation],
		Created: created, Changed: mco.Later(created, mco.LastWrite(o.ManagedFields, mco.OfSpec).At),
	}
}

// readSources sets the fields of a pool that say from which MachineConfigs its target was rendered.
func (p *Pool) readSources(o *mcfgv1.MachineConfigPool) {
	p.Sources = sourcesOf(o.Spec.Configuration)
	if o.Status.Configuration.Name != p.Target.Config {
		p.lastSources = sourcesOf(o.Status.Configuration)
	}
	p.TargetSet = mco.Later(p.TargetSince, mco.LastWrite(o.ManagedFields, mco.OfConfiguration).At)
	if p.Paused {
		p.PausedBy = mco.LastWrite(o.ManagedFields, mco.OfPaused)
	}
	selector, err := metav1.LabelSelectorAsSelector(o.Spec.MachineConfigSelector)
	if err == nil && !selector.Empty() {
		p.selector = selector
	}
}

func sourcesOf(c mcfgv1.MachineConfigPoolStatusConfiguration) []string {
	var names []string
	for _, s := range c.Source {
		names = append(names, s.Name)
	}
	return names
}

// Changes returns how the MachineConfigs of the target differ from those of the last target that all nodes
// had, for example "+99-worker-chrony -98-worker-old", or "" if that is not known, or if there is no new target.
func (p Pool) Changes() string {
	if len(p.Sources) == 0 || len(p.lastSources) == 0 {
		return ""
	}
	var all []string
	add := func(sign string, names, without []string) {
		for _, name := range names {
			if !slices.Contains(without, name) {
				all = append(all, sign+name)
			}
		}
	}
	add("+", p.Sources, p.lastSources)
	add("-", p.lastSources, p.Sources)
	if len(all) == 0 {
		return "same MachineConfigs, changed contents"
	}
	return strings.Join(all, " ")
}

// Selects reports whether the pool selects a MachineConfig. If the selector of the pool is not known,
// it does.
func (p Pool) Selects(mc MachineConfig) bool {
	return p.selector == nil || p.selector.Matches(labels.Set(mc.Labels))
}

const (
	// A target that was set this long after a change has the change. The API server's times have whole
	// seconds. The controller waits five seconds before it renders a change.
	surelyLater = 2 * time.Second
	// A change that the controller has not rendered for this long, such as one of a label, changes nothing
	// in the target.
	surelyRendered = 5 * time.Minute
)

// HasChange reports whether the target of the pool has the last change of mc, which was first seen some
// time ago.
func (p Pool) HasChange(mc MachineConfig, seen time.Duration) bool {
	isUnknown := p.TargetSet.IsZero() || mc.Changed.IsZero()
	return isUnknown || p.TargetSet.Sub(mc.Changed) >= surelyLater || seen >= surelyRendered
}
