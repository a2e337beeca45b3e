package command

import (
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
)

func TestWaitOnAFileDecidesByTheLastView(t *testing.T) {
	t.Parallel()
	rolledOut := append([]runtime.Object{updatedPool("worker", newConfig)}, doneNodes(3)...)
	resting := updatedPool("worker", newConfig)
	resting.Spec.Paused = true
	imaged := append([]runtime.Object{updatedPool("worker", newConfig)}, doneNodes(1)...)
	withImage := imaged[1].(*mcfgv1.MachineConfigNode)
	withImage.Spec.ConfigImage.DesiredImage, withImage.Status.ConfigImage.CurrentImage = image("a"), image("a")
	requested := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	request(requested, newConfig, now.Add(-time.Minute))
	pinning := doneNodes(1)
	setCondition(pinning[0].(*mcfgv1.MachineConfigNode), phases.PinnedImageSetsDegraded, 5*time.Minute, "no space left on device")
	counted := newPool("worker", newConfig)
	counted.Spec.Paused, counted.Status.MachineCount = true, 2
	late := newPool("worker", newConfig)
	late.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-10 * time.Minute))
	for name, test := range map[string]struct {
		objects []runtime.Object
		args    string
		code    int
		stdout  string
		stderr  string
	}{
		"stuck":                    {rollout(), "wait worker --tolerate 5h", exitFailed, "next: oc get pdb -n shop", "not done in stdin: worker 3/6 to 22222222, 1 rebooting, 1 stuck, 1 waiting, blocked\n"},
		"waiting":                  {append([]runtime.Object{newPool("worker", "rendered-worker-33333333")}, doneNodes(3)...), "wait --tolerate 0s", exitFailed, "3 waiting", "not done in stdin: worker 0/3 to 33333333, 3 waiting\n"},
		"blocked":                  {situations["blocked"](), "wait", exitFailed, "next: oc get nodes", "not done in stdin: worker 0/3 to 33333333, 3 waiting, blocked\n"},
		"paused":                   {situations["paused"](), "wait", exitFailed, "paused", "not done in stdin: worker 0/4 to 33333333, 3 waiting, 1 unreported, paused\n"},
		"paused, only the status":  {[]runtime.Object{counted}, "wait --tolerate 0s", exitFailed, "", "failed: worker 0/2 to 22222222, 2 not updated, paused\n"},
		"degraded":                 {situations["degraded"](), "wait worker", exitFailed, "degraded for 35m", "failed: worker 3/10 to 22222222, 1 rebooting, 5 stuck, 1 waiting, blocked\n"},
		"no pools":                 {doneNodes(3), "wait", exitFailed, "no MachineConfigPools in stdin", "not done in stdin: worker 0/3, 3 idle, the target is not known\n"},
		"done":                     {rolledOut, "wait", 0, "worker 3/3 to 22222222\ndone\n", ""},
		"done, paused":             {append([]runtime.Object{resting}, doneNodes(3)...), "wait --tolerate 0s", 0, "worker 3/3 to 22222222, paused\ndone\n", ""},
		"not rendered":             {append(doneNodes(3), with(updatedPool("worker", newConfig), "RenderDegraded", time.Hour, "duplicate osImageURL")), "wait", exitFailed, "", "failed: worker 3/3 to 22222222, RenderDegraded\n"},
		"not Updated":              {append([]runtime.Object{late}, doneNodes(3)...), "wait --tolerate 10m", exitFailed, "", "failed: worker 3/3 to 22222222, not Updated\n"},
		"pinning":                  {append(pinning, updatedPool("worker", newConfig)), "wait", exitFailed, "\nPOOL ", "failed: worker 1/1 to 22222222, a pinned image set has failed\n"},
		"pinning, a short time":    {append(pinning, updatedPool("worker", newConfig)), "wait --at " + now.Add(-time.Second).Format(time.RFC3339), exitFailed, "\nPOOL ", "not done in stdin: worker 1/1 to 22222222, a pinned image set has failed\n"},
		"requested":                {[]runtime.Object{newPool("worker", newConfig), requested}, "wait", exitFailed, "", "not done in stdin: worker 0/1 to 22222222, 1 not started\n"},
		"not started":              {rolledOut, "wait --from " + newConfig, exitFailed, "worker 3/3", ", still the target of --from"},
		"any image":                {imaged, "wait --from " + newConfig, exitFailed, "worker 1/1 to 22222222@aaaaaaaa", ", still the target of --from"},
		"another image":            {imaged, "wait --from " + newConfig + "," + string(image("b")), 0, "done", ""},
		"failed before the update": {situations["degraded"](), "wait worker --tolerate 0s --from " + newConfig, exitFailed, "5 stuck", ", still the target of --from\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, asList(t, test.objects...), append(strings.Fields(test.args), "-f", "-")...)
			assert.Equal(t, test.code, got.code)
			assert.Contains(t, got.stdout, test.stdout)
			assert.Contains(t, got.stderr, test.stderr)
			assert.NotContains(t, got.stdout, " in -")
			assert.Equal(t, min(1, test.code), strings.Count(got.stderr, "\n"))
		})
	}
	got := execute(t, "", "wait", "-f", filepath.Join(real, "build-success-not-applied.yaml"), "--at", "now", "--tolerate", "0s")
	assert.Contains(t, got.stderr, "failed: infra 0/2 to 93e0d654, 2 waiting, its image is not applied\n")
	got = execute(t, "", "wait", "-f", filepath.Join(real, "nothing-selected.yaml"), "--at", "now", "--tolerate", "10000h")
	assert.Contains(t, got.stderr, " waiting, stalled\n")
}

