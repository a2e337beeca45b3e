package screen_test

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// at returns a time of day of the rollout.
func at(hms string) time.Time {
	t, err := time.Parse(time.TimeOnly, hms)
	if err != nil {
		panic(err)
	}
	return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// steps returns the spans of a node: a time, the step that began then, and so on. They end with a
// time or, if the last step is running, with a step.
func steps(node string, parts ...any) []progress.Span {
	var spans []progress.Span
	for i := 0; i+1 < len(parts); i += 2 {
		s := progress.Span{Node: node, Phase: parts[i+1].(phases.Phase), From: at(parts[i].(string))}
		if i+2 < len(parts) {
			s.To = at(parts[i+2].(string))
		}
		spans = append(spans, s)
	}
	return spans
}

// hung returns a rollout of six workers, with the observed spans.
func hung() ([]progress.Pool, []progress.Span) {
	w := workers()
	w.Done, w.Updating = 5, 1
	for i := range 6 {
		w = with(w, progress.Node{Name: fmt.Sprintf("worker-%d", i), State: progress.Done})
	}
	w.Stuck = []progress.Stuck{{Node: w.Nodes[4], For: 47 * time.Minute}}
	p, d, f, r, u := phases.UpdatePrepared, phases.Drained, phases.AppliedFilesAndOS, phases.RebootedNode, phases.Uncordoned
	var spans []progress.Span
	for _, of := range [][]progress.Span{
		steps("worker-5", "13:28:50", d, "13:32:30", f, "13:33:45", r, "13:36:44"),
		steps("worker-0", "13:06:20", d, "13:08:40", f, "13:11:15", r, "13:14:14"),
		steps("worker-1", "13:06:20", d, "13:12:30", f, "13:13:45", r, "13:17:30", u, "13:17:50"),
		steps("worker-2", "13:14:50", d, "13:17:30", f, "13:18:45", r, "13:22:30", u, "13:22:44"),
		steps("worker-3", "13:17:40", d, "13:21:15", f, "13:22:30", r, "13:25:34"),
		steps("worker-4", "13:28:20", p, "13:28:53", d),
	} {
		spans = append(spans, of...)
	}
	return []progress.Pool{masters(), w}, spans
}

func TestTimeline(t *testing.T) {
	pools, spans := hung()
	for _, width := range []int{40, 80, 140} {
		got := screen.Text(screen.Timeline(pools, spans, screen.Options{Now: now, Width: width}))
		golden(t, fmt.Sprintf("timeline-%d.txt", width), got)
		for _, line := range strings.Split(got, "\n") {
			assert.LessOrEqual(t, len(line), width, line)
		}
	}
}

func TestTimelineOfStepsThatAreNotKnown(t *testing.T) {
	pools, _ := hung()
	spans := []progress.Span{{Node: "worker-1", From: at("13:06:20"), To: at("13:17:50")}}
	got := screen.Text(screen.Timeline(pools, spans, screen.Options{Now: now, Width: 80}))
	assert.Contains(t, got, "worker-1")
	assert.Contains(t, got, "=====")
	assert.NotContains(t, got, "worker-2")
}

// TestTimelineOfAnyLength: the chart fits for any duration.
func TestTimelineOfAnyLength(t *testing.T) {
	pools, _ := hung()
	for span := time.Millisecond; span < 20*365*24*time.Hour; span = span*7/3 + 1 {
		for _, width := range []int{1, 9, 20, 40, 80, 140} {
			spans := []progress.Span{{Node: "worker-0", Phase: phases.Drained, From: now.Add(-span), To: now}}
			for _, line := range screen.Timeline(pools, spans, screen.Options{Now: now, Width: width}) {
				require.LessOrEqual(t, len(line.Text), width, "%s: %s", span, line.Text)
			}
		}
	}
}

func TestLegendNamesEachLetter(t *testing.T) {
	assert.Equal(t, "p Preparing, c Cordoning, D Draining, F Files and OS, P Post action, R\n"+
		"  Rebooting, r Resuming, u Uncordoning, f Finishing, O OS image, I Pulling\n  image, = steps not known, ! stuck\n", screen.Text(screen.Legend(80)))
}

func TestRecords(t *testing.T) {
	pools, spans := hung()
	records := screen.Records(pools, spans, screen.Options{Now: now})
	assert.Equal(t, []string{"pool", "node", "step", "from", "to", "seconds"}, records[0])
	assert.Equal(t, []string{"worker", "worker-0", "Drained", "2026-03-04T13:06:20Z", "2026-03-04T13:08:40Z", "140"}, records[1])
	assert.Contains(t, records, []string{"worker", "worker-4", "Drained", "2026-03-04T13:28:53Z", "", "2832"})
	assert.Len(t, records, 1+len(spans))

	var b strings.Builder
	require.NoError(t, csv.NewWriter(&b).WriteAll(records))
	back, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, records, back)
}

func TestSVG(t *testing.T) {
	pools, spans := hung()
	got := screen.SVG(pools, spans, screen.Options{Now: now})
	golden(t, "timeline.svg", got)
	wellFormed(t, got)
	assert.NotContains(t, strings.ReplaceAll(got, "http://www.w3.org/2000/svg", ""), "http", "the file is self-contained")

	pools[1].Name, pools[1].Target = `<script>alert(1)</script>`, "a&b\x1b[2J"
	wellFormed(t, screen.SVG(pools, spans, screen.Options{Now: now}))
	wellFormed(t, screen.SVG(nil, nil, screen.Options{Now: now}))
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			assert.NotEqual(t, "script", e.Name.Local)
		}
	}
}
