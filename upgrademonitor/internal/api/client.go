package api

import (
	"context"
	"encoding/json"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Client makes the requests for one object. It has no mutable state, and is safe for concurrent use.
type Client struct {
	raw          raw
	fieldManager string
}

// New returns a Client that writes as a field manager. Its requests are made over the REST client of
// a clientset, if it has one: MachineconfigurationV1().RESTClient().
func New(client *scoped.Client, r rest.Interface, fieldManager string) Client {
	return Client{raw: newRaw(client, r), fieldManager: fieldManager}
}

// fieldValidation spares the API server parsing each write a second time, which it does by
// default to warn of fields that it does not know.
const fieldValidation = metav1.FieldValidationIgnore

var verbs = map[core.Kind]string{core.Get: "get", core.Create: "create", core.PatchSpec: "patch spec", core.PatchStatus: "patch status"}

// Do makes a request. A Create is for the node of the request. Result.Err names the request.
func (c Client) Do(ctx context.Context, r core.Request) core.Result {
	var result core.Result
	var err error
	switch r.Kind {
	case core.Get:
		result.Object, err = c.get(ctx)
	case core.Create:
		result, err = c.create(ctx, r.Node)
	case core.PatchSpec:
		result, err = c.patch(ctx, r, specPatch(r))
	case core.PatchStatus:
		result, err = c.patch(ctx, r, statusPatch(r), "status")
	}
	if err != nil {
		return core.Result{Outcome: apierr.Classify(err), Err: fmt.Errorf("%s MachineConfigNode %s: %w", verbs[r.Kind], c.raw.NodeName(), err)}
	}
	return result
}

func (c Client) get(ctx context.Context) (core.Object, error) {
	data, err := c.raw.get(ctx)
	if err != nil {
		return core.Object{}, err
	}
	return c.decode(data)
}

// create creates the object. Its status is dropped by the API server.
func (c Client) create(ctx context.Context, node plan.Node) (core.Result, error) {
	created := plan.State{}.Follow(node)
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: c.raw.NodeName(), OwnerReferences: created.Owners},
		Spec:       created.Spec,
	}
	data, err := typed(c.raw.Create(ctx, mcn, metav1.CreateOptions{FieldManager: c.fieldManager, FieldValidation: fieldValidation}))
	if err != nil {
		return core.Result{}, err
	}
	o, err := c.decode(data)
	return core.Result{Object: o, NoImages: o.Spec.ConfigImage != created.Spec.ConfigImage}, err
}

// patch sends a patch and checks the answer. The metadata are enough, unless an image changes: a
// CRD without configImage drops it, and no answer but the object shows that.
func (c Client) patch(ctx context.Context, r core.Request, body any, subresources ...string) (core.Result, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return core.Result{}, err
	}
	accept := acceptMetadata
	if r.SendsImage() {
		accept = acceptJSON
	}
	answer, err := c.raw.patch(ctx, data, c.fieldManager, accept, subresources...)
	if err != nil {
		return core.Result{}, err
	}
	if !r.SendsImage() {
		o, err := c.decodeMetadata(answer)
		return core.Result{Object: o}, checkAnswer(r.Base, o, err)
	}
	o, err := c.decode(answer)
	dropped := r.Kind == core.PatchSpec && o.Spec.ConfigImage != r.Next.Spec.ConfigImage ||
		r.Kind == core.PatchStatus && o.Status.ConfigImage != r.Next.Status.ConfigImage
	return core.Result{Object: o, NoImages: dropped}, checkAnswer(r.Base, o, err)
}
