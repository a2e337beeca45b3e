package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	stepsOfAWalk    = 12
	walksOnAnObject = 100
)

// walks returns the number of sequences: WALKS, for make soak, or a default for every change.
func walks(t *testing.T) int {
	return number(t, "WALKS", 1000)
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	value, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	require.NoError(t, err, "%s must be a number", name)
	return n
}

// TestRandomWalks makes random reports, faults and restarts. It compares the events of a watch
// with the rules, and the object with the model. Every change is judged by the same walks, unless
// SEED is set; make soak makes others each time.
func TestRandomWalks(t *testing.T) {
	seed := number(t, "SEED", 1)
	t.Logf("%d walks of %d steps, SEED=%d", walks(t), stepsOfAWalk, seed)
	for i := range (walks(t) + walksOnAnObject - 1) / walksOnAnObject {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			w := newWalker(t, fmt.Sprintf("walk-%d", i), rand.New(rand.NewPCG(uint64(seed), uint64(i))))
			for range min(walksOnAnObject, walks(t)-i*walksOnAnObject) {
				w.walk()
			}
			w.history.catchUp()
			w.history.check()
			w.checkAnswers()
		})
	}
}

// walker is a daemon that makes random reports.
type walker struct {
	*testNode
	ctx      context.Context // with a logger that adds to log
	random   *rand.Rand
	model    *model
	history  *history
	daemon   *upgrademonitor.Monitor
	requests *transport // of the daemon
	desired  string
	reports  int
	pending  []report // accepted, and not known to be written
	written  []report // expected in the history
	doomed   bool     // something is pending that the rules reject, which is known once the object is read
	log      []string
	checked  int
}

// report is a reported condition, identified by its message.
type report struct {
	phase     string
	status    metav1.ConditionStatus
	completes bool
	message   string
}

func (r report) asksForTheSame(other report) bool {
	other.message = r.message
	return r == other
}

func newWalker(t *testing.T, name string, random *rand.Rand) *walker {
	w := &walker{testNode: newTestNode(t, name), random: random, model: newModel(), requests: &transport{}, desired: currentConfig}
	logged := func(prefix, args string) { w.note("    %s %s", prefix, args) }
	w.ctx = klog.NewContext(t.Context(), funcr.New(logged, funcr.Options{}))
	w.annotate(currentConfig, w.desired)
	w.restart()
	require.NoError(t, w.daemon.GenerateAndApplyMachineConfigNodeSpec(w.ctx))
	w.model.spec(w.desired)
	w.history = watchFrom(t, w.testNode)
	return w
}

// restart replaces the daemon. Its pending reports are lost.
func (w *walker) restart() {
	w.requests.cut()
	w.checkAnswers()
	w.daemon, w.requests = w.build(func(*upgrademonitor.Config) {})
	w.model.activeTarget = ""
	w.pending, w.doomed = nil, false
}

func (w *walker) checkAnswers() {
	assert.Zero(w.t, w.requests.answered(http.StatusUnprocessableEntity, http.StatusBadRequest), "rejected by the CRD")
}

// walk is one sequence: it sometimes starts with a restart, and ends without faults and with an
// object that equals the model.
func (w *walker) walk() {
	w.t.Helper()
	w.log = nil
	if w.random.IntN(4) == 0 {
		w.note("restart")
		w.restart()
	}
	for range stepsOfAWalk {
		switch w.random.IntN(20) {
		case 0:
			w.desired = "rendered-" + string("abc"[w.random.IntN(3)])
			w.note("desired %s", w.desired)
			w.annotate(currentConfig, w.desired)
		case 1:
			_ = w.setSpec()
		case 2, 3:
			w.fail()
		case 4:
			w.note("recovers")
			w.requests.fail(nil)
		case 5:
			w.kill()
		case 6:
			w.spoil()
		default:
			w.report()
		}
	}
	w.flushAndCompare()
}

func (w *walker) report() {
	w.t.Helper()
	p := standardMode[w.random.IntN(len(standardMode))]
	status := []metav1.ConditionStatus{no, running, done, done}[w.random.IntN(4)]
	var opts []upgrademonitor.Option
	completes := parents[p] != "" && status == done && w.random.IntN(3) == 0
	if completes {
		opts = append(opts, upgrademonitor.CompletesParent())
	}
	w.reports++
	message := fmt.Sprintf("report %d.", w.reports)
	err := w.daemon.GenerateAndApplyMachineConfigNode(w.ctx, phases.Phase(p), "RandomWalk", message, status, opts...)
	pending := isPending(w.daemon)
	w.note("%s=%s completes %t: pending %t, %v", p, status, completes, pending, err)

	accepted := w.model.report(p, status, completes, w.desired, message)
	if rejected := (*phases.TransitionError)(nil); errors.As(err, &rejected) {
		require.False(w.t, accepted, "rejected against the rules\n%s", w)
		return
	}
	require.NoError(w.t, err, w)
	require.True(w.t, accepted || pending, "written against the rules\n%s", w)
	w.doomed = w.doomed || !accepted
	if accepted { // else it is dropped once the object has been read
		next := report{p, status, completes, message}
		if last := len(w.pending) - 1; last >= 0 && w.pending[last].asksForTheSame(next) {
			w.pending = w.pending[:last] // its texts may be replaced
		}
		w.pending = append(w.pending, next)
	}
	if !pending {
		w.written = append(w.written, w.pending...)
		w.pending = nil
	}
}

