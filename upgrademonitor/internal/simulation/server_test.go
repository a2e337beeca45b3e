package simulation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// server is the API server of one MachineConfigNode: the model, behind a transport that fails as the
// weather has it.
type server struct {
	mu        sync.Mutex
	rng       *rand.Rand
	log       func(format string, args ...any)
	object    *apiserver.Object // nil: it does not exist
	restored  bool              // the object is created again and has no status yet: any may follow
	revision  int64
	versions  []*mcfgv1.MachineConfigNode // nil after a deletion
	shown     map[string]int              // the version in which a text was first shown, by phase and text
	weather   weather
	since     time.Time           // of the weather
	changes   int                 // of the weather
	settled   map[*transport]bool // which have written a status in this weather
	cut       chan struct{}       // closed to end the connections that hang
	requests  int
	faults    map[string]int // how often each has happened
	problem   error
	ended     time.Time // when others have moved Updated, or the object was created
	lateWrite sync.WaitGroup
}

// weather is how requests fare.
type weather struct {
	name   string
	faults []string                 // one of them happens to a request that is hit
	chance float64                  // of being hit
	hits   func(*http.Request) bool // nil: any
	fast   bool                     // statuses are written at once
}

func isSpec(r *http.Request) bool   { return r.Method == http.MethodPatch && !isStatus(r) }
func isStatus(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/status") }

// every fault that has no consequence but that a request fails, or seems to.
var every = []string{"slow", "hang", "500", "503", "429", "403", "policy", "reset", "lost", "late", "truncated", "garbage", "no CRD"}

var (
	fair     = weather{name: "fair", fast: true}
	weathers = []weather{
		fair, fair, fair,
		{name: "flaky", faults: every, chance: 0.3},
		{name: "hanging", faults: []string{"hang"}, chance: 1},
		{name: "refusing", faults: []string{"reset"}, chance: 1},
		{name: "failing", faults: []string{"500", "503"}, chance: 1},
		{name: "denying", faults: []string{"403", "policy"}, chance: 1},
		{name: "slow", faults: []string{"slow"}, chance: 1},
		{name: "statuses hang", faults: []string{"hang"}, chance: 1, hits: isStatus},
		{name: "statuses fail", faults: []string{"503"}, chance: 1, hits: isStatus},
		{name: "specs hang", faults: []string{"hang"}, chance: 1, hits: isSpec, fast: true},
		{name: "specs fail", faults: []string{"403", "500"}, chance: 1, hits: isSpec, fast: true},
	}
)

func (w weather) isOutage() bool { return w.chance == 1 && !w.fast }

// change changes the weather. The connections that hang may be cut.
func (s *server) change(w weather, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.weather, s.since, s.settled = w, time.Now(), map[*transport]bool{}
	if cut {
		close(s.cut)
		s.cut = make(chan struct{})
	}
}

// isSettled reports whether statuses are written at once, and one was, since at least a time.
func (t *transport) isSettled(since time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.weather.fast && t.settled[t] && t.since.Before(since)
}

// isFair reports whether nothing fails since at least a time.
func (s *server) isFair(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.weather.chance == 0 && s.since.Before(since)
}

func (s *server) countChanges() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

func (s *server) fail(format string, args ...any) {
	if s.problem == nil {
		s.problem = fmt.Errorf(format, args...)
	}
}

// transport is the connection of a process to the server.
type transport struct {
	*server
	dead chan struct{} // closed when the process ends
}

var errReset = &netError{syscall.ECONNRESET}

type netError struct{ error }

func (e *netError) Unwrap() error { return e.error }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	s := t.server
	s.mu.Lock()
	s.requests++
	fault, cut := "", s.cut
	if w := s.weather; w.chance > 0 && (w.hits == nil || w.hits(r)) && s.rng.Float64() < w.chance {
		fault = w.faults[s.rng.IntN(len(w.faults))]
		s.faults[fault]++
	}
	latency := time.Duration(s.rng.IntN(20)) * time.Millisecond
	long := time.Duration(1+s.rng.IntN(20)) * time.Second
	s.mu.Unlock()

	wait := func(d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-t.dead:
			return errReset
		case <-cut:
			if d > time.Minute {
				return errReset
			}
			return nil
		case <-r.Context().Done():
			return r.Context().Err()
		}
	}
	if err := wait(latency); err != nil {
		return nil, err
	}
	status := func(err *apierrors.StatusError) (*http.Response, error) { return respond(r, nil, err), nil }
	switch fault {
	case "slow":
		if s.isOutage() {
			long = 12 * time.Second
		}
		if err := wait(long); err != nil {
			return nil, err
		}
	case "hang":
		return nil, wait(time.Hour)
	case "500":
		return status(apierrors.NewInternalError(errors.New("etcdserver: request timed out")))
	case "503":
		return status(apierrors.NewServiceUnavailable("the server is shutting down"))
	case "429":
		return status(apierrors.NewTooManyRequests("slow down", 1))
	case "403":
		return status(apierrors.NewForbidden(apiserver.Resource, nodeName, errors.New("RBAC")))
	case "policy":
		denied := apierrors.NewInvalid(apiserver.Kind, nodeName, nil)
		denied.ErrStatus.Message = "ValidatingAdmissionPolicy 'guard' with binding 'guard' denied request: no"
		return status(denied)
	case "invalid":
		return status(apierrors.NewInvalid(apiserver.Kind, nodeName, nil))
	case "reset":
		return nil, errReset
	case "lost":
		t.serve(r, body)
		return nil, errReset
	case "late":
		s.lateWrite.Go(func() {
			<-time.After(long)
			t.serve(r, body)
		})
		return nil, errReset
	case "garbage":
		response := respond(r, nil, nil)
		response.Body = io.NopCloser(strings.NewReader("<html>"))
		return response, nil
	case "no CRD":
		response := respond(r, nil, nil)
		response.StatusCode, response.Body = 404, io.NopCloser(strings.NewReader("404 page not found"))
		response.Header.Set("Content-Type", "text/plain")
		return response, nil
	}
	response := t.serve(r, body)
	if fault == "" && isStatus(r) && response.StatusCode == http.StatusOK {
		s.mu.Lock()
		s.settled[t] = true
		s.mu.Unlock()
	}
	if fault == "truncated" {
		response.Body = io.NopCloser(io.LimitReader(response.Body, 100))
	}
	return response, nil
}

