package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/examples/internal/terminal"
	"github.com/openshift/upgrademonitor/phases"
)

// TestWideCutsNothing: neither a message, of a snapshot and of a move, nor the list of nodes.
func TestWideCutsNothing(t *testing.T) {
	message := strings.TrimSpace(strings.Repeat("cannot evict\x07 pod\n", 1500))
	text := strings.ReplaceAll(strings.ReplaceAll(message, "\n", " "), "\x07", `\x07`)
	objects := []runtime.Object{newPool("worker", newConfig)}
	for i := range 50 {
		objects = append(objects, newNode(fmt.Sprintf("node-%d", i), "worker", oldConfig, now.Add(-24*time.Hour)))
	}
	n := newNode("degraded", "worker", oldConfig, now.Add(-24*time.Hour))
	update(n, newConfig, now.Add(-time.Hour), phases.Drained, noop)
	report(n, phases.NodeDegraded, metav1.ConditionTrue, now.Add(-time.Minute), message)
	list := asList(t, append(objects, n)...)

	for _, args := range [][]string{{}, {"-w"}, {"--state", "stuck"}} {
		got := execute(t, list, append(args, "-f", "-")...)
		assert.NotContains(t, got.stdout, text, args)
		got = execute(t, list, append(args, "-f", "-", "-o", "wide")...)
		assert.Contains(t, got.stdout, text, args)
	}
	for format, rows := range map[string]int{"": 19, "wide": 50, "json": 50, "yaml": 50} {
		got := execute(t, list, "-f", "-", "--state", "waiting", "-o", format)
		assert.Equal(t, rows, strings.Count(got.stdout, "node-"), format)
	}
}

// TestWideIsRedrawnWithinTheTerminal: it would scroll if the terminal broke its lines.
func TestWideIsRedrawnWithinTheTerminal(t *testing.T) {
	var objects []runtime.Object
	for i := range 50 {
		n := newNode(fmt.Sprintf("node-%02d", i), "worker", oldConfig, now.Add(-24*time.Hour))
		update(n, newConfig, now.Add(-5*time.Minute), phases.Drained, noop)
		report(n, phases.Drained, metav1.ConditionUnknown, now, strings.Repeat("draining ", 500))
		objects = append(objects, n)
	}
	source := &files{cli: testProgram(nil, nil)}
	trim := trimmerOf(choice{})
	for _, n := range objects {
		source.apply(trim.store, trim, event{object: n})
	}
	drawn := &writes{}
	p := testProgram(drawn, drawn)
	p.terminal = terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}
	l := &live{snapshot{output: formatWide}, p, &terminal.Painter{Out: drawn, Terminal: p.terminal}}
	require.NoError(t, l.show(trim.store.look(now)))
	rows := strings.Split(regexp.MustCompile("\x1b\\[[?0-9]*[A-Za-z]|\r").ReplaceAllString(drawn.texts[0], ""), "\n")
	assert.Len(t, rows, 24, "with that of the cursor")
	for _, row := range rows {
		assert.LessOrEqual(t, len(row), 80, row)
	}
	assert.Contains(t, drawn.texts[0], "  node-00 ", "all are listed, not their steps")
}