// TestClusterAndFileAgree: the same objects look the same from a cluster and from a file.
func TestClusterAndFileAgree(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stuck", "blocked", "cannot-render"} {
		objects := append(situations[name](), unhealthy())
		s := newServer(t, objects...)
		budget := newBudget("web", 0, 1, 1, 2)
		s.serve("/apis/policy/v1/namespaces/shop/poddisruptionbudgets", policyv1.PodDisruptionBudgetList{Items: []policyv1.PodDisruptionBudget{*budget}})
		s.serve("/api/v1/namespaces/shop/pods/pdb-app-0", newPod("web"))
		other := newPod("web")
		other.Name = "other"
		other.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(now)}}
		s.serve("/api/v1/namespaces/shop/pods", corev1.PodList{Items: []corev1.Pod{*newPod("web"), *other}})
		objects = append(objects, budget, newPod("web"), other)
		for _, n := range s.objects[coreNodes] {
			objects = append(objects, n)
		}
		list := asList(t, objects...)
		for _, args := range []string{"", "-o wide", "-o yaml", "node worker-1", "node worker-1 -o yaml", "components"} {
			got := executeAt(t, 200, "", append(strings.Fields(args), "--kubeconfig", s.kubeconfig(t))...)
			want := executeAt(t, 200, list, append(strings.Fields(args), "-f", "-")...)
			want.stdout = regexp.MustCompile(`, from stdin|from: stdin\n`).ReplaceAllString(want.stdout, "")
			assert.Zero(t, got.code, got.stderr)
			assert.Equal(t, want, got, "%s: %s", name, args)
		}
	}
}

// A cluster without objects is not an error, but there is nothing to wait for.
func TestAnEmptyClusterIsNoError(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	file := s.kubeconfig(t)
	assert.Equal(t, execution{0, "", "No resources found\n"}, execute(t, "", "--kubeconfig", file))
	assert.Contains(t, execute(t, "", "-o", "yaml", "--kubeconfig", file).stdout, "\npools: []\n")
	for want, args := range map[string][]string{
		"kubectl mcn: nothing to wait for: there are no MachineConfigPools\n":                                                                           {"wait"},
		`kubectl mcn: there is no MachineConfiguration "cluster", or it has no conditions: check whether the machine-config-operator is running` + "\n": {"components"},
		`kubectl mcn: unknown node "a": no pool has a node of this name` + "\n":                                                                         {"node", "a"},
		`kubectl mcn: nothing to wait for: unknown pool "worker": the pools are none; for a node, use kubectl mcn node worker` + "\n":                   {"wait", "worker"},
	} {
		assert.Equal(t, execution{exitUsage, "", want}, execute(t, "", append(args, "--kubeconfig", file)...))
	}
	got := execute(t, "", "wait", "--kubeconfig", newServer(t, doneNodes(1)...).kubeconfig(t))
	assert.Equal(t, execution{exitUsage, "", "kubectl mcn: nothing to wait for: there are no MachineConfigPools\n"}, got)
	got = execute(t, "", "--kubeconfig", newServer(t, updatedPool("worker", newConfig)).kubeconfig(t))
	assert.Contains(t, got.stdout, "0/0      0  done\n")
	assert.NotContains(t, got.stdout, "no MachineConfigNodes", "there are no nodes")
	s.failWith(failure{"", poolsResource, http.StatusForbidden}) // only wait needs all permissions
	r := startWith(t, fastClock{start: now}, terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}, "-w", "--kubeconfig", file)
	r.await("No resources found")
}

