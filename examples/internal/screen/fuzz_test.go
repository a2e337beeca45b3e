package screen_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// anyPools returns random pools with the same text everywhere.
func anyPools(random *rand.Rand, text string) []progress.Pool {
	states := []progress.State{progress.Unreported, progress.Waiting, progress.Ordered, progress.Updating, progress.Done, "Unheard"}
	var pools []progress.Pool
	for i := range random.IntN(8) {
		p := progress.Pool{
			Name: fmt.Sprint(text, i), Target: text, MaxUnavailable: random.IntN(5), Paused: random.IntN(4) == 0, Blocked: random.IntN(4) == 0,
			Typical: time.Duration(random.Int64N(int64(20 * time.Hour))), LeftKnown: random.IntN(2) == 0, Left: time.Duration(random.Int64N(int64(9 * time.Hour))),
		}
		for j := range random.IntN(60) {
			n := updating(fmt.Sprint(text, i, "-", j), standardSteps[random.IntN(len(standardSteps))],
				time.Duration(random.Int64N(int64(90*time.Hour)))-time.Hour, time.Duration(random.Int64N(int64(100*time.Hour))), text)
			n.State, n.Desired = states[random.IntN(len(states))], text
			if random.IntN(9) == 0 {
				n.Degraded = now.Add(-time.Minute)
			}
			switch n.State {
			case progress.Done:
				p.Done++
			case progress.Updating:
				p.Updating++
			case progress.Ordered:
				p.Ordered++
			case progress.Waiting:
				p.Waiting++
			default:
				p.Unreported++
			}
			p.Nodes = append(p.Nodes, n)
			if random.IntN(9) == 0 {
				p.Stuck = append(p.Stuck, progress.Stuck{Node: n, For: time.Duration(random.Int64N(int64(time.Hour))), Samples: random.IntN(3)})
			}
		}
		pools = append(pools, p)
	}
	return pools
}

// assertScreen fails for lines that are too wide, too many, or not printable ASCII.
func assertScreen(t *testing.T, lines []screen.Line, width, height int) {
	t.Helper()
	if height > 0 {
		require.LessOrEqual(t, len(lines), height)
	}
	for _, l := range lines {
		if width > 0 {
			require.LessOrEqual(t, len(l.Text), width, l.Text)
		}
		require.Equal(t, -1, strings.IndexFunc(l.Text, func(r rune) bool { return r < ' ' || r > '~' }), "%q", l.Text)
		require.Equal(t, strings.TrimRight(l.Text, " "), l.Text)
	}
}

func FuzzScreens(f *testing.F) {
	f.Add(uint64(1), "worker-\x1b[2J", uint8(80), uint8(24))
	f.Add(uint64(2), "a\u009b\r\n\xff", uint8(1), uint8(1))
	f.Add(uint64(3), strings.Repeat("long name ", 30), uint8(40), uint8(0))
	f.Add(uint64(4), "世界", uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, text string, width, height uint8) {
		random := rand.New(rand.NewPCG(seed, 0))
		before, after := anyPools(random, text), anyPools(random, text)
		o := screen.Options{Now: now, Width: int(width), Height: int(height), List: seed%3 == 0, Whole: seed%5 == 0}
		if seed%4 == 0 {
			o.LastContact = now.Add(-time.Hour)
		}
		if seed%5 == 0 {
			o.Show = func(n progress.Node) bool { return len(n.Name)%2 == 0 }
		}
		assertScreen(t, screen.Snapshot(after, o), int(width), int(height))
		for _, m := range append(screen.Moves(before, after, now), screen.Found(after, now)...) {
			assertScreen(t, []screen.Line{{Text: m.Text(time.UTC, true)}}, 0, 0)
		}
		var spans []progress.Span
		for _, p := range after {
			for _, n := range p.Nodes {
				spans = append(spans, progress.Span{Node: n.Name, Phase: n.Step, From: n.Since, To: n.Degraded})
			}
		}
		assertScreen(t, screen.Timeline(after, spans, o), int(width), int(height))
		wellFormed(t, screen.SVG(after, spans, o))
		for _, record := range screen.Records(after, spans, o) {
			assertScreen(t, []screen.Line{{Text: strings.TrimRight(strings.Join(record, ","), " ")}}, 0, 0)
		}
	})
}

func TestScreensOfAnyPools(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		pools := anyPools(random, "worker")
		for _, width := range []int{1, 7, 20, 40, 60, 80, 116, 140, 300} {
			for _, height := range []int{0, 1, 5, 24, 50} {
				assertScreen(t, screen.Snapshot(pools, screen.Options{Now: now, Width: width, Height: height}), width, height)
			}
		}
	}
}

// TestMovesOfTheSamePools: no change, no move.
func TestMovesOfTheSamePools(t *testing.T) {
	for seed := range uint64(100) {
		pools := anyPools(rand.New(rand.NewPCG(seed, 2)), "worker")
		assert.Empty(t, screen.Moves(pools, pools, now))
	}
}