func (s *server) isOutage() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.weather.isOutage()
}

func respond(r *http.Request, answer any, err error) *http.Response {
	response := &http.Response{StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": []string{"application/json"}}}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		body := status.Status()
		body.Kind, body.APIVersion = "Status", "v1"
		answer, response.StatusCode = body, int(body.Code)
		if body.Details != nil && body.Details.RetryAfterSeconds > 0 {
			response.Header.Set("Retry-After", fmt.Sprint(body.Details.RetryAfterSeconds))
		}
	}
	data, _ := json.Marshal(answer)
	response.Body = io.NopCloser(bytes.NewReader(data))
	return response
}

// serve does what a request asks for.
func (t *transport) serve(r *http.Request, body []byte) *http.Response {
	s := t.server
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.object
	if before == nil && r.Method != http.MethodPost {
		return respond(r, nil, apiserver.NotFound(nodeName))
	}
	var after apiserver.Object
	var err error
	switch r.Method {
	case http.MethodGet:
		return respond(r, before, nil)
	case http.MethodPost:
		if before != nil {
			return respond(r, nil, apiserver.AlreadyExists(nodeName))
		}
		s.ended = time.Now() // the times of its conditions begin here, too
		after, err = apiserver.Create(body, s.revision+1, time.Now())
	case http.MethodPatch:
		subresource := ""
		if isStatus(r) {
			subresource = apiserver.StatusSubresource
		}
		if after, err = before.Patch(body, subresource, s.revision+1); err == nil && subresource != "" {
			s.check(*before, after)
		}
	}
	if err != nil {
		if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
			s.fail("the API server rejects a write: %v", err)
		}
		return respond(r, nil, err)
	}
	s.store(&after)
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
		return respond(r, metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}, ObjectMeta: after.Metadata}, nil)
	}
	return respond(r, after, nil)
}

