package upgrademonitor

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/mergepatch"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// do makes a request with the client of the node.
func do(ctx context.Context, client *scope.Client, r core.Request) core.Result {
	o, err := objectOf(ctx, client, r)
	return core.Result{Object: o, Outcome: apierr.Classify(err), Err: err}
}

// objectOf makes a request, and returns the object in the response. A created object has no status,
// because the API server ignores the status in a create request.
func objectOf(ctx context.Context, client *scope.Client, r core.Request) (core.Object, error) {
	var mcn *mcfgv1.MachineConfigNode
	var err error
	switch r.Verb {
	case core.PatchSpec:
		return patch(ctx, client.PatchSpec, r)
	case core.PatchStatus:
		return patch(ctx, client.PatchStatus, r)
	case core.Create:
		desired := plan.State{}.Sync(r.Node)
		mcn, err = client.Create(ctx, desired.Owners, desired.Spec)
	default:
		mcn, err = client.Get(ctx)
	}
	if err != nil {
		return core.Object{}, err
	}
	return core.FromTyped(mcn), nil
}

// patch sends a merge patch. The result has only the metadata of the object.
func patch(
	ctx context.Context, send func(context.Context, []byte) (*metav1.PartialObjectMetadata, error), r core.Request,
) (core.Object, error) {
	data, err := mergepatch.Create(r.Typed())
	if err != nil {
		return core.Object{}, err
	}
	meta, err := send(ctx, data)
	if err != nil {
		return core.Object{}, err
	}
	if meta.UID != r.Base.UID {
		return core.Object{}, fmt.Errorf("%w: it has UID %q, but the object has UID %q",
			scope.ErrUnexpectedResponse, meta.UID, r.Base.UID)
	}
	state := plan.State{Generation: meta.Generation}
	return core.Object{UID: meta.UID, ResourceVersion: meta.ResourceVersion, State: state}, nil
}
