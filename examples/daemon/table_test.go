package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// published are the rows that the description of MachineConfigNodes shows for a standard
// update: desired and current config (o: old, n: new), then the statuses from UPDATED on
// (T, F, or ? for Unknown).
var published = []string{
	"oo TFFFFFFFFFF",
	"no FTFFFFFFFFF",
	"no FT?FFFFT?FF",
	"no FT?FFF?TTFF",
	"no FTTFFFTTTFF",
	"no FTTFFFTTT?F",
	"no FTTFFFTTTTF",
	"no FTTFFTTTTTF",
	"no FTTFTTTTTTT",
	"nn TFFFFFFFFFF",
}

func TestUpdateShowsEveryPublishedRowInOrder(t *testing.T) {
	text, err := os.ReadFile("testdata/update.golden")
	require.NoError(t, err)
	wanted := published
	for _, row := range shortened(string(text)) {
		if len(wanted) > 0 && row == wanted[0] {
			wanted = wanted[1:]
		}
	}
	assert.Empty(t, wanted, "these rows are missing, or come in another order")
}

// shortened returns the rows of an output as published has them; "-" is an empty cell.
func shortened(output string) []string {
	short := map[string]string{
		"True": "T", "False": "F", "Unknown": "?", "": "-",
		"rendered-worker-" + fromHash: "o", "rendered-worker-" + toHash: "n",
	}
	var header string
	var rows []string
	for _, line := range strings.Split(output, "\n") {
		switch {
		case strings.HasPrefix(line, columns[0].header+" "):
			header = line
			continue
		case line == "":
			header = "" // what follows are no rows
		}
		if header == "" {
			continue
		}
		cells := make([]string, len(columns))
		for i, c := range columns {
			at, end := strings.Index(header, " "+c.header)+1, len(line)
			if i < len(columns)-1 {
				end = strings.Index(header, " "+columns[i+1].header)
			}
			cells[i] = short[strings.TrimSpace(line[at:end])]
		}
		rows = append(rows, cells[2]+cells[3]+" "+strings.Join(cells[4:], ""))
	}
	return rows
}

// No phase may be seen to jump: between two rows, nobody goes from False to True.
func TestNoRowJumps(t *testing.T) {
	for _, file := range []string{"update", "rebootless", "fail-drained", "image-mode", "image-mode-disable", "image-mode-rebootless", "fail-image-pulled"} {
		text, err := os.ReadFile("testdata/" + file + ".golden")
		require.NoError(t, err)
		rows := shortened(string(text))
		require.NotEmpty(t, rows)
		for i := 1; i < len(rows); i++ {
			for at := len("oo T"); at < len(rows[i]); at++ {
				assert.False(t, rows[i-1][at] == 'F' && rows[i][at] == 'T', "%s: %s, then %s", file, rows[i-1], rows[i])
			}
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	opts, err := parse([]string{"--from=old", "--to=rendered-new"}, &out)
	require.NoError(t, err)
	table := newTable(&out, opts)

	bare := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	require.NoError(t, table.print(bare))
	assert.Equal(t, 2, strings.Count(out.String(), "\n"), "a header and a row")
	assert.True(t, strings.HasSuffix(out.String(), "\nworker-0\n"), "nothing is shown of what is missing")

	bare.ResourceVersion = "2"
	require.NoError(t, table.print(bare))
	assert.Equal(t, 2, strings.Count(out.String(), "\n"), "no row twice")

	bare.Spec.Pool.Name = "worker"
	require.NoError(t, table.print(bare))
	assert.Equal(t, 3, strings.Count(out.String(), "\n"), "no header twice")
}

func TestRowsStop(t *testing.T) {
	object := func(version string) *mcfgv1.MachineConfigNode {
		return &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", ResourceVersion: version}}
	}
	expired := &metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Message: "too old resource version"}
	for name, tc := range map[string]struct {
		events []watch.Event
		err    string // of a watch that has ended, or has failed
	}{
		"at the last version":  {[]watch.Event{{Type: watch.Modified, Object: object("9")}, {Type: watch.Modified, Object: object("10")}}, ""},
		"after it":             {[]watch.Event{{Type: watch.Modified, Object: object("11")}}, ""},
		"over a deletion":      {[]watch.Event{{Type: watch.Deleted, Object: object("9")}, {Type: watch.Added, Object: object("10")}}, ""},
		"when the watch ends":  {[]watch.Event{{Type: watch.Modified, Object: object("9")}}, "the last rows are missing: the watch has ended"},
		"when the watch fails": {[]watch.Event{{Type: watch.Error, Object: expired}}, "the last rows are missing: the watch has failed: too old resource version"},
	} {
		t.Run(name, func(t *testing.T) {
			events := make(chan watch.Event, len(tc.events))
			for _, e := range tc.events {
				events <- e
			}
			if tc.err != "" {
				close(events)
			}
			r := &rows{table: newTable(&bytes.Buffer{}, options{}), last: make(chan string, 1), done: make(chan error, 1)}
			go func() { r.done <- r.print(events, "8") }()
			err := r.until(t.Context(), "10")
			if tc.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, tc.err)
			}
		})
	}
}
