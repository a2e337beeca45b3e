// Package apiserver is a model of the API server for tests. It handles writes of MachineConfigNodes as
// the API server does. Each write is a function that returns the new stored object, so that a fake
// clientset and an HTTP transport can share the model. The model has no authorization, no admission
// policies and no managed fields.
package apiserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// StatusSubresource is the subresource for writes of the status.
const StatusSubresource = "status"

// StoredObject is a stored MachineConfigNode. Spec and Status are the JSON that a client has sent. It
// is immutable.
type StoredObject struct {
	metav1.TypeMeta
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     json.RawMessage   `json:"spec,omitempty"`
	Status   json.RawMessage   `json:"status,omitempty"`
}

// FromTyped converts an object of a typed client to its stored form.
func FromTyped(mcn *mcfgv1.MachineConfigNode) (StoredObject, error) {
	o, err := decode(mcn)
	if err != nil {
		return o, err
	}
	if version := mcn.Status.ConfigVersion; version != nil && version.Current == "" {
		// In a typed object, "" stands for an absent field.
		o.Status, err = jsonpatch.MergePatch(o.Status, []byte(`{"configVersion":{"current":null}}`))
	}
	return o, err
}

// Typed returns the object as a typed client reads it.
func (o StoredObject) Typed() (*mcfgv1.MachineConfigNode, error) {
	mcn := &mcfgv1.MachineConfigNode{}
	data, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(data, mcn)
	}
	return mcn, err
}

// decode decodes an object from JSON, or from a value that encodes to JSON.
func decode(sent any) (StoredObject, error) {
	data, ok := sent.([]byte)
	var err error
	if !ok {
		if data, err = json.Marshal(sent); err != nil {
			return StoredObject{}, err
		}
	}
	var o StoredObject
	if err = json.Unmarshal(data, &o); err != nil {
		return StoredObject{}, apierrors.NewBadRequest(err.Error())
	}
	return o, nil
}

// Create returns the stored object after a create request. sent is the object in the request, as JSON
// or as a value that encodes to JSON. Create drops the status. The revision becomes the
// resourceVersion.
func Create(sent any, revision int64, now time.Time) (StoredObject, error) {
	o, err := decode(sent)
	if err != nil {
		return StoredObject{}, err
	}
	if o.Metadata.ResourceVersion != "" {
		return StoredObject{}, apierrors.NewInternalError(errors.New("resourceVersion should not be set on objects to be created"))
	}
	o.Status = nil
	o.Metadata.UID = ""
	o.Metadata.Generation = 0
	o.Metadata.CreationTimestamp = metav1.Time{}
	Complete(&o.Metadata, revision, now)
	return o, o.validate(StoredObject{}, "")
}

// Complete sets the metadata that the API server sets on creation, but keeps existing values.
func Complete(meta *metav1.ObjectMeta, revision int64, now time.Time) {
	meta.UID = cmp.Or(meta.UID, types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", revision)))
	meta.ResourceVersion = cmp.Or(meta.ResourceVersion, strconv.FormatInt(revision, 10))
	meta.Generation = cmp.Or(meta.Generation, 1)
	if meta.CreationTimestamp.IsZero() {
		meta.CreationTimestamp = metav1.NewTime(now).Rfc3339Copy()
	}
}

// Patch returns the stored object after a merge patch. subresource is StatusSubresource for a patch of
// the status, otherwise "".
func (o StoredObject) Patch(patch []byte, subresource string, revision int64) (StoredObject, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return o, err
	}
	merged, err := jsonpatch.MergePatch(data, patch)
	if err != nil {
		return o, apierrors.NewBadRequest(err.Error())
	}
	sent, err := decode(merged)
	if err != nil {
		return o, err
	}
	return o.write(sent, subresource, revision)
}

// Update returns the stored object after an update request. sent is the object in the request, as JSON
// or as a value that encodes to JSON. subresource is StatusSubresource for an update of the status,
// otherwise "".
func (o StoredObject) Update(sent any, subresource string, revision int64) (StoredObject, error) {
	next, err := decode(sent)
	if err != nil {
		return o, err
	}
	if next.Metadata.ResourceVersion == "" {
		path := field.NewPath("metadata", "resourceVersion")
		missing := field.Required(path, "must be specified for an update")
		return o, invalid(o.Metadata.Name, field.ErrorList{missing})
	}
	return o.write(next, subresource, revision)
}

// write returns the stored object after a write of the status, or of all other fields. sent is the
// whole object that the client wants. If nothing changes, the resourceVersion stays.
func (o StoredObject) write(sent StoredObject, subresource string, revision int64) (StoredObject, error) {
	if sent.Metadata.ResourceVersion != o.Metadata.ResourceVersion {
		return o, Conflict(o.Metadata.Name)
	}
	next := o
	if subresource == StatusSubresource {
		next.Status = sent.Status
	} else {
		if uid := sent.Metadata.UID; uid != "" && uid != o.Metadata.UID {
			changed := field.Invalid(field.NewPath("metadata", "uid"), uid, "field is immutable")
			return o, invalid(o.Metadata.Name, field.ErrorList{changed})
		}
		next.Spec = sent.Spec
		next.Metadata = sent.Metadata
		next.Metadata.Name = o.Metadata.Name
		next.Metadata.UID = o.Metadata.UID
		next.Metadata.CreationTimestamp = o.Metadata.CreationTimestamp
		next.Metadata.Generation = o.Metadata.Generation
		if !equal(o.Spec, next.Spec) {
			next.Metadata.Generation++
		}
	}
	if err := next.validate(o, subresource); err != nil || equal(o, next) {
		return o, err
	}
	next.Metadata.ResourceVersion = strconv.FormatInt(revision, 10)
	return next, nil
}

// equal reports whether two values have the same JSON.
func equal(a, b any) bool {
	var values [2]any
	for i, v := range []any{a, b} {
		if data, err := json.Marshal(v); err != nil || json.Unmarshal(data, &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// The resource and the kind of the object, as they appear in errors.
var (
	Resource = mcfgv1.GroupVersion.WithResource("machineconfignodes").GroupResource()
	Kind     = mcfgv1.GroupVersion.WithKind("MachineConfigNode").GroupKind()
)

// NotFound is the error for an object that does not exist.
func NotFound(name string) error { return apierrors.NewNotFound(Resource, name) }

// AlreadyExists is the error for the creation of an object that exists.
func AlreadyExists(name string) error { return apierrors.NewAlreadyExists(Resource, name) }

// Conflict is the error for a write with a resourceVersion that is out of date.
func Conflict(name string) error {
	return apierrors.NewConflict(Resource, name, errors.New(
		"the object has been modified; please apply your changes to the latest version and try again"))
}

func invalid(name string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(Kind, name, errs)
}
