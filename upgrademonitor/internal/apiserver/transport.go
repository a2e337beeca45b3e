package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
)

// Transport is an HTTP transport for a real clientset that responds like the API server. It serves
// get, create and merge patch of MachineConfigNodes. The zero value has no objects. A Transport is
// safe for concurrent use.
type Transport struct {
	// Fault, if set, is called before a request is served. If Fault returns a response or an error,
	// RoundTrip returns both values and does not serve the request. Fault may block or call Serve.
	Fault func(*http.Request) (*http.Response, error)
	// Stored, if set, is called after an object was created or changed. before is nil if the object
	// was created. During the call, no other request is served, and Stored must not call the Transport.
	Stored func(before, after *StoredObject)

	mu       sync.Mutex
	objects  map[string]*StoredObject
	revision int64
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.Fault != nil {
		if response, err := t.Fault(r); response != nil || err != nil {
			return response, err
		}
	}
	return t.Serve(r)
}

// Serve serves a request without calling Fault.
func (t *Transport) Serve(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	name, subresource := path.Base(r.URL.Path), ""
	if name == StatusSubresource {
		name, subresource = path.Base(path.Dir(r.URL.Path)), name
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.objects[name]
	var after StoredObject
	var err error
	switch {
	case r.Method == http.MethodPost:
		after, err = Create(body, t.revision+1, clock.RealClock{}.Now())
		if err == nil && t.objects[after.Metadata.Name] != nil {
			err = AlreadyExists(after.Metadata.Name)
		}
	case before == nil:
		err = NotFound(name)
	case r.Method == http.MethodGet:
		return Respond(r, before, nil), nil
	default:
		after, err = before.Patch(body, subresource, t.revision+1)
	}
	if err != nil {
		return Respond(r, nil, err), nil
	}
	t.store(before, &after)
	return Respond(r, after, nil), nil
}

// store stores an object, unless a write has changed nothing. before is nil if the object is new.
func (t *Transport) store(before, after *StoredObject) {
	if before != nil && before.Metadata.ResourceVersion == after.Metadata.ResourceVersion {
		return
	}
	t.revision++
	if t.objects == nil {
		t.objects = map[string]*StoredObject{}
	}
	after.TypeMeta = metav1.TypeMeta{Kind: Kind.Kind, APIVersion: mcfgv1.GroupVersion.String()}
	t.objects[after.Metadata.Name] = after
	if t.Stored != nil {
		t.Stored(before, after)
	}
}

// Get returns an object as a typed client reads it, or nil if the object does not exist.
func (t *Transport) Get(name string) *mcfgv1.MachineConfigNode {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.objects[name] == nil {
		return nil
	}
	mcn, err := t.objects[name].Typed()
	if err != nil {
		return nil
	}
	return mcn
}

// Write changes an object or its status, as another client would. If the object does not exist,
// Write creates it, with its status.
func (t *Transport) Write(name, subresource string, change func(*mcfgv1.MachineConfigNode)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.objects[name]
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if before != nil {
		var err error
		if mcn, err = before.Typed(); err != nil {
			return err
		}
	}
	change(mcn)
	after, err := FromTyped(mcn)
	if err != nil {
		return err
	}
	if before == nil {
		Complete(&after.Metadata, t.revision+1, clock.RealClock{}.Now())
	} else if after, err = before.Update(after, subresource, t.revision+1); err != nil {
		return err
	}
	t.store(before, &after)
	return nil
}

// Remove deletes an object.
func (t *Transport) Remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.objects, name)
	t.revision++
}

// Respond returns a response with body as JSON, or with the Status of err.
func Respond(r *http.Request, body any, err error) *http.Response {
	response := &http.Response{
		StatusCode: http.StatusOK,
		Request:    r,
		Header:     http.Header{"Content-Type": []string{"application/json"}},
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		s.Kind = "Status"
		s.APIVersion = "v1"
		body = s
		response.StatusCode = int(s.Code)
		if s.Details != nil && s.Details.RetryAfterSeconds > 0 {
			response.Header.Set("Retry-After", fmt.Sprint(s.Details.RetryAfterSeconds))
		}
	}
	data, _ := json.Marshal(body)
	response.Body = io.NopCloser(bytes.NewReader(data))
	response.ContentLength = int64(len(data))
	return response
}
