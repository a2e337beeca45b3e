package cluster

import (
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// releaseAnnotation is the annotation with the OpenShift version of a rendered MachineConfig.
const releaseAnnotation = nodemeta.Prefix + "release-image-version"

// MachineConfig has what the command reads of the metadata of a MachineConfig.
type MachineConfig struct {
	Name    string
	Labels  map[string]string
	Release string // the OpenShift version of a rendered config, or ""
	// Created is when it was created, and Changed when its spec last changed. They are zero if they
	// are not known.
	Created, Changed time.Time
	// By is the manager of the last change of the spec, or "".
	By string
}

// NewMachineConfig reads the metadata of a MachineConfig.
func NewMachineConfig(o metav1.ObjectMeta) MachineConfig {
	created, write := o.CreationTimestamp.UTC(), mco.LastWrite(o.ManagedFields, mco.OfSpec)
	return MachineConfig{
		Name: o.Name, Labels: o.Labels, Release: o.Annotations[releaseAnnotation],
		Created: created, Changed: mco.Latest(created, write.At), By: write.By,
	}
}

// readSources sets the fields of a pool that say from which MachineConfigs its target was rendered.
func (p *Pool) readSources(o *mcfgv1.MachineConfigPool) {
	p.Sources = sourcesOf(o.Spec.Configuration)
	if o.Status.Configuration.Name != p.Target.Config {
		p.lastConfig, p.lastSources = o.Status.Configuration.Name, sourcesOf(o.Status.Configuration)
	}
	if p.Paused {
		p.PausedBy = mco.LastWrite(o.ManagedFields, mco.OfPaused)
	}
	p.selector, _ = metav1.LabelSelectorAsSelector(o.Spec.MachineConfigSelector)
}

func sourcesOf(c mcfgv1.MachineConfigPoolStatusConfiguration) []string {
	var names []string
	for _, s := range c.Source {
		names = append(names, s.Name)
	}
	return names
}

// Change is a difference between the MachineConfigs of a target and of the last target that all nodes had.
// Sign is + for a new MachineConfig, - for one that was removed, and "" for one that was written since.
type Change struct {
	Sign, Name string
	mco.Write  // the last write of its spec, if that is known and in the target
}

// Changes returns how the target of the pool differs from the last one. If there is no difference, text says
// why. It is "" if there is no new target, if the MachineConfigs of one target are not known, or if the
// change is a new OpenShift version.
func (p Pool) Changes(configs map[string]MachineConfig) (all []Change, text string) {
	withdrawn := ""
	if p.lastConfig == "" {
		withdrawn = p.withdrawn(configs)
		p.lastConfig, p.lastSources = withdrawn, p.Sources
	}
	if len(p.Sources) == 0 || len(p.lastSources) == 0 || p.lastConfig == "" {
		return nil, ""
	}
	target, last := configs[p.Target.Config], configs[p.lastConfig]
	isUpgrade := target.Release != "" && last.Release != "" && target.Release != last.Release
	text = "same MachineConfigs, none written since the last target was rendered"
	if isUpgrade {
		text = ""
	}
	for _, name := range p.Sources {
		mc := configs[name]
		change := Change{Name: name, Write: mco.Write{By: mc.By, At: mc.Changed}}
		isLater := mc.Changed.After(p.TargetSet) // as far as is known, the target does not have this write
		if isLater {
			change.Write = mco.Write{}
		}
		switch {
		case !slices.Contains(p.lastSources, name):
			change.Sign = "+"
			all = append(all, change)
		case isUpgrade && (isLater || mco.IsOwnManager(mc.By)): // it comes with the new version
		case !last.Created.IsZero() && !isLater && mc.Changed.After(last.Created):
			all = append(all, change)
		case mc.By == "" || last.Created.IsZero() || isLater:
			text = "same MachineConfigs, changed contents" // this one may have changed, but it is not known
		}
	}
	for _, name := range p.lastSources {
		if !slices.Contains(p.Sources, name) {
			all = append(all, Change{Sign: "-", Name: name})
		}
	}
	if withdrawn != "" {
		text = ""
	}
	return all, text
}

// withdrawn returns a config that is newer than the target and that nodes still have, or "". The change was taken back
// before all nodes had it, so the status has the target. Nobody knows the MachineConfigs of a withdrawn config.
func (p Pool) withdrawn(configs map[string]MachineConfig) string {
	last := p.Target.Config
	for _, n := range p.Nodes {
		for _, name := range []string{n.Current.Config, n.Desired.Config} {
			if configs[name].Created.After(configs[last].Created) {
				last = name
			}
		}
	}
	if p.Updated || last == p.Target.Config {
		return ""
	}
	return last
}

// Selects reports whether the pool selects a MachineConfig. If the selector of the pool is not known,
// it does.
func (p Pool) Selects(mc MachineConfig) bool {
	return p.selector == nil || p.selector.Matches(labels.Set(mc.Labels))
}

const (
	// A target that was set this long after a change contains the change: the controller renders five seconds after
	// a change. Without a margin, both may have the same time, because times in objects have whole seconds.
	surelyLater = 2 * time.Second
	// If the controller has not rendered a change for this long, there is nothing to render: only a label has changed, for
	// example.
	surelyRendered = 5 * time.Minute
)

// HasChange reports whether the target of the pool has the last change of mc. seen is the time since the change was
// first seen.
func (p Pool) HasChange(mc MachineConfig, seen time.Duration) bool {
	return p.TargetSet.IsZero() || p.TargetSet.Sub(mc.Changed) >= surelyLater || seen >= surelyRendered
}
