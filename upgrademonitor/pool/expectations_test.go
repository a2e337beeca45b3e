package pool_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// This file checks what the tests of openshift/origin and machine-config-operator expect of the status of a pool. The
// expectations are listed in docs/expectations.tsv.

// expectedNode is a node of the pool whose Node and object agree.
type expectedNode struct {
	config, desired string // "" means newConfig
	image           string
	cordoned        bool
	degraded        string // the message of NodeDegraded
	isUpdating      bool   // UpdateExecuted is Unknown
}

func (n expectedNode) objects(name string) (*corev1.Node, *mcfgv1.MachineConfigNode) {
	current := cmp.Or(n.config, newConfig)
	desired := cmp.Or(n.desired, current)
	node := newNode(name, ordered(desired, n.image), runsConfig(current), runs(n.image))
	node.Spec.Unschedulable = n.cordoned
	mcn := newMCN(name, configs(desired, desired, current), images(n.image, n.image))
	if n.degraded != "" {
		withState("Degraded", "")(node)
		withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, n.degraded)(mcn)
	}
	if n.isUpdating {
		notUpdated(mcn)
		phase(mcfgv1.MachineConfigNodeUpdateExecuted, metav1.ConditionUnknown)(mcn)
	}
	return node, mcn
}

// textsOf returns the fields of an object as texts, such as "degradedMachineCount=0".
func textsOf(t *testing.T, object any) map[string]bool {
	t.Helper()
	data, err := json.Marshal(object)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(data, &fields))
	found := map[string]bool{}
	for name, value := range fields {
		found[fmt.Sprintf("%s=%v", name, value)] = true
	}
	return found
}

// Status returns what the tests of openshift/origin and machine-config-operator wait for, in a cluster as in each test.
func TestStatusMeetsTheTestsOfOriginAndMachineConfigOperator(t *testing.T) {
	for _, expected := range expectedPools {
		t.Run(expected.name, func(t *testing.T) {
			p := newPool("worker")
			p.Spec.Paused, p.Status.Conditions = expected.paused, expected.before
			var list []*corev1.Node
			var objects []*mcfgv1.MachineConfigNode
			for i, n := range expected.nodes {
				node, object := n.objects(fmt.Sprintf("n%d", i))
				list, objects = append(list, node), append(objects, object)
			}
			status := pool.Status(p, list, objects, expected.options(), metav1.Now())
			found := textsOf(t, status)
			messages, reasons := words{}, words{}
			for _, c := range status.Conditions {
				found[fmt.Sprintf("%s=%s", c.Type, c.Status)] = true
				messages[c.Type], reasons[c.Type] = c.Message, c.Reason
			}
			for _, want := range strings.Fields(expected.want) {
				assert.True(t, found[want], "%s: %v", want, found)
			}
			for conditionType, want := range expected.message {
				assert.Regexp(t, want, messages[conditionType])
			}
			for conditionType, want := range expected.reason {
				assert.Equal(t, want, reasons[conditionType])
			}
			if found["Updated=True"] {
				assert.Equal(t, newConfig, status.Configuration.Name, "the tests wait until the status has the config")
			}
		})
	}
}

// options returns the MachineOSConfig and the MachineOSBuild of the pool, if it has an image.
func (p expectedPool) options() pool.Options {
	switch p.build {
	case "":
		return pool.Options{}
	case noBuild:
		return pool.Options{MachineOSConfig: mosc(newImage)}
	}
	return pool.Options{MachineOSConfig: mosc(newImage), MachineOSBuild: mosb(p.build, newImage)}
}