func TestWaitFailsIfAPoolIsBlockedLongerThanTolerate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"blocked", "paused"} {
		s := newServer(t, situations[name]()...)
		held := newKubeNode("worker-0")
		held.Spec.Unschedulable = true
		s.set(held)
		r := start(t, "wait", "--tolerate", "3s", "--kubeconfig", s.kubeconfig(t))
		assert.Contains(t, r.await("worker 0/"), map[string]string{"blocked": "3 waiting", "paused": "paused"}[name], "the line shows at once that the pool is blocked or paused")
		code, stdout, stderr := r.end()
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, stderr, ", "+name+"\n")
		assert.Contains(t, stdout, name)
	}
}

// While a server starts, the first lists fail and a continue token expires. The command retries.
func TestTheCommandRetriesWhileAServerStarts(t *testing.T) {
	t.Parallel()
	s := newServer(t, append(doneNodes(4), updatedPool("worker", newConfig))...)
	s.expires = true
	assert.Contains(t, execute(t, "", "--kubeconfig", s.kubeconfig(t)).stdout, "4 nodes: 4 done")
	for _, resource := range []string{nodesResource, coreNodes} {
		assert.Equal(t, 3, s.requests("list "+resource), "the first page, the page whose token has expired, and the whole list")
	}
	s.failWith(failure{status: http.StatusServiceUnavailable})
	before := s.requests("list machineconfignodes")
	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	assert.Eventually(t, func() bool { return s.requests("list machineconfignodes") > before+1 }, 30*time.Second, 10*time.Millisecond)
	s.failWith(failure{})
	r.await("worker 4/4 to 22222222")
	_, _, stderr := r.end()
	assert.Regexp(t, "^kubectl mcn: cannot list .*; trying again\n$", stderr, "an outage is noted once")
}

