// Package source reads the objects of a rollout from a cluster or from files. To save memory, a
// Store keeps only the fields that the other packages read.
package source

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// Source provides the objects of a rollout.
type Source interface {
	// Read reads the objects into a store. If follow is set, Read keeps the store up to date until
	// ctx ends, or until the source has no more objects, for example at the end of a file.
	Read(ctx context.Context, s *Store, follow bool) error
	// Now returns the current time. For files, this is the time of --at or of the files.
	Now() time.Time
	// Origin names the files that the objects come from. It is "" for a cluster.
	Origin() string
}

// UsageError reports wrong arguments, or a source that cannot be read. Its text says what to do.
type UsageError struct{ error }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.error }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// View is the content of a store at one moment.
type View struct {
	Time time.Time
	cluster.Cluster
	cluster.Facts
	Components  []metav1.Condition // the conditions of the MachineConfiguration, if they are known
	Ready       bool               // all resources were listed at least once
	Last        bool               // the source has no more objects
	Denied      map[string]error   // the errors for what the user may not read, by resource, or by verb and resource
	Failure     error              // the last error of the API server; nil while the server responds
	LastContact time.Time          // the time of the server's last response; zero while it responds

	hasConfig bool // the MachineConfig that the source watches is in Configs, if it exists
}

// DeniedRequired returns the error for a resource that the user may not read but the command wait
// needs, or nil.
func (v View) DeniedRequired() error {
	return cmp.Or(v.Denied[machineConfigPools], v.Denied[machineConfigNodes])
}

// IsMissing reports whether the cluster has no MachineConfig of this name. That is known only if the source watches it.
func (v View) IsMissing(name string) bool {
	_, isKnown := v.Configs[name]
	return v.hasConfig && !isKnown
}

// View returns the content of the store at the time now. The Cluster is empty if the view is not
// Ready.
func (s *Store) View(now time.Time) View {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := View{Time: now, Facts: s.facts, Components: s.components, Ready: s.filled, Denied: map[string]error{}}
	v.Configs, v.Pods = maps.Clone(s.facts.Configs), maps.Clone(s.facts.Pods)
	v.Budgets, v.BudgetsOf = maps.Clone(s.facts.Budgets), maps.Clone(s.facts.BudgetsOf)
	for name, r := range s.resources {
		v.Ready = v.Ready && r.listed
		v.hasConfig = v.hasConfig || name == machineConfigs && !r.leftOut
		if r.denied != nil {
			v.Denied[name] = r.denied
		}
		if r.failure == nil || now.Sub(r.lost) < maxReconnect {
			continue
		}
		v.Failure = r.failure
		last := cmp.Or(r.responded, r.lost)
		if v.LastContact.IsZero() || last.Before(v.LastContact) {
			v.LastContact = last
		}
	}
	if v.Ready { // without this check, the Cluster would be computed for each page of the first lists
		v.Cluster = cluster.Of(s.objects(), now)
	}
	return v
}