// setSpec makes the spec call, which fails during a fault only.
func (w *walker) setSpec() error {
	w.t.Helper()
	err := w.daemon.GenerateAndApplyMachineConfigNodeSpec(w.ctx)
	w.note("spec: %v", err)
	w.model.spec(w.desired)
	return err
}

// fail sets a fault, of all requests or of the next one. It spares the spec: one that fails is left
// alone for 10 s, unlike in the model.
func (w *walker) fail() {
	kinds := []string{"connection refused", "500", "503", "403", "response to a write lost"}
	kind, once := kinds[w.random.IntN(len(kinds))], w.random.IntN(2) == 0
	w.note("fault: %s, once %t", kind, once)
	requests := w.requests
	requests.fail(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if kindOf(request) == "spec" {
			return next.RoundTrip(request)
		}
		if once {
			requests.fail(nil)
		}
		return faults[kind](request, next)
	})
}

// kill replaces the daemon, whose pending reports are lost, and sets the model to the object.
func (w *walker) kill() {
	w.t.Helper()
	w.note("kill")
	w.restart()
	w.history.catchUp()
	w.adopt()
}

// spoil makes Updated Unknown, as another client, once everything is written.
func (w *walker) spoil() {
	w.t.Helper()
	w.flushAndCompare()
	object := w.history.last()
	list := slices.Clone(object.Status.Conditions)
	i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == "Updated" })
	if i < 0 {
		return
	}
	w.note("another client makes Updated Unknown")
	if list[i].Status != running {
		list[i].LastTransitionTime = metav1.Now()
	}
	list[i].Status, list[i].Reason = running, byAnother
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": list}})
	require.NoError(w.t, err)
	w.mergeStatus(string(patch))
	w.model.status["Updated"], w.model.neverUpdated = running, false
}

// adopt sets the model to the state of the object.
func (w *walker) adopt() {
	object := w.history.last()
	for _, p := range standardMode {
		c, ok := statusOf(object.Status.Conditions, p)
		w.model.status[p] = no
		if ok {
			w.model.status[p], w.model.said[p] = c.Status, c.Message
		}
	}
	updated, ok := statusOf(object.Status.Conditions, "Updated")
	w.model.neverUpdated = !ok || updated.Status != done && updated.Reason == "NotYetOccurred"
	w.model.specDesired, w.model.statusDesired = object.Spec.ConfigVersion.Desired, ""
	if object.Status.ConfigVersion != nil {
		w.model.statusDesired = object.Status.ConfigVersion.Desired
	}
}

// flushAndCompare removes all faults, waits until everything is written, and compares.
func (w *walker) flushAndCompare() {
	w.t.Helper()
	w.requests.fail(nil)
	require.NoError(w.t, w.setSpec(), w)
	err := w.daemon.Flush(w.ctx)
	require.True(w.t, err == nil || w.doomed && !errors.Is(err, upgrademonitor.ErrPending), "%v\n%s", err, w)
	w.written = append(w.written, w.pending...)
	w.pending, w.doomed = nil, false
	events := w.history.catchUp()
	if len(events) == 0 || w.history.last().Status.Conditions == nil {
		return
	}
	for p, want := range w.model.status {
		c, _ := statusOf(w.history.last().Status.Conditions, p)
		require.Equal(w.t, want, c.Status, "%s\n%s", p, w)
		if hasChildren := slices.Contains([]string{"UpdateExecuted", "UpdateComplete"}, p); hasChildren && want == running {
			require.Equal(w.t, w.model.said[p], c.Message, "%s\n%s", p, w)
		}
	}
	for _, r := range w.written {
		require.True(w.t, w.published(r), "%v was never published\n%s", r, w)
	}
	w.written, w.checked = nil, max(0, len(w.history.events)-1)
	if w.t.Failed() {
		w.t.FailNow()
	}
}

// published reports whether an event since the last comparison contains a report.
func (w *walker) published(r report) bool {
	for _, event := range w.history.events[w.checked:] {
		c, _ := statusOf(event.Status.Conditions, r.phase)
		if strings.HasSuffix(c.Message, r.message) {
			return true
		}
	}
	return false
}

func (w *walker) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

func (w *walker) String() string {
	return "walk:\n  " + strings.Join(w.log, "\n  ")
}