// If a list is rejected, one line of the standard error names the resource, and the screen shows the rest. If nothing
// can be shown, the command ends at once.
func TestARejectedRequestIsNamedInOneLine(t *testing.T) {
	t.Parallel()
	const forbidden, notAllowed = http.StatusForbidden, "not allowed to list "
	for _, test := range []struct {
		fail           failure
		args           string
		code           int
		stdout, stderr string
	}{
		{failure{"", poolsResource, forbidden}, "", 0, "worker-4", notAllowed + poolsResource},
		{failure{"", poolsResource, forbidden}, "wait", exitUsage, "", notAllowed + poolsResource},
		{failure{"", nodesResource, forbidden}, "wait", exitUsage, "", notAllowed + nodesResource},
		{failure{"", nodesResource, forbidden}, "", 0, "worker    22222222", notAllowed + nodesResource},
		{failure{"", coreNodes, forbidden}, "", 0, "worker-4", notAllowed + coreNodes},
		{failure{"", coreNodes, forbidden}, "wait", 0, "done", notAllowed + coreNodes},
		{failure{"", configurationsResource, forbidden}, "", 0, "worker-4", notAllowed + configurationsResource},
		{failure{"", configurationsResource, forbidden}, "wait", 0, "done", ""},
		{failure{"", "", forbidden}, "", exitUsage, "", notAllowed + "machineconfig"},
		{failure{"", configurationsResource, forbidden}, "components", exitUsage, "", notAllowed + configurationsResource},
		{failure{"", "", forbidden}, "components", exitUsage, "", notAllowed + "machineconfig"},
		{failure{"", "", forbidden}, "wait", exitUsage, "", notAllowed + "machineconfig"},
		{failure{"", "", http.StatusUnauthorized}, "wait", exitUsage, "", "log in again"},
		{failure{"", "", http.StatusNotFound}, "wait", exitUsage, "", "its CRD is not installed"},
		{failure{"", nodesResource, http.StatusInternalServerError}, "", exitUsage, "", "cannot list " + nodesResource},
		{failure{"list", "", http.StatusGone}, "", exitUsage, "", "cannot list "}, // even the first page
		{failure{"watch", "", forbidden}, "", 0, "worker-4", ""},
		{failure{"watch", "", forbidden}, "node worker-4", 0, "worker-4", ""},
		{failure{"watch", "", forbidden}, "wait", exitUsage, "", "not allowed to watch "},
		{failure{"watch", coreNodes, forbidden}, "wait", exitUsage, "", "not allowed to watch " + coreNodes},
	} {
		objects := rollout()
		if test.stdout == "done" {
			objects = append(doneNodes(3), updatedPool("worker", newConfig))
		}
		s := newServer(t, objects...)
		s.failWith(test.fail)
		code, stdout, stderr := start(t, append(strings.Fields(test.args), "--kubeconfig", s.kubeconfig(t))...).end()
		assert.Equal(t, test.code, code, "%+v: %s", test, stderr)
		assert.Contains(t, stdout, test.stdout, "%+v", test)
		if test.fail.verb == "" && test.stdout == "" {
			assert.Empty(t, stdout, "%+v", test)
		}
		assert.Contains(t, stderr, test.stderr, "%+v", test)
		want := 1
		if test.stderr == "" {
			want = 0
		}
		assert.Equal(t, want, strings.Count(stderr, "\n"), "%+v: %s", test, stderr)
	}
}

// The OpenShift versions are those of the rendered MachineConfigs, which are read one by one, if the user may read them.
func TestTheOpenShiftVersionsAreReadFromTheRenderedConfigs(t *testing.T) {
	t.Parallel()
	s := newServer(t, rollout()...)
	s.releases = map[string]string{oldConfig: "4.19.12", newConfig: "4.20.1"}
	assert.Contains(t, execute(t, "", "--kubeconfig", s.kubeconfig(t)).stdout, "OpenShift 4.19.12 -> 4.20.1\n")
	assert.Contains(t, execute(t, "", "node", "worker-4", "--kubeconfig", s.kubeconfig(t)).stdout, "from       "+oldConfig+", OpenShift 4.19.12\nto         "+newConfig+", OpenShift 4.20.1\n")
	assert.Equal(t, "4.20.1", execute(t, "", "worker", "-o", "jsonpath={.pools[0].release}", "--kubeconfig", s.kubeconfig(t)).stdout)
	s.failWith(failure{"", "rendered-", http.StatusForbidden})
	got := execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.NotContains(t, got.stdout, "OpenShift")
	assert.Empty(t, got.stderr)

	list := asList(t, updatedPool("infra", "rendered-infra-1"), updatedPool("master", "rendered-master-1"), updatedPool("worker", newConfig),
		config("rendered-infra-1", "4.20.1"), config("rendered-master-1", "4.20.2"), config(newConfig, "4.20.1"))
	assert.Contains(t, execute(t, list, "-f", "-").stdout, "OpenShift master 4.20.2, infra 4.20.1, worker 4.20.1\n")
}

