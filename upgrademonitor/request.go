package upgrademonitor

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/mergepatch"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// do makes a request with the client of the node.
func do(ctx context.Context, client *scope.Client, r core.Request) core.Result {
	var o core.Object
	var err error
	switch r.Verb {
	case core.Get:
		o, err = get(ctx, client)
	case core.Create:
		o, err = create(ctx, client, r.Node)
	case core.PatchSpec:
		o, err = patch(ctx, client.PatchSpec, r)
	case core.PatchStatus:
		o, err = patch(ctx, client.PatchStatus, r)
	}
	return core.Result{Object: o, Outcome: apierr.Classify(err), Err: err}
}

func get(ctx context.Context, client *scope.Client) (core.Object, error) {
	mcn, err := client.Get(ctx)
	if err != nil {
		return core.Object{}, err
	}
	return core.FromTyped(mcn), nil
}

// create creates the object for a Node. The object has no status, because the API server would drop it.
func create(ctx context.Context, client *scope.Client, node plan.Node) (core.Object, error) {
	desired := plan.State{}.Sync(node)
	mcn, err := client.Create(ctx, desired.Owners, desired.Spec)
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
