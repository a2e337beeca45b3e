package upgrademonitor

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
)

// listing is what the Lister says: the object, or that there is none. It is invalid without a Lister,
// and if that fails.
type listing struct {
	object *mcfgv1.MachineConfigNode
	valid  bool
}

// listed asks the Lister. An object of another name is ignored.
func (m *Monitor) listed(ctx context.Context) listing {
	if m.config.Lister == nil {
		return listing{}
	}
	object, err := m.config.Lister.Get(m.config.NodeName)
	switch {
	case apierrors.IsNotFound(err):
		return listing{valid: true}
	case err != nil:
		m.failures.FailedOtherwise(ctx, listerFailure, err, "Ignoring the Lister")
		return listing{}
	case object == nil:
		return listing{}
	case object.Name != m.config.NodeName:
		err := fmt.Errorf("%w: the Lister returned MachineConfigNode %q: pass the Lister of an informer that has not changed its objects", scoped.ErrOutOfScope, object.Name)
		m.failures.Failed(ctx, listerFailure, err, "Ignoring the Lister")
		return listing{}
	}
	m.failures.Recovered(ctx, listerFailure, "Using the Lister again")
	return listing{object: object, valid: true}
}

// observe brings what is known up to date with the Lister. It is called with m.mu held.
func (m *Monitor) observe(l listing) {
	uid, resourceVersion, listed := m.core.Version()
	switch {
	case l.valid && l.object == nil:
		m.core.Unlisted()
	case l.valid && (!listed || l.object.UID != uid || l.object.ResourceVersion != resourceVersion):
		m.core.Listed(api.FromLister(l.object))
	}
}

// isOld reports whether what is there already is to be checked: no Lister shows it, and it was not
// checked for too long. It is called with m.mu held.
func (m *Monitor) isOld(l listing) bool {
	now := realClock.Now()
	if m.core.NoImages() && !now.Before(m.imagesAfter) {
		m.core.RetryImages()
	}
	isShown := l.valid && m.core.Compared()
	return !isShown && now.Sub(m.answered) >= checkInterval
}