// If the user may list Nodes, the screen says which nodes are unavailable, and which objects have no Node.
func TestTheScreenNamesUnavailableNodes(t *testing.T) {
	t.Parallel()
	s := newServer(t, situations["blocked"]()...)
	notReady, cordoned := newKubeNode("worker-0"), newKubeNode("worker-1")
	notReady.Status.Conditions[0].Status, notReady.Status.Conditions[0].LastTransitionTime = corev1.ConditionUnknown, metav1.NewTime(now.Add(-time.Hour))
	cordoned.Spec.Unschedulable = true
	s.set(notReady, cordoned)
	got := execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Contains(t, got.stdout, "! pool worker: blocked, 2 unavailable, maxUnavailable is 1: worker-0 (NotReady\n    since 13:16:05), worker-1 (cordoned)\n    next: oc describe node worker-0\n    next: oc adm uncordon worker-1\n")
	assert.Empty(t, got.stderr)
	cordoned.Annotations = map[string]string{nodemeta.DesiredDrain: "uncordon-" + oldConfig, nodemeta.LastAppliedDrain: "drain-" + oldConfig}
	s.set(cordoned)
	got = execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Contains(t, got.stdout, "    next: oc describe node worker-0\n    next: oc -n openshift-machine-config-operator logs deploy/machine-config-controller", "the daemon has asked the controller to uncordon worker-1")

	s.remove(coreNodes, "worker-2")
	got = execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Contains(t, got.stdout, "  2 nodes: 2 waiting")
	assert.Contains(t, got.stdout, "left over, a MachineConfigNode that has no Node: worker-2\n")
	assert.Equal(t, `["worker-2"]`, execute(t, "", "-o", "jsonpath={.leftover}", "--kubeconfig", s.kubeconfig(t)).stdout)
	assert.Contains(t, execute(t, "", "node", "worker-2", "--kubeconfig", s.kubeconfig(t)).stderr, `"worker-2" is left over`)
	windows := newKubeNode("win-0")
	windows.Labels = map[string]string{corev1.LabelOSStable: "windows"}
	s.set(windows)
	assert.Contains(t, execute(t, "", "node", "win-0", "--kubeconfig", s.kubeconfig(t)).stderr, `unknown node "win-0"`)

	stuck := newNode("worker-0", "worker", oldConfig, now.Add(-2*time.Hour))
	update(stuck, newConfig, now.Add(-time.Hour), phases.AppliedFilesAndOS)
	s.set(stuck)
	assert.Contains(t, execute(t, "", "node", "worker-0", "--kubeconfig", s.kubeconfig(t)).stdout, "oc describe node worker-0\n", "the screen advises to look at the Node, because the daemon of a NotReady node may not run")
}

// wait prints a new line if a Node changes, even if its MachineConfigNode does not.
func TestWaitFollowsNodes(t *testing.T) {
	t.Parallel()
	s := newServer(t, newPool("worker", newConfig), newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour)), newKubeNode("other"))
	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1 to 22222222, 1 waiting")
	n := newKubeNode("worker-0")
	n.Spec.Unschedulable = true
	s.set(n)
	r.await("worker 0/1 to 22222222, 1 waiting, blocked")
	s.remove(coreNodes, "worker-0")
	r.await("worker 0/0 to 22222222")
	r.cancel()
	code, stdout, stderr := r.end()
	assert.Equal(t, exitInterrupted, code)
	assert.NotContains(t, stdout, "POOL", "no screen")
	assert.Empty(t, stderr)
}

// If the user may not read Nodes, wait says so once, even if there is an outage in between.
func TestWaitNotesOnceThatNodesAreDenied(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	denied := failure{"", coreNodes, http.StatusForbidden}
	s.failWith(denied)
	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1 to 22222222, 1 waiting")
	s.failWith(failure{"", "", http.StatusServiceUnavailable})
	s.CloseClientConnections()
	before := s.requests("list " + coreNodes)
	assert.Eventually(t, func() bool { return s.requests("list "+coreNodes) > before+1 }, 30*time.Second, 10*time.Millisecond)
	s.failWith(denied)
	update(n, newConfig, time.Now(), "")
	s.set(n, updatedPool("worker", newConfig))
	code, stdout, stderr := r.end()
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "worker 1/1 to 22222222\ndone\n")
	assert.Equal(t, 1, strings.Count(stderr, "not allowed to list "+coreNodes), stderr)
}

