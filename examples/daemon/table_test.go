package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
)

// published are the rows in the documentation of MachineConfigNodes for a standard update: desired
// and current config (o: old, n: new), then the statuses from UPDATED on (T, F, or ? for Unknown).
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

func TestPublishedRows(t *testing.T) {
	text, err := os.ReadFile("testdata/update-wide.golden")
	require.NoError(t, err)
	missing := published
	for _, row := range shortened(string(text)) {
		if len(missing) > 0 && row == missing[0] {
			missing = missing[1:]
		}
	}
	assert.Empty(t, missing, "these rows are missing, or out of order")
}

// shortened returns the rows of an output in the form of published, without AGE; "-" is an empty cell.
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
		case line == "", strings.HasPrefix(line, "daemon: "), strings.HasPrefix(line, "[exit status"):
			header = "" // the end of the rows
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
		rows = append(rows, cells[2]+cells[3]+" "+cells[4]+strings.Join(cells[6:], ""))
	}
	return rows
}

// TestNoRowSkipsATransition checks that no phase changes from False to True between two rows.
func TestNoRowSkipsATransition(t *testing.T) {
	for _, file := range []string{"update-wide", "rebootless-wide", "fail-wide", "image-mode-wide", "image-mode-disable", "image-mode-rebootless", "fail-image-pulled"} {
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
	now := time.Date(2025, 5, 22, 12, 0, 0, 0, time.UTC)
	table := newTable(&out, clocktesting.NewFakePassiveClock(now), opts)

	bare := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", CreationTimestamp: metav1.NewTime(now.Add(-26 * time.Hour))}}
	require.NoError(t, table.print(bare))
	assert.Equal(t, 2, strings.Count(out.String(), "\n"), "a header and a row")
	assert.Regexp(t, `\nworker-0 +26h\n$`, out.String(), "missing fields are empty")

	bare.ResourceVersion = "2"
	require.NoError(t, table.print(bare))
	assert.Equal(t, 2, strings.Count(out.String(), "\n"), "no row twice")

	bare.Spec.Pool.Name = "worker"
	require.NoError(t, table.print(bare))
	assert.Equal(t, 3, strings.Count(out.String(), "\n"), "no header twice")
}
