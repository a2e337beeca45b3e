package simulation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// weatherServer is the API server of one MachineConfigNode, whose requests fail as the
// weather has it.
type weatherServer struct {
	apiserver.Transport

	mu        sync.Mutex // guards the fields below; Transport's own lock may be held when it is taken
	rng       *rand.Rand
	log       func(format string, args ...any)
	serving   sync.Mutex                  // held during a write
	writer    string                      // the process that writes: one with a Monitor, or others
	newest    func(config string) bool    // whether a Node that was seen later does not desire another config
	versions  []*mcfgv1.MachineConfigNode // nil after a deletion
	shown     map[string]bool             // the texts that a version has shown, by phase and text
	weather   weather
	since     time.Time           // of the weather
	settled   map[*transport]bool // which have written a status in this weather
	cut       chan struct{}       // closed to end the connections that hang
	problem   error
	ends      map[int]metav1.Time // the lastTransitionTime of each Updated=True, by the number of its text; 0: of others
	underWay  time.Time           // since then, every version has shown an update under way; zero: the last one shows none
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
		{name: "specs hang", faults: []string{"hang"}, chance: 1, hits: isSpec},
		{name: "specs fail", faults: []string{"403", "500"}, chance: 1, hits: isSpec},
	}
)

func (w weather) isOutage() bool { return w.chance == 1 && !w.fast }

// change changes the weather. The connections that hang may be cut.
func (s *weatherServer) change(w weather, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
func (s *weatherServer) isFair(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.weather.chance == 0 && s.since.Before(since)
}

func (s *weatherServer) fail(format string, args ...any) {
	if s.problem == nil {
		s.problem = fmt.Errorf(format, args...)
	}
}

// transport is the connection of a process to the server.
type transport struct {
	*weatherServer
	name string        // of the process
	dead chan struct{} // closed when the process ends
}

// serve serves a request of the process, which may have ended meanwhile.
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

func (s *weatherServer) isOutage() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.weather.isOutage()
}

// writes has a process write until end is called.
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

// isUnderWay reports whether an update has been under way since before a time.
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

// number is the number of a token, in the order in which they were made, or 0.
func number(token string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(token, "#"))
	return n
}

// stored checks and records a version.
func (s *weatherServer) stored(stored, after *apiserver.StoredObject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, mcn := &mcfgv1.MachineConfigNode{}, s.typed(after)
	if stored != nil {
		before = s.typed(stored)
		if s.writer != "others" {
			s.check(before, mcn)
		}
		if s.writer == "controller" {
			s.checkController(before, mcn)
		}
	}
	s.versions = append(s.versions, mcn)
	switch updated := conditions.Find(mcn.Status.Conditions, phases.Updated); {
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
		if c.Type == string(phases.Updated) && c.Status == metav1.ConditionTrue {
			s.ends[number(token.FindString(c.Message))] = c.LastTransitionTime
		}
		for _, text := range token.FindAllString(c.Message, -1) { // Updated=True may quote others
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

// check checks a write of a Monitor: no watcher sees a jump, fields of other clients stay as they are,
// and the spec never goes back to an old view of the Node.
func (s *weatherServer) check(before, after *mcfgv1.MachineConfigNode) {
	if err := conditionstest.CheckTransitions(before.Status.Conditions, after.Status.Conditions); err != nil {
		s.fail("a jump: %v", err)
	}
	if x, y := foreign(before), foreign(after); x != y {
		s.fail("the fields of other clients have changed from %s to %s", x, y)
	}
	isAhead := before.Status.ObservedGeneration > before.Generation // written by an old process
	if after.Status.ObservedGeneration > after.Generation && !isAhead {
		s.fail("observedGeneration is %d, the generation %d", after.Status.ObservedGeneration, after.Generation)
	}
	if desired := after.Spec.ConfigVersion.Desired; before.Spec.ConfigVersion.Desired != desired && !s.newest(desired) {
		s.fail("the spec desires %s, an old view of the Node", desired)
	}
}

// checkController checks that a controller writes only conditions, and starts no update.
func (s *weatherServer) checkController(before, after *mcfgv1.MachineConfigNode) {
	x, y := before.Status.DeepCopy(), after.Status.DeepCopy()
	x.Conditions, y.Conditions = nil, nil
	if before.Spec != after.Spec || !reflect.DeepEqual(x, y) {
		s.fail("a controller has written %+v %+v over %+v %+v", after.Spec, y, before.Spec, x)
	}
	isUpdated := func(mcn *mcfgv1.MachineConfigNode) bool {
		return conditions.StatusOf(mcn.Status.Conditions, phases.Updated) == metav1.ConditionTrue
	}
	if isUpdated(before) && !isUpdated(after) {
		s.fail("a controller has started an update")
	}
}

// foreign is the part of a status that belongs to other clients.
func foreign(mcn *mcfgv1.MachineConfigNode) string {
	found := []any{mcn.Status.IrreconcilableChanges}
	for _, c := range mcn.Status.Conditions {
		if phases.KindOf(phases.Phase(c.Type)) == "" {
			found = append(found, c)
		}
	}
	data, _ := json.Marshal(found)
	return string(data)
}