func TestWithoutMachineConfigNodesTheCountsOfThePoolsAreShown(t *testing.T) {
	t.Parallel()
	p := newPool("worker", newConfig)
	p.Status.MachineCount, p.Status.UpdatedMachineCount, p.Status.Configuration.Name = 3, 2, newConfig
	s := newServer(t, p)
	s.failWith(failure{"", nodesResource, http.StatusNotFound})
	got := execute(t, "", "--kubeconfig", s.kubeconfig(t))
	assert.Contains(t, got.stdout, "2/3")
	assert.Contains(t, got.stdout, "~ no MachineConfigNodes: DONE and STUCK are the updated and the degraded")
	assert.Empty(t, got.stderr)
	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 2/3 to 22222222, 1 not updated")
	updated := updatedPool("worker", newConfig)
	updated.Status.MachineCount, updated.Status.UpdatedMachineCount = 3, 3
	s.set(updated)
	code, _, stderr := r.end()
	assert.Zero(t, code, stderr)

	p.Name = "infra"
	got = execute(t, asList(t, append(rollout(), p)...), "-f", "-")
	assert.Contains(t, got.stdout, "\n3 nodes known only from the status of the pool\n")
	assert.NotContains(t, got.stdout, "no MachineConfigNodes", "the pool worker has MachineConfigNodes")
}

func TestPrintersOfKubectlAreUnchanged(t *testing.T) {
	t.Parallel()
	list := asList(t, rollout()...)
	for format, want := range map[string]string{
		`jsonpath={range .pools[*]}{.name}{"\t"}{.counts.nodes}{"\n"}{end}`:                      "master\t0\nworker\t6\n",
		`go-template={{range .pools}}{{.name}}{{"\t"}}{{end}}`:                                   "master\tworker\t",
		`jsonpath={.pools[?(@.name=="worker")].nodes[?(@.state=="Stuck")].name}`:                 "worker-4",
		`go-template={{range .pools}}{{range .nodes}}{{if .slow}}{{.name}}{{end}}{{end}}{{end}}`: "",
	} {
		got := execute(t, list, "-f", "-", "-o", format)
		assert.Equal(t, want, got.stdout, got.stderr)
	}
}

func TestMustGathersFoldersAndFilesAreReadThroughLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	gathered, err := filepath.Abs(filepath.Join(real, "must-gather"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "folder"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "folder/dump"), []byte(asList(t, rollout()...)), 0o644))
	for link, target := range map[string]string{"latest": gathered, "link": "folder", "file": "folder/dump", "folder/more.json": "dump", "folder/loop.json": "."} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	require.NoError(t, os.Mkdir(filepath.Join(root, "broken"), 0o755))
	require.NoError(t, os.Symlink("missing", filepath.Join(root, "broken/a.json")))
	got := execute(t, "", "-f", filepath.Join(root, "broken"))
	assert.Contains(t, got.stderr, "broken/a.json: no such file or directory")
	assert.Equal(t, exitUsage, got.code, "a folder without a file that can be read is wrong usage")
	for name, want := range map[string]string{"latest": "OpenShift 4.19.9", "link": "6 nodes", "file": "6 nodes"} {
		got := execute(t, "", "-f", filepath.Join(root, name), "--at", now.Format(time.RFC3339))
		assert.Zero(t, got.code, got.stderr)
		assert.Contains(t, got.stdout, "from "+name)
		assert.Contains(t, got.stdout, want)
		assert.Empty(t, got.stderr, "other files of a must-gather cause no error")
	}
}

// docs/kubectl-mcn.md shows the current screen, and the picture has the same lines. If the picture is out of date,
// run make picture.
func TestThePageAndThePictureHaveTheScreen(t *testing.T) {
	t.Parallel()
	got := execute(t, "", "-f", "../../testdata/rollout.json", "--at", now.Format(time.RFC3339)).stdout
	page, err := os.ReadFile("../../../../docs/kubectl-mcn.md")
	require.NoError(t, err)
	_, shown, _ := strings.Cut(string(page), "## The screen\n\n```\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	assert.Equal(t, shown, got)

	picture, err := os.ReadFile("../../../../docs/kubectl-mcn.svg")
	require.NoError(t, err)
	var drawn []string
	for _, line := range regexp.MustCompile(`(?s)<text [^>]*?(?:/>|>(.*?)</text>)`).FindAllStringSubmatch(string(picture), -1) {
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(line[1], ""))
		drawn = append(drawn, strings.TrimRight(text, " "))
		if strings.HasPrefix(text, "! ") || strings.HasPrefix(text, "~ ") {
			assert.Regexp(t, `<tspan [^>]*fill="#`, line[1], text)
		}
	}
	assert.Equal(t, strings.TrimSpace(got), strings.TrimSpace(strings.Join(drawn, "\n")))
}
