package command

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

// Each command lists only the resources that it shows, page by page. A command that runs on also watches them. Of resources
// that have many objects, it reads one object by its name, so that a role with resourceNames suffices.
func TestEachCommandRequestsOnlyWhatItShows(t *testing.T) {
	t.Parallel()
	const mcfg = "/apis/machineconfiguration.openshift.io/v1/"
	rolling := []string{"list /api/v1/nodes limit=100", "list " + mcfg + "machineconfignodes limit=250", "list " + mcfg + "machineconfigpools limit=250"}
	configured := []string{"list /apis/operator.openshift.io/v1/machineconfigurations limit=250"}
	version := []string{
		"list /apis/config.openshift.io/v1/clusteroperators fieldSelector=metadata.name=machine-config limit=250",
		"list /apis/config.openshift.io/v1/clusterversions fieldSelector=metadata.name=version limit=250",
	}
	change := []string{"list " + mcfg + "machineconfigs fieldSelector=metadata.name=99-a limit=250"}
	for args, want := range map[string][]string{
		"":                                 slices.Concat(rolling, configured, version),
		"-o json":                          slices.Concat(rolling, configured, version),
		"-w":                               watched(rolling, configured, version),
		"node worker-0":                    rolling,
		"components":                       configured,
		"wait":                             watched(rolling),
		"wait worker --machineconfig 99-a": watched(rolling, change),
	} {
		s := newServer(t, append(rollout(), unhealthy())...)
		screen := terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}
		r := startWith(t, fastClock{start: time.Now()}, screen, append(strings.Fields(args), "--kubeconfig", s.kubeconfig(t))...)
		r.await(" ") // the first output needs all lists
		assert.Eventually(t, func() bool { return len(s.seen()) >= len(want) }, 10*time.Second, time.Millisecond, args)
		assert.ElementsMatch(t, want, s.seen(), args)
	}
}

// watched returns the requests that list resources, and those that watch them.
func watched(lists ...[]string) []string {
	all := slices.Concat(lists...)
	for _, list := range all {
		path, _, _ := strings.Cut(strings.TrimPrefix(list, "list "), " limit=")
		all = append(all, "watch "+path)
	}
	return all
}

// seen returns the different requests for lists and watches so far.
func (s *server) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.urls))
}
