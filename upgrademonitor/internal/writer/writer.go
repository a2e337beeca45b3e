package writer

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/bounded"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Writer reads and writes one MachineConfigNode. It is a value without mutable state, for any
// number of goroutines.
type Writer struct {
	client       *scope.Client
	fieldManager string
}

// New returns a Writer with a client. Without a REST client, as of a fake clientset, unowned values
// are as the client's types decode them.
func New(client *scope.Client, fieldManager string) Writer {
	return Writer{client: client, fieldManager: fieldManager}
}

// Read reads the object.
//
//  1. What others keep in the lists of the status is in State.Unowned, verbatim.
//  2. Where the field manager claims what is not this library's, as daemons without it do by
//     applying all that they read, the claim is released first, by one write that changes no
//     value. An apply would otherwise remove those fields, or leave a partial entry that the CRD
//     rejects for good.
//  3. A missing object is an error for which apierrors.IsNotFound is true.
func (w Writer) Read(ctx context.Context) (plan.State, error) {
	if !w.client.HasREST() {
		mcn, err := bounded.Call(ctx, func() (*mcfgv1.MachineConfigNode, error) {
			return w.client.Get(ctx, w.client.NodeName(), metav1.GetOptions{})
		})
		if err != nil {
			return plan.State{}, w.wrap("read", err)
		}
		return w.typedState(mcn, "read")
	}
	data, err := bounded.Call(ctx, func() ([]byte, error) { return w.client.GetRaw(ctx, w.client.NodeName()) })
	if err != nil {
		return plan.State{}, w.wrap("read", err)
	}
	read, err := w.decode(data)
	if err != nil {
		return plan.State{}, w.wrap("read", err)
	}
	if kept, released := releaseUnowned(read.managedFields, w.fieldManager); released {
		if read, err = w.release(ctx, read, kept); err != nil {
			return plan.State{}, w.wrap("release the ownership of fields of other managers", err)
		}
	}
	return read.state, nil
}

// release patches the managed fields, and returns the object as it is then.
func (w Writer) release(ctx context.Context, read object, kept []metav1.ManagedFieldsEntry) (object, error) {
	data, err := releasePatch(read.state.Object.ResourceVersion, kept)
	if err != nil {
		return object{}, err
	}
	response, err := bounded.Call(ctx, func() ([]byte, error) {
		return w.client.PatchRaw(ctx, w.client.NodeName(), types.MergePatchType, data, w.patchOptions())
	})
	if err != nil {
		return object{}, err
	}
	after, err := w.decode(response)
	if err != nil {
		return object{}, err
	}
	if after.state.Object.UID != read.state.Object.UID {
		return object{}, fmt.Errorf("%w: it has UID %q, the object has %q", ErrUnexpectedResponse, after.state.Object.UID, read.state.Object.UID)
	}
	return after, nil
}

// Create creates the object. The API server drops the status of what is created, and the CRD may
// drop the image from the spec, as in Write.
func (w Writer) Create(ctx context.Context, mcn *mcfgv1.MachineConfigNode) (plan.State, error) {
	created, err := bounded.Call(ctx, func() (*mcfgv1.MachineConfigNode, error) {
		return w.client.Create(ctx, mcn, metav1.CreateOptions{FieldManager: w.fieldManager, FieldValidation: fieldValidation})
	})
	if err != nil {
		return plan.State{}, w.wrap("create", err)
	}
	state, err := w.typedState(created, "create")
	none := mcfgv1.MachineConfigNodeSpecConfigImage{}
	state.NoImageField = err == nil && mcn.Spec.ConfigImage != none && created.Spec.ConfigImage == none
	return state, err
}

// typedState is the state of an object that a typed client returned: nothing more exact is to be
// had from it.
func (w Writer) typedState(mcn *mcfgv1.MachineConfigNode, request string) (plan.State, error) {
	if err := w.check(responseOf(mcn)); err != nil {
		return plan.State{}, w.wrap(request, err)
	}
	state, err := stateOf(mcn, w.fieldManager)
	if err != nil {
		return plan.State{}, w.wrap(request, err)
	}
	state.Unowned.Exact = true
	return state, nil
}

// Write makes the request of a step on the object of the base, and returns the state that it
// leads to: what was sent, at the resource version of the response.
//
//  1. The resource version of the base is the precondition: where others have written since, the
//     error is a conflict.
//  2. Nothing is sent that the base does not suffice for: ErrReadRequired.
//  3. A response of which it is not sure that it is about this object is ErrUnexpectedResponse.
//  4. State.NoImageField is set where the CRD has dropped an image from the spec, or the status.
func (w Writer) Write(ctx context.Context, base plan.State, step plan.Step) (plan.State, error) {
	var (
		next plan.State
		err  error
	)
	switch {
	case base.Object == nil || w.client.HasREST() && base.Object.ResourceVersion == "":
		err = fmt.Errorf("no resource version is known: %w", ErrReadRequired)
	case step.Kind == plan.ApplyStatus:
		next, err = w.applyStatus(ctx, base, step.Next)
	case step.Kind == plan.MergeStatus:
		next, err = w.mergeStatus(ctx, base, step.Next)
	case step.Kind == plan.MergeSpec:
		next, err = w.mergeSpec(ctx, base, step.Next)
	default:
		err = errors.New("not a kind of step")
	}
	if err != nil {
		return plan.State{}, w.wrap(requestNames[step.Kind], err)
	}
	return next, nil
}

var requestNames = map[plan.Kind]string{
	plan.ApplyStatus: "apply status",
	plan.MergeStatus: "patch status",
	plan.MergeSpec:   "patch spec",
}

// fieldValidation spares the API server parsing each write a second time, which it does by
// default to warn of fields that it does not know, and which is 7 % of what a write costs it.
// It knows them all but for the images, which are missed in the response.
const fieldValidation = metav1.FieldValidationIgnore

func (w Writer) patchOptions() metav1.PatchOptions {
	return metav1.PatchOptions{FieldManager: w.fieldManager, FieldValidation: fieldValidation}
}
