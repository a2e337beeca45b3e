package pool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// The message of Degraded contains all causes. The middle of a message that is too long is cut out.
func TestTheMessageOfDegradedHasAllCauses(t *testing.T) {
	text := func(n int) string { return strings.Repeat("é", n/2) }
	for name, test := range map[string]struct {
		node, image, render string // the causes; "" means no cause
		want                string // a regular expression
	}{
		"three":             {text(1000), "no registry", "no base", "^Node worker-0 is reporting: \"é{500}\" See .*/worker-0. Custom OS image build failed: no registry. RenderDegraded: no base$"},
		"one":               {"", "", text(8192), "^é+$"},
		"three long causes": {text(30000), text(30000), text(30000), "^Node worker-0 is reporting: \"é.*… \\[truncated\\]é+$"},
		"invalid UTF-8":     {strings.Repeat("a\xff", 3500), "", strings.Repeat("a\xff", 3500), `^Node worker-0 is reporting: "(a\\xff)+.*… \[truncated\](a?\x{FFFD})+$`},
	} {
		p, m := newPool("worker"), newMCN("worker-0")
		if test.node != "" {
			withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, test.node)(m)
		}
		for name, message := range map[mcfgv1.MachineConfigPoolConditionType]string{mcfgv1.MachineConfigPoolImageBuildDegraded: test.image, mcfgv1.MachineConfigPoolRenderDegraded: test.render} {
			if message != "" {
				has(name, message)(p)
			}
		}
		status := statusOf(t, p, nodes{newNode("worker-0")}, mcns{m}, pool.Options{MachineOSConfig: mosc(""), MachineOSBuild: mosb(mcfgv1.MachineOSBuildFailed, "")})
		message := condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message
		assert.Regexp(t, test.want, message, name)
		assert.LessOrEqual(t, len(message), 8<<10, name)
		assert.True(t, utf8.ValidString(message), name)
	}
}

// As in machine-config-operator, a node has two entries in the message if its reason annotation differs from its object. If
// only the annotations have the error, the message does not refer to the object.
func TestANodeHasTwoEntriesIfItsErrorsDiffer(t *testing.T) {
	object := func(text string) *mcfgv1.MachineConfigNode {
		return newMCN("a", withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, text))
	}
	const reboot = "reboot command failed, something is seriously wrong"
	for name, test := range map[string]struct {
		node *corev1.Node
		mcn  *mcfgv1.MachineConfigNode
		want string
	}{
		"the text of the object is longer": {
			newNode("a", withState("Degraded", reboot)), object("Node a upgrade failure. " + reboot),
			`Node a is reporting: "Node a upgrade failure. ` + reboot + `", Node a is reporting: "` + reboot + `"`,
		},
		"both have different texts":                                           {newNode("a", withState("Degraded", "x")), object("y"), `Node a is reporting: "y", Node a is reporting: "x"`},
		"the text of the object has the prefix of an update":                  {newNode("a"), object("Action during update to " + oldConfig + ": x"), `Node a is reporting: "x"`},
		"both have the same text":                                             {newNode("a", withState("Degraded", "x")), object("x"), `Node a is reporting: "x"`},
		"only the object has an error":                                        {newNode("a"), object("x"), `Node a is reporting: "x"`},
		"the object has an error, and the reason annotation has another text": {newNode("a", withState("Working", "y")), object("x"), `Node a is reporting: "x", Node a is reporting: "y"`},
		"only the annotations have an error":                                  {newNode("a", withState("Degraded", "x")), newMCN("a"), `Node a is reporting: "x"`},
		"the annotations have an error, and there is no object":               {newNode("a", withState("Degraded", "x")), newMCN("b"), `Node a is reporting: "x"`},
		"the object has an error without a message":                           {newNode("a"), object(""), `Node a is reporting: ""`},
		"the error has quotation marks":                                       {newNode("a"), object(`file "/etc/a": no user`), `Node a is reporting: "file \"/etc/a\": no user"`},
		"the annotations have a state and no reason":                          {newNode("a", withState("Degraded", "")), newMCN("a"), `Node a is reporting: ""`},
	} {
		t.Run(name, func(t *testing.T) {
			status := statusOf(t, newPool("worker"), nodes{test.node}, mcns{test.mcn}, pool.Options{})
			c := condition(t, status, mcfgv1.MachineConfigPoolNodeDegraded)
			want := test.want
			if !strings.Contains(name, "annotations") {
				want += " See oc describe machineconfignode/a"
			}
			assert.Equal(t, want, c.Message)
			assert.Equal(t, "1 nodes are reporting degraded status on sync", c.Reason)
		})
	}
}

