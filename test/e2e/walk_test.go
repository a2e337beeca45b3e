package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	stepsOfAWalk    = 12
	walksOnAnObject = 100
)

// walks is how many sequences are tried: WALKS, of make soak, or enough for every change.
func walks(t *testing.T) int {
	return number(t, "WALKS", 2000)
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

// TestRandomWalks makes random reports, faults and restarts, and checks what a watcher sees
// against the rules, and the object against the model.
func TestRandomWalks(t *testing.T) {
	seed := number(t, "SEED", int(time.Now().UnixNano()%1_000_000_007))
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
			assert.Zero(t, w.requests.answered(http.StatusUnprocessableEntity)+w.requests.answered(http.StatusBadRequest), "rejected by the CRD")
		})
	}
}

// walker is a daemon that does anything at all.
type walker struct {
	*world
	random   *rand.Rand
	model    *model
	history  *history
	daemon   *upgrademonitor.Monitor
	faults   *faults
	requests *requests
	desired  string
	said     int
	pending  []saying // accepted, and not known to be written
	written  []saying // to be found in the history
	log      []string
	checked  int
}

// saying is a condition that was reported, by its message.
type saying struct{ phase, message string }

func newWalker(t *testing.T, name string, random *rand.Rand) *walker {
	w := &walker{world: newWorld(t, name), random: random, model: newModel(), requests: &requests{}, desired: "rendered-a"}
	w.annotate(w.desired, w.desired)
	w.restart()
	require.NoError(t, w.daemon.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	w.model.specDesired = w.desired
	w.history = watchFrom(t, w.world)
	return w
}

// restart ends the daemon, with what is pending, and starts another.
func (w *walker) restart() {
	w.faults = &faults{}
	w.daemon = w.build(func(*upgrademonitor.Config) {}, w.requests.wrap, w.faults.wrap)
	w.model.remembered = ""
	w.pending = nil
}

// walk is one sequence: it starts with a restart now and then, and ends in calm weather,
// with an object that is as the model says.
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
			w.annotate("rendered-a", w.desired)
		case 1:
			w.setSpec()
		case 2, 3:
			w.fail()
		case 4:
			w.note("recovers")
			w.faults.set(nil)
		case 5:
			w.kill()
		default:
			w.report()
		}
	}
	w.settle()
}

func (w *walker) report() {
	w.t.Helper()
	p := standardMode[w.random.IntN(len(standardMode))]
	status := []metav1.ConditionStatus{no, running, done, done}[w.random.IntN(4)]
	var opts []upgrademonitor.ReportOption
	completes := parents[p] != "" && status == done && w.random.IntN(3) == 0
	if completes {
		opts = append(opts, upgrademonitor.CompletesParent())
	}
	w.said++
	message := fmt.Sprintf("said %d.", w.said)
	err := w.daemon.GenerateAndApplyMachineConfigNode(w.t.Context(), phases.Phase(p), "Walking", message, status, opts...)
	w.note("%s=%s completes %t: %v", p, status, completes, err)

	taken := w.model.report(p, status, completes, w.desired)
	var refused *phases.TransitionError
	pending := errors.Is(err, upgrademonitor.ErrPending)
	switch {
	case errors.As(err, &refused):
		require.False(w.t, taken, "refused against the rules\n%s", w)
	case err != nil:
		require.True(w.t, pending, "%v\n%s", err, w)
	default:
		require.True(w.t, taken, "accepted against the rules\n%s", w)
	}
	if !taken {
		return // or, where the Monitor could not know it, dropped when it does
	}
	if pending {
		w.pending = append(w.pending, saying{p, message})
		return
	}
	w.written = append(append(w.written, w.pending...), saying{p, message})
	w.pending = nil
}

func (w *walker) setSpec() {
	w.t.Helper()
	err := w.daemon.GenerateAndApplyMachineConfigNodeSpec(w.t.Context())
	w.note("spec: %v", err)
	if err != nil {
		require.ErrorIs(w.t, err, upgrademonitor.ErrPending)
	}
	w.model.specDesired = w.desired
}

func (w *walker) fail() {
	kinds := []string{"connection refused", "500", "503", "403", "answer to a write lost"}
	kind := kinds[w.random.IntN(len(kinds))]
	w.note("fault: %s", kind)
	w.faults.set(injected[kind])
}

// kill ends the daemon with what is pending; what is known of the rules then is the object.
func (w *walker) kill() {
	w.t.Helper()
	w.note("kill")
	w.restart()
	w.history.catchUp()
	w.adopt()
}

// adopt makes the model what the object shows.
func (w *walker) adopt() {
	object := w.history.last()
	for _, p := range standardMode {
		c, ok := statusOf(object.Status.Conditions, p)
		w.model.status[p] = no
		if ok {
			w.model.status[p] = c.Status
		}
	}
	w.model.specDesired, w.model.statusDesired = object.Spec.ConfigVersion.Desired, ""
	if object.Status.ConfigVersion != nil {
		w.model.statusDesired = object.Status.ConfigVersion.Desired
	}
}

// settle waits in calm weather until all is written, and compares.
func (w *walker) settle() {
	w.t.Helper()
	w.faults.set(nil)
	require.NoError(w.t, w.daemon.Flush(w.t.Context()))
	w.written = append(w.written, w.pending...)
	w.pending = nil
	events := w.history.catchUp()
	if len(events) == 0 || w.history.last().Status.Conditions == nil {
		return
	}
	for p, want := range w.model.status {
		c, _ := statusOf(w.history.last().Status.Conditions, p)
		require.Equal(w.t, want, c.Status, "%s\n%s", p, w)
	}
	for _, said := range w.written {
		require.True(w.t, w.seen(said), "%v was never visible\n%s", said, w)
	}
	w.written, w.checked = nil, max(0, len(w.history.events)-1)
	if w.t.Failed() {
		w.t.FailNow()
	}
}

// seen reports whether a watcher has seen what was said since the last comparison.
func (w *walker) seen(said saying) bool {
	for _, event := range w.history.events[w.checked:] {
		c, _ := statusOf(event.Status.Conditions, said.phase)
		if strings.HasSuffix(c.Message, said.message) {
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
