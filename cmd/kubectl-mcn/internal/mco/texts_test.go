package mco

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// also has the patterns that match a recorded line in addition to its own pattern: it may have the texts of several
// programs, one around the other, and words of errors.
var also = map[*regexp.Regexp][]*regexp.Regexp{
	drainFailed:    {untilDrained, errorStart, errorWords},
	trackedDrain:   {untilDrained, errorStart, errorWords},
	drainTimeout:   {SeeController, errorStart, errorWords},
	SeeController:  {errorStart, errorWords},
	NotAsked:       {errorStart, errorWords},
	rebootFailed:   {errorStart, errorWords},
	notDrained:     {Webhook, errorStart, errorWords},
	toTerminate:    {notDrained, errorStart, errorWords},
	notEvicted:     {Different},
	notDeletable:   {errorStart, errorWords, Different},
	refusedSoFar:   {notDrained, errorStart, errorWords, Different},
	refused:        {errorStart, errorWords},
	Webhook:        {errorStart, errorWords, Different},
	upgradeFailure: {errorWords},
	NamedBuild:     {OfPools, errorStart, errorWords, Different},
	NamedConfig:    {errorStart, errorWords},
	requeued:       {errorWords, Different},
	OfPools:        {errorStart, errorWords},
	errorStart:     {errorWords},
	errorWords:     {Different},
	colors:         {errorStart, errorWords, Different},
	Digest:         {Different},
	Different:      {errorStart, errorWords},
}

// A line that matches another pattern, too, has two readings: one of the patterns is too wide.
func TestEachRecordedLineHasOneReading(t *testing.T) {
	for _, r := range recorded {
		assert.NotEmpty(t, r.writer, r.rule)
		for _, p := range recorded {
			want := p.pattern == r.pattern || slices.Contains(also[r.pattern], p.pattern)
			is := map[bool]string{true: "must be", false: "must not be"}[want]
			assert.Equal(t, want, p.pattern.MatchString(r.line), "%q\nof %s\n%s read as: %s", r.line, r.writer, is, p.rule)
		}
	}
}

// elsewhere has the files of the command that may have a regular expression, because it is not on a text of another program
// but on the form of a file or on its name.
var elsewhere = []string{"command/yaml.go", "source/decode.go", "source/files.go", "mco/texts.go"}

var (
	comparison = regexp.MustCompile(`^(Contains|HasPrefix|HasSuffix|Cut\w*|Trim\w+|Index|LastIndex|EqualFold)$`)
	words      = regexp.MustCompile(`[A-Za-z].* | .*[A-Za-z]`) // a name has no space
)

func TestNoOtherFileKnowsTheWordsOfATextOfOthers(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		name := filepath.ToSlash(path)[len("../"):]
		if strings.HasSuffix(name, "_test.go") || slices.Contains(elsewhere, name) {
			continue
		}
		inspect(t, path, func(n ast.Node) {
			call, _ := n.(*ast.CallExpr)
			if call == nil {
				return
			}
			function, _ := call.Fun.(*ast.SelectorExpr)
			if function == nil {
				return
			}
			assert.NotEqual(t, "MustCompile", function.Sel.Name, name)
			for _, argument := range call.Args {
				if comparison.MatchString(function.Sel.Name) {
					assert.NotRegexp(t, words, literal(argument), name)
				}
			}
		})
	}
}

// inspect calls do for each part of a Go file.
func inspect(t *testing.T, path string, do func(ast.Node)) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		do(n)
		return true
	})
}

// literal returns the value of a string literal, or "".
func literal(n ast.Node) (text string) {
	if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, _ = strconv.Unquote(l.Value)
	}
	return text
}

// The environment variable MCO names a checkout of machine-config-operator. Each text of machine-config-operator and of
// kubectl's drain is still written by the file that texts.go names, the texts of a pool by the node controller, and the
// annotations of a Node by the daemon.
func TestTheTextsAreStillWritten(t *testing.T) {
	root := os.Getenv("MCO")
	if root == "" {
		t.Skip("MCO is not set")
	}
	fill := strings.NewReplacer("%q", `"a"`, "%t", "false", "%s", "rendered-a/a", "%v", "rendered-a/a")
	for _, r := range recorded {
		program, file, _ := strings.Cut(r.writer, ": ")
		dir, isThere := map[string]string{"machine-config-controller": "", "machine-config-daemon": "", "machine-config-operator": "", "kubectl drain": "vendor"}[program]
		if !isThere {
			continue // another program writes it, or an older release
		}
		isWritten := false
		inspect(t, filepath.Join(root, dir, file), func(n ast.Node) {
			isWritten = isWritten || r.pattern.MatchString(fill.Replace(literal(n)))
		})
		assert.True(t, isWritten, "%s no longer writes %q, from which the command concludes: %s", file, r.line, r.rule)
	}
	pool := []string{
		strconv.Quote(poolwords.Target("%s", "")),
		poolwords.AllUpdated, poolwords.AllUpdating, poolwords.WillNot, poolwords.BuildFailed, poolwords.Degraded,
		strings.TrimPrefix(poolwords.Target("a", "%s"), "MachineConfig a"), strings.TrimSuffix(poolwords.Report{Node: "%s"}.String(), `""`),
	}
	for _, state := range []mcfgv1.BuildProgress{poolwords.None, poolwords.Initial, mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding,
		mcfgv1.MachineOSBuildSucceeded, mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted} {
		pool = append(pool, poolwords.BuildOf(state, false).Message("%s"), poolwords.BuildOf(state, true).Message("%s"))
	}
	var annotations []string
	for _, text := range []string{nodemeta.CurrentConfig, nodemeta.DesiredConfig, nodemeta.CurrentImage, nodemeta.DesiredImage, nodemeta.State,
		nodemeta.Reason, nodemeta.DesiredDrain, nodemeta.LastAppliedDrain, nodemeta.PostConfigAction, nodemeta.StateDone, nodemeta.StateWorking,
		nodemeta.StateDegraded, nodemeta.StateUnreconcilable, nodemeta.Drain, nodemeta.Uncordon, nodemeta.Rebooting} {
		annotations = append(annotations, strconv.Quote(text))
	}
	for file, texts := range map[string][]string{"pkg/controller/node/status.go": pool, "pkg/daemon/constants/constants.go": annotations} {
		data, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		for _, text := range texts {
			if !strings.Contains(string(data), text) {
				t.Errorf("%s no longer writes %s of internal/poolwords or internal/nodemeta", file, text)
			}
		}
	}
}