// write is a write of another process.
func (s *server) write(change func(*mcfgv1.MachineConfigNode), subresource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.object == nil {
		return
	}
	mcn := s.typed().DeepCopy()
	change(mcn)
	sent, err := apiserver.FromTyped(mcn)
	if err != nil {
		s.fail("%v", err)
		return
	}
	after, err := s.object.Update(sent, subresource, s.revision+1)
	if err != nil {
		s.fail("a write of another process: %v", err)
		return
	}
	s.store(&after)
}

func (s *server) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.object, s.restored = nil, true
	s.versions = append(s.versions, nil)
}

var token = regexp.MustCompile(`#\d+$`)

// store stores a version, and notes what it shows.
func (s *server) store(o *apiserver.Object) {
	if s.object != nil && s.object.Metadata.ResourceVersion == o.Metadata.ResourceVersion {
		return
	}
	before := &mcfgv1.MachineConfigNode{}
	if s.object != nil {
		before = s.typed()
	}
	s.revision++
	s.object = o
	mcn := s.typed()
	s.versions = append(s.versions, mcn)
	note := func(about, text string) {
		key := about + token.FindString(text)
		if _, ok := s.shown[key]; !ok {
			s.shown[key] = len(s.versions)
		}
	}
	changed := []string{"the object is at " + mcn.ResourceVersion}
	for _, c := range mcn.Status.Conditions {
		note(c.Type, c.Message)
		if old := conditions.Find(before.Status.Conditions, phases.Phase(c.Type)); old == nil || old.Status != c.Status || old.Message != c.Message {
			changed = append(changed, fmt.Sprintf("%s=%s %s", c.Type, c.Status, token.FindString(c.Message)))
		}
	}
	s.log("    %s", strings.Join(changed, ", "))
	for _, set := range mcn.Status.PinnedImageSets {
		note(string(phases.PinnedImageSetsDegraded), set.LastFailedGenerationError)
	}
}

func (s *server) typed() *mcfgv1.MachineConfigNode {
	mcn, err := s.object.Typed()
	if err != nil {
		s.fail("the object cannot be read: %v", err)
	}
	return mcn
}

func (s *server) current() *mcfgv1.MachineConfigNode {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.object == nil {
		return nil
	}
	return s.typed()
}

// check checks the write of a status: nobody who watches sees a jump, and what is others' stays as it is.
func (s *server) check(before, after apiserver.Object) {
	a, errA := before.Typed()
	b, errB := after.Typed()
	if err := errors.Join(errA, errB); err != nil {
		s.fail("%v", err)
		return
	}
	if err := apiserver.CheckTransitions(a.Status.Conditions, b.Status.Conditions); err != nil && !s.restored {
		s.fail("a jump: %v", err)
	}
	if x, y := foreign(before), foreign(after); !s.restored && x != y {
		s.fail("what others wrote has changed from %s to %s", x, y)
	}
	s.restored = false
	if b.Status.ObservedGeneration > b.Generation {
		s.fail("observedGeneration is %d, the generation %d", b.Status.ObservedGeneration, b.Generation)
	}
}

// foreign is the JSON of what is not this library's in a status, as a typed client, of a Lister say, sees
// it.
func foreign(o apiserver.Object) string {
	var status struct {
		Conditions            []metav1.Condition
		IrreconcilableChanges any
	}
	_ = json.Unmarshal(o.Status, &status)
	found := []any{status.IrreconcilableChanges}
	for _, c := range status.Conditions {
		if phases.KindOf(phases.Phase(c.Type)) == "" {
			c.LastTransitionTime = c.LastTransitionTime.Rfc3339Copy()
			found = append(found, c)
		}
	}
	data, _ := json.Marshal(found)
	return string(data)
}
