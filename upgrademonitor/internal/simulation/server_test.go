package simulation_test

import (
	"bytes"
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

// weatherServer is the API server of one MachineConfigNode. The weather says which requests fail.
type weatherServer struct {
	apiserver.Transport

	mu        sync.Mutex // guards the fields below; Transport's own lock may be held when it is taken
	rng       *rand.Rand
	log       func(format string, args ...any)
	checkNode func(after *mcfgv1.MachineConfigNode) // checks rule 7 for a write of the daemon
	serving   sync.Mutex                            // held during a write
	writer    string                                // the process that writes: daemon, controller or others
	versions  []*mcfgv1.MachineConfigNode           // nil after a deletion
	shown     map[string]bool                       // has the phase and token of each text that a version had
	weather   weather
	cut       chan struct{} // closed to end the connections that hang
	problem   error
	underWay  time.Time // the start of the update that is under way, or zero
	touched   time.Time // the lastTransitionTime that another client has given Updated, or zero
	lateWrite sync.WaitGroup
}

// weather says which requests fail, and how.
type weather struct {
	name   string
	faults []string                 // a request that fails has one of these faults
	chance float64                  // the probability that a request fails
	hits   func(*http.Request) bool // selects the requests that may fail; nil selects all
}

func isSpec(r *http.Request) bool   { return r.Method == http.MethodPatch && !isStatus(r) }
func isStatus(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/status") }

// every has all faults of a request. With the faults lost and late, the request fails, but the write takes effect.
var every = []string{"slow", "hang", "500", "503", "429", "403", "policy", "reset", "lost", "late", "truncated", "garbage", "no CRD"}

var (
	fair     = weather{name: "fair"}
	weathers = []weather{
		fair, fair, fair,
		{name: "flaky", faults: every, chance: 0.3},
		{name: "hanging", faults: []string{"hang"}, chance: 1},
		{name: "refusing", faults: []string{"reset"}, chance: 1},
		{name: "failing", faults: []string{"500", "503"}, chance: 1},
		{name: "denying", faults: []string{"403", "policy"}, chance: 1},
		{name: "slow", faults: []string{"slow"}, chance: 1},
		{name: "writes of the status hang", faults: []string{"hang"}, chance: 1, hits: isStatus},
		{name: "writes of the status fail", faults: []string{"503"}, chance: 1, hits: isStatus},
		{name: "writes of the spec hang", faults: []string{"hang"}, chance: 1, hits: isSpec},
		{name: "writes of the spec fail", faults: []string{"403", "500"}, chance: 1, hits: isSpec},
	}
)

// change changes the weather. With cut, it also cuts the connections that hang.
func (s *weatherServer) change(w weather, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.weather = w
	if cut {
		close(s.cut)
		s.cut = make(chan struct{})
	}
}

func (s *weatherServer) fail(format string, args ...any) {
	if s.problem == nil {
		s.problem = fmt.Errorf(format, args...)
	}
}

// transport is the connection of a process to the API server.
type transport struct {
	*weatherServer
	name string        // of the process
	dead chan struct{} // closed when the process ends
}

// serve serves a request of the process, even if the process has ended in the meantime.
func (t *transport) serve(r *http.Request) (*http.Response, error) {
	defer t.writes(t.name)()
	return t.Serve(r)
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil { // a late write is served after the request has ended
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	s := t.weatherServer
	s.mu.Lock()
	fault, cut := "", s.cut
	if w := s.weather; w.chance > 0 && (w.hits == nil || w.hits(r)) && s.rng.Float64() < w.chance {
		fault = w.faults[s.rng.IntN(len(w.faults))]
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
			return syscall.ECONNRESET
		case <-cut:
			if d > time.Minute {
				return syscall.ECONNRESET
			}
			return nil
		case <-r.Context().Done():
			return r.Context().Err()
		}
	}
	if err := wait(latency); err != nil {
		return nil, err
	}
	status := func(err *apierrors.StatusError) (*http.Response, error) { return apiserver.Respond(r, nil, err), nil }
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
	case "reset":
		return nil, syscall.ECONNRESET
	case "lost":
		_, _ = t.serve(r)
		return nil, syscall.ECONNRESET
	case "late":
		s.lateWrite.Go(func() {
			<-time.After(long)
			_, _ = t.serve(r)
		})
		return nil, syscall.ECONNRESET
	case "garbage":
		response := apiserver.Respond(r, nil, nil)
		response.Body = io.NopCloser(strings.NewReader("<html>"))
		return response, nil
	case "no CRD":
		response := apiserver.Respond(r, nil, nil)
		response.StatusCode, response.Body = 404, io.NopCloser(strings.NewReader("404 page not found"))
		response.Header.Set("Content-Type", "text/plain")
		return response, nil
	}
	response, err := t.serve(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusUnprocessableEntity || response.StatusCode == http.StatusBadRequest {
		data, _ := io.ReadAll(response.Body)
		s.mu.Lock()
		s.fail("the API server rejects a write: %s", data)
		s.mu.Unlock()
	}
	if fault == "truncated" {
		response.Body = io.NopCloser(io.LimitReader(response.Body, 100))
	}
	return response, nil
}

func (s *weatherServer) isOutage() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.weather.chance == 1
}

// writes notes that the process makes all writes until end is called.
func (s *weatherServer) writes(process string) (end func()) {
	s.serving.Lock()
	s.mu.Lock()
	s.writer = process
	s.mu.Unlock()
	return s.serving.Unlock
}

// write is a write of another client.
func (s *weatherServer) write(change func(*mcfgv1.MachineConfigNode), subresource string) {
	if s.Get(nodeName) == nil {
		return
	}
	end := s.writes("others")
	err := s.Write(nodeName, subresource, change)
	end()
	if err != nil && !apierrors.IsConflict(err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fail("a write of another client: %v", err)
	}
}

// isUnderWay reports whether an update is under way that began before the given time.
func (s *weatherServer) isUnderWay(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.underWay.IsZero() && s.underWay.Before(since)
}

func (s *weatherServer) remove() {
	s.Remove(nodeName)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay = time.Time{}
	s.versions = append(s.versions, nil)
}

var token = regexp.MustCompile(`#\d+`)

// hasShown reports whether a version of the object has shown the text of a call.
func (s *weatherServer) hasShown(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown[string(c.phase)+c.token]
}

// isLate reports whether a call starts an update, but is older than the lastTransitionTime of Updated that another client
// has written. The end of an update keeps such a later time, so the start changes nothing.
func (s *weatherServer) isLate(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.phase == phases.Updated && c.status == metav1.ConditionFalse && c.started.Before(s.touched)
}

// stored checks and records a version that was written.
func (s *weatherServer) stored(stored, after *apiserver.StoredObject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, mcn := &mcfgv1.MachineConfigNode{}, s.typed(after)
	if stored != nil {
		before = s.typed(stored)
		if s.writer != "others" {
			s.checkWrite(s.writer, before, mcn)
		}
	}
	s.versions = append(s.versions, mcn)
	updated := conditions.Find(mcn.Status.Conditions, phases.Updated)
	if old := conditions.Find(before.Status.Conditions, phases.Updated); s.writer == "others" && old != nil && updated != nil && old.Status != updated.Status {
		s.touched = updated.LastTransitionTime.Time
	}
	switch {
	case updated == nil, updated.Status == metav1.ConditionTrue, conditions.IsReservedReason(updated.Reason):
		s.underWay = time.Time{}
	case s.underWay.IsZero():
		s.underWay = time.Now()
	}
	changed := []string{"the object is at " + mcn.ResourceVersion}
	if before.Spec != mcn.Spec {
		changed = append(changed, "spec "+mcn.Spec.ConfigVersion.Desired)
	}
	for _, c := range mcn.Status.Conditions {
		for _, text := range token.FindAllString(c.Message, -1) {
			s.shown[c.Type+text] = true
		}
		if old := conditions.Find(before.Status.Conditions, phases.Phase(c.Type)); old == nil || old.Status != c.Status || old.Message != c.Message {
			changed = append(changed, fmt.Sprintf("%s=%s %s", c.Type, c.Status, token.FindString(c.Message)))
		}
	}
	for _, set := range mcn.Status.PinnedImageSets {
		s.shown[string(phases.PinnedImageSetsDegraded)+token.FindString(set.LastFailedGenerationError)] = true
	}
	s.log("    %s", strings.Join(changed, ", "))
}

func (s *weatherServer) typed(o *apiserver.StoredObject) *mcfgv1.MachineConfigNode {
	mcn, err := o.Typed()
	if err != nil {
		s.fail("the object cannot be read: %v", err)
		return &mcfgv1.MachineConfigNode{}
	}
	return mcn
}
