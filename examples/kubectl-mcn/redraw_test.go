package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

// heldClock is a clock whose pauses last until the test ends them.
type heldClock struct {
	*clocktesting.FakeClock
	pauses chan pause
}

type pause struct {
	length time.Duration
	end    chan<- time.Time
}

func (c heldClock) After(d time.Duration) <-chan time.Time {
	end := make(chan time.Time, 1)
	c.pauses <- pause{d, end}
	return end
}

// handedOver is a source whose store is filled by a test.
type handedOver struct {
	source
	stores chan *store
}

func (handedOver) now() time.Time { return now }

func (h handedOver) follow(ctx context.Context, s *store, _ trimmer) error {
	h.stores <- s
	<-ctx.Done()
	return nil
}

// writes has the text of each write.
type writes struct{ texts []string }

func (w *writes) Write(b []byte) (int, error) {
	w.texts = append(w.texts, string(b))
	return len(b), nil
}

// TestABurstIsRedrawnFourTimesASecond, and its last state is drawn.
func TestABurstIsRedrawnFourTimesASecond(t *testing.T) {
	t.Parallel()
	c := heldClock{clocktesting.NewFakeClock(now), make(chan pause)}
	src := handedOver{stores: make(chan *store)}
	drawn := &writes{}
	p := testProgram(drawn, drawn)
	p.clock = c
	p.terminal = terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- snapshot{}.follow(ctx, p, src) }()

	s := <-src.stores
	s.replace(nodesResource, nil)
	s.replace(poolsResource, []any{newPool("worker", newConfig)})
	const bursts, changes = 4, 250
	for burst := range bursts {
		pause := <-c.pauses
		assert.Equal(t, time.Second/4, pause.length)
		assert.LessOrEqual(t, len(drawn.texts), burst+1)
		for i := range changes {
			n := newNode(fmt.Sprintf("worker-%d-%d", burst, i), "worker", newConfig, now)
			s.put(trimmer{store: s}.node(n))
		}
		pause.end <- now
	}
	<-c.pauses // a second after the first screen
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
	assert.Len(t, drawn.texts, 1+bursts+1, "the screens, and the cursor in the end")
	assert.Contains(t, drawn.texts[bursts], "  1,000 nodes, ")
}
