package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// asOC is a script in place of oc. It passes each command to kubectl, except oc adm, which does nothing.
const asOC = "#!/bin/sh\n[ \"$1\" = adm ] || exec kubectl \"$@\"\n"

var (
	nextCommand  = regexp.MustCompile(`(?m)next: (.+)$`)
	podOnNode    = regexp.MustCompile(`spec\.nodeName=([^) ]+)`)
	shBlock      = regexp.MustCompile("(?s)```sh\n(.*?)```")
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	needsCluster = regexp.MustCompile(`^kubectl |KUBECONFIG"|^cd test`)
	misused      = regexp.MustCompile(`unknown (command|flag|shorthand flag)|flag needs an argument|is a required argument|error: (expected|invalid|unable to parse)|Usage:|command not found`)
)

// commands returns a folder with the programs kubectl-mcn and oc.
func commands(t *testing.T) (dir string) {
	t.Helper()
	dir = build(t, "cmd/kubectl-mcn")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "oc"), []byte(asOC), 0o755))
	return dir
}

// kubectl knows each command, with its flags, that a golden screen advises to run next. The object that the command names
// need not exist.
func TestMCNNextCommandsRun(t *testing.T) {
	dir := commands(t)
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	const goldens = "../../cmd/kubectl-mcn/internal/command/testdata/"
	screens, err := filepath.Glob(goldens + "*.txt")
	require.NoError(t, err)
	real, err := filepath.Glob(goldens + "real/*.txt")
	require.NoError(t, err)
	printed := map[string]bool{}
	for _, file := range append(screens, real...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range nextCommand.FindAllStringSubmatch(string(text), -1) {
			printed[match[1]] = true
		}
	}
	require.Greater(t, len(printed), 12)

	daemon := newIdentity(t, standard, fullGuard)
	daemon.create()
	hasPod := map[string]bool{} // by node: a node has one daemon
	for command := range printed {
		node := podOnNode.FindStringSubmatch(command)
		if node != nil && !hasPod[node[1]] {
			hasPod[node[1]] = true
			daemon.pod(node[1])
		}
		out, err := shell(t, standard, command, dir)
		assert.NotRegexp(t, misused, out, command)
		if node != nil && strings.Contains(command, " logs ") { // the selector of the command finds the Pod, whose node does not exist
			require.Error(t, err)
			assert.Regexp(t, `"`+regexp.QuoteMeta(node[1])+`" not found`, out)
		}
	}
}

// Each block of commands in docs/kubectl-mcn.md runs as a script.
func TestMCNCommandsOfThePage(t *testing.T) {
	dir := commands(t)
	newMCNPool(t, "worker", newConfig)
	require.NoError(t, cluster.InstallMachineConfigCRD(t.Context(), standard.Config()))
	newConfiguration(t)
	text, err := os.ReadFile("../../docs/kubectl-mcn.md")
	require.NoError(t, err)
	blocks := shBlock.FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(blocks), 3)
	rollout, err := filepath.Abs("../../cmd/kubectl-mcn/testdata/rollout.json")
	require.NoError(t, err)
	for _, block := range blocks {
		script := strings.NewReplacer("~/", dir+"/", "worker-4 -f dump.yaml", "worker-4 -f "+rollout, " dump.yaml", " "+dir+"/dump.yaml", "machineconfig.yaml", "/dev/null", "--timeout 1h", "--timeout 5s").Replace(block[1])
		out, err := shell(t, standard, "set -o pipefail\n"+script, dir)
		assert.NotRegexp(t, misused, out, script)
		assert.NotContains(t, out, "no such file", script)
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		isWaiting := strings.Contains(script, "--timeout") // the pool is never done, so wait times out
		assert.Equal(t, map[bool]int{true: 3}[isWaiting], code, "%s%s", script, out)
	}
	out, err := shell(t, standard, "kubectl __complete mcn wait --mach", filepath.Join(dir, "bin"))
	require.NoError(t, err)
	assert.Contains(t, out, "--machineconfig\t", "kubectl completes the command")
}

// Each command of the pages that needs a cluster runs, and prints the text that the page shows below the command. Package
// docs runs the other commands.
func TestTheCommandsOfTheDocsPrintWhatThePagesShow(t *testing.T) {
	installGuards(t, standard)
	unguardedNodeOn(t, standard, "worker-0").resetObject(true)
	newConfiguration(t)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)

	blocks := 0
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
			for _, command := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				line, output, _ := strings.Cut(command, "\n")
				if !needsCluster.MatchString(line) {
					continue
				}
				blocks++
				out, err := shell(t, standard, line)
				if output = strings.TrimSpace(output); output == "" {
					assert.NoError(t, err, "%s: %s: %s", page, line, out)
				}
				assert.Contains(t, out, strings.TrimPrefix(output, "… "), line)
			}
		}
	}
	assert.NotZero(t, blocks)
}
