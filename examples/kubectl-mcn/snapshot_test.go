package main

import (
	encoding "encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/phases"
)

var write = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	goldenFile(t, filepath.Join("testdata", name), got)
}

// goldenFile compares text with a file.
func goldenFile(t *testing.T, file, got string) {
	t.Helper()
	if *write {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestSnapshotOfACluster(t *testing.T) {
	s := newServer(t, rollout()...)
	got := execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Zero(t, got.code, got.stderr)
	assert.Empty(t, got.stderr)
	golden(t, "snapshot.txt", got.stdout)
	assert.Equal(t, []string{"GET list machineconfigpools", "GET list machineconfignodes"}, s.requests, "no other requests")
}

func TestSnapshotFormats(t *testing.T) {
	list := asList(t, rollout()...)
	at := []string{"-f", "-", "--at", now.Format(time.RFC3339)}
	for name, args := range map[string][]string{
		"snapshot.txt":  nil,
		"wide.txt":      {"-o", "wide"},
		"snapshot.json": {"-o", "json"},
		"stuck.yaml":    {"-o", "yaml", "--state", "stuck", "worker"},
		"stuck.txt":     {"--state", "stuck"},
		"waiting.txt":   {"--state", "waiting"},
		"selected.txt":  {"-l", "zone=3"},
		"timeline.txt":  {"timeline"},
	} {
		if len(args) > 0 && args[0] == "timeline" {
			args = append([]string{"timeline"}, at...)
		} else {
			args = append(args, at...)
		}
		got := execute(t, list, args...)
		assert.Zero(t, got.code, "%s: %s", name, got.stderr)
		golden(t, name, got.stdout)
	}
}

func TestJSONIsWhatTheNodesAre(t *testing.T) {
	got := execute(t, asList(t, rollout()...), "-f", "-", "-o", "json", "--state", "updating")
	require.Zero(t, got.code, got.stderr)
	var d document
	require.NoError(t, encoding.Unmarshal([]byte(got.stdout), &d))
	require.Len(t, d.Pools, 2)
	worker := d.Pools[1]
	assert.Equal(t, documentCounts{Nodes: 6, Done: 3, Updating: 2, Waiting: 1, Stuck: 1}, worker.Counts)
	require.Len(t, worker.Nodes, 2)
	assert.Equal(t, string(phases.RebootedNode), worker.Nodes[0].Step)
	require.Len(t, worker.Stuck, 1)
	assert.Equal(t, evictionFailed, worker.Stuck[0].Message)
}

// TestStateInAnyCase: -o json has them with a capital.
func TestStateInAnyCase(t *testing.T) {
	got := execute(t, asList(t, rollout()...), "-f", "-", "--at", now.Format(time.RFC3339), "--state", "Waiting")
	assert.Zero(t, got.code, got.stderr)
	golden(t, "waiting.txt", got.stdout)
}

func TestBadArguments(t *testing.T) {
	list := asList(t, rollout()...)
	for _, test := range []struct {
		args string
		want string
	}{
		{"nope -f -", `unknown pool "nope": the pools are master, worker`},
		{"-f - -l a=b=c", `--selector "a=b=c"`},
		{"-f - --state nope", `--state "nope": use one of stuck, unreported, waiting, ordered, updating, done`},
		{"-f - -o xml", `--output "xml": use one of wide, json, yaml`},
		{"-f - -o yaml -w", "--watch"},
		{"-f - --at yesterday", `--at "yesterday"`},
		{"--at now --kubeconfig x", "--at requires -f"},
		{"--nope", "unknown flag: --nope"},
		{"-f nosuchfile", "cannot read nosuchfile: no such file or directory"},
		{"--kubeconfig nosuchfile", "nosuchfile"},
		{"timeline -f - -o json", `--output "json": use one of text, csv, svg`},
		{"timeline nope -f -", `unknown pool "nope"`},
		{"wait --timeout -5s", "--timeout -5s is negative"},
		{"wait --begin-within 5s", "--begin-within requires --from"},
		{"wait --from= ", "--from is empty"},
		{"wait -o yaml", `--output "yaml"`},
		{"wait -f -", "unknown shorthand flag"},
	} {
		got := execute(t, list, strings.Fields(test.args)...)
		assert.Equal(t, program.ExitUsage, got.code, test.args)
		assert.Empty(t, got.stdout, test.args)
		assert.Contains(t, got.stderr, test.want, test.args)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "%s: one line: %s", test.args, got.stderr)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"wait", "--help"}, {"timeline", "-h"}} {
		got := execute(t, "", args...)
		assert.Zero(t, got.code)
		assert.Contains(t, got.stdout, "Usage:")
		assert.Empty(t, got.stderr)
	}
}

func TestNoClusterAtAll(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	got := execute(t, "")
	assert.Equal(t, program.ExitUsage, got.code)
	assert.Contains(t, got.stderr, "no cluster is configured")
}

func TestServerThatRefuses(t *testing.T) {
	for _, watch := range []bool{false, true} {
		for _, test := range []struct {
			code           int
			verb, resource string
			want           string
		}{
			{http.StatusForbidden, "list", nodesResource, "not allowed to list machineconfignodes"},
			{http.StatusForbidden, "list", poolsResource, "not allowed to list machineconfigpools"},
			{http.StatusForbidden, "watch", nodesResource, "not allowed to watch machineconfignodes"},
			{http.StatusNotFound, "list", nodesResource, "has no machineconfignodes: its CRD machineconfignodes.machineconfiguration.openshift.io is not installed"},
			{http.StatusUnauthorized, "list", poolsResource, "rejects the credentials"},
		} {
			if test.verb == "watch" && !watch {
				continue
			}
			s := newServer(t, rollout()...)
			s.fail = func(verb, resource string) int {
				if verb == test.verb && resource == test.resource {
					return test.code
				}
				return 0
			}
			args := []string{"--kubeconfig", s.kubeconfig(t)}
			var got execution
			if watch {
				got.code, got.stdout, got.stderr = start(t, append(args, "-w")...).end()
			} else {
				got = execute(t, "", args...)
			}
			assert.Equal(t, program.ExitUsage, got.code, test.want)
			assert.Contains(t, got.stderr, test.want)
			assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		}
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	s := newServer(t)
	s.Close()
	for _, args := range [][]string{nil, {"-w"}, {"wait"}, {"timeline"}, {"timeline", "-w"}} {
		got := execute(t, "", append(args, "--kubeconfig", kubeconfigOf(t, s.URL))...)
		assert.Equal(t, program.ExitUsage, got.code)
		assert.Contains(t, got.stderr, "nothing listens at "+s.URL)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
}
