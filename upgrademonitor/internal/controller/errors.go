package controller

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
)

// IsConflict reports whether another process has changed, created or deleted the object since it
// was read.
func IsConflict(err error) bool {
	return apierr.Classify(err) == apierr.Conflict || apierrors.IsConflict(err)
}

// IsObjectMissing reports whether the API server serves the resource, but has no such object.
func IsObjectMissing(err error) bool {
	return apierrors.IsNotFound(err) && apierr.Classify(err) != apierr.NoCRD
}

// failures logs the failures of many objects: once as an error when one begins, again when its
// cause changes, and once when it is over.
type failures struct{ log failurelog.Keyed }

func (f *failures) failed(ctx context.Context, err error, kind, name string) {
	f.log.Failed(ctx, name, err, "Failed to sync "+kind+", retrying", "name", name)
}

func (f *failures) recovered(ctx context.Context, kind, name string) {
	f.log.Recovered(ctx, name, "Synced "+kind+" again", "name", name)
}

func (f *failures) forget(name string) { f.log.Forget(name) }