// The message advises to describe the first object that has an error.
func TestTheMessageNamesTheFirstObjectWithAnError(t *testing.T) {
	ns := nodes{newNode("a", withState("Degraded", "x")), newNode("b")}
	b := newMCN("b", withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, "y"))
	status := statusOf(t, newPool("worker"), ns, mcns{newMCN("a"), b}, pool.Options{})
	want := `Node a is reporting: "x", Node b is reporting: "y" See oc describe machineconfignode/b`
	assert.Equal(t, want, condition(t, status, mcfgv1.MachineConfigPoolNodeDegraded).Message)
}

// The message is exactly as long as the limit.
func TestALongErrorIsKeptIfItFits(t *testing.T) {
	const format = `Node a is reporting: "%s", Node b is reporting: "y", Node c is reporting: "z"`
	long := strings.Repeat("x", 8<<10-len(format)+len("%s"))
	ns := nodes{newNode("a", withState("Degraded", long)), newNode("b", withState("Degraded", "y")), newNode("c", withState("Degraded", "z"))}
	status := statusOf(t, newPool("worker"), ns, nil, pool.Options{})
	assert.Equal(t, fmt.Sprintf(format, long), condition(t, status, mcfgv1.MachineConfigPoolNodeDegraded).Message)
}

func TestTheFifteenthDegradedNodeIsCounted(t *testing.T) {
	var ns nodes
	for i := range 15 {
		ns = append(ns, newNode(fmt.Sprintf("worker-%02d", i), withState("Degraded", "x")))
	}
	for nodes, end := range map[int]string{14: `"x"$`, 15: `"x", and 1 more$`} {
		status := statusOf(t, newPool("worker"), ns[:nodes], nil, pool.Options{})
		assert.Regexp(t, `Node worker-13 is reporting: `+end, condition(t, status, mcfgv1.MachineConfigPoolNodeDegraded).Message)
	}
}

// broken returns n degraded nodes. Each has two errors, which are as long as the CRD allows.
func broken(n int) (nodes, mcns) {
	cause := strings.Repeat("é", 32768)
	ns, ms := make(nodes, n), make(mcns, n)
	for i := range ns {
		name := fmt.Sprintf("worker-%04d", i)
		ns[i] = newNode(name, notReady, withState("Degraded", strings.Repeat("x", 2000)))
		ms[i] = newMCN(name, updating,
			withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, cause),
			withCondition(mcfgv1.MachineConfigNodePinnedImageSetsDegraded, metav1.ConditionTrue, cause))
	}
	return ns, ms
}

// With 5,000 degraded nodes, the status stays far below etcd's limit of 1.5 MB.
func TestTheStatusOfFiveThousandDegradedNodesIsSmall(t *testing.T) {
	ns, ms := broken(5000)
	render := strings.Repeat("no base config ", 20)
	status := pool.Status(newPool("worker", has("RenderDegraded", render)), ns, ms, pool.Options{}, now)
	text, err := json.Marshal(status)
	require.NoError(t, err)
	assert.Less(t, len(text), 25<<10)
	assert.Equal(t, counts{5000, 0, 0, 5000, 5000}, countsOf(status))
	cut := `Node worker-0000 is reporting: "é+… \[truncated\]é+", Node worker-0000 is reporting: "x+… \[truncated\]x+", Node worker-0001 is reporting: .*, and 4986 more See oc describe machineconfignode/worker-0000`
	message := condition(t, status, mcfgv1.MachineConfigPoolNodeDegraded).Message
	assert.Regexp(t, "^"+cut+"$", message)
	assert.Equal(t, 28, strings.Count(message, " is reporting: "), "the message has the two errors of fourteen nodes")
	assert.LessOrEqual(t, len(message), 8<<10)
	assert.Contains(t, condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message, ". RenderDegraded: "+render)
}

// BenchmarkStatus measures pools of 5,000 nodes. In one pool, a tenth of the nodes are being updated, and 40 % wait.
// In the other pool, all nodes are degraded.
func BenchmarkStatus(b *testing.B) {
	var ns nodes
	var ms mcns
	for i := range 5000 {
		m := newMCN(fmt.Sprintf("worker-%04d", i))
		switch {
		case i%10 == 0:
			updating(m)
		case i%2 == 0:
			waiting(m)
		}
		ns, ms = append(ns, newNode(m.Name)), append(ms, m)
	}
	bad, badMCNs := broken(5000)
	for name, of := range map[string]func(p *mcfgv1.MachineConfigPool) mcfgv1.MachineConfigPoolStatus{
		"rollout": func(p *mcfgv1.MachineConfigPool) mcfgv1.MachineConfigPoolStatus {
			return pool.Status(p, ns, ms, pool.Options{}, now)
		},
		"broken": func(p *mcfgv1.MachineConfigPool) mcfgv1.MachineConfigPoolStatus {
			return pool.Status(p, bad, badMCNs, pool.Options{}, now)
		},
	} {
		b.Run(name, func(b *testing.B) {
			p := newPool("worker")
			p.Status = of(p)
			for b.Loop() {
				of(p)
			}
		})
	}
}
