package pool_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// Status returns what machine-config-operator's unit tests expect, except for the differences in testdata/mco-status.md.
func TestStatusMeetsTheUnitTestsOfMachineConfigOperator(t *testing.T) {
	table, err := os.ReadFile("testdata/mco-status.md")
	require.NoError(t, err)
	cases := 0
	for line := range strings.Lines(string(table)) {
		row := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(row) != 5 || !strings.Contains(row[3], "=") {
			continue
		}
		cases++
		t.Run(row[0], func(t *testing.T) {
			p, options := poolOfMCO(row[1])
			nodes, objects := nodesOfMCO(row[2])
			status := pool.Status(p, nodes, objects, options, now)
			want := factsOf(row[3])
			for name, value := range factsOf(row[4]) {
				require.NotEqual(t, value, want[name], "the last column must not repeat %s", name)
				want[name] = value
			}
			got := resultOf(t, status)
			for name, value := range want {
				assert.Equal(t, value, got[name], name)
			}
		})
	}
	assert.Equal(t, 51, cases, "the number of cases in machine-config-operator at 7ff337a")
}

var fact = regexp.MustCompile("(\\w+)=(\\w+)|`([^`]+)`")

// factsOf reads counts and conditions like "updated=1 Updating=True", and the message of Updating.
func factsOf(cell string) map[string]string {
	facts := map[string]string{}
	for _, match := range fact.FindAllStringSubmatch(cell, -1) {
		if match[1] == "" {
			match[1], match[2] = "message", match[3]
		}
		facts[match[1]] = match[2]
	}
	return facts
}

func resultOf(t *testing.T, status mcfgv1.MachineConfigPoolStatus) map[string]string {
	result := map[string]string{"message": condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message}
	for i, name := range []string{"machines", "updated", "ready", "unavailable", "degraded"} {
		result[name] = strconv.Itoa(int(countsOf(status)[i]))
	}
	for _, name := range []mcfgv1.MachineConfigPoolConditionType{"Updated", "Updating", "Degraded"} {
		result[string(name)] = string(condition(t, status, name).Status)
	}
	return result
}

// poolOfMCO reads a cell like "V1, paused, build succeeded 12345".
func poolOfMCO(cell string) (*mcfgv1.MachineConfigPool, pool.Options) {
	parts := strings.Split(cell, ", ")
	p := newPool("worker", targets(parts[0]))
	p.Status.Configuration.Name = parts[0]
	p.Spec.Paused = strings.Contains(cell, "paused")
	build, isLayered := strings.CutPrefix(parts[len(parts)-1], "build ")
	if !isLayered {
		return p, pool.Options{}
	}
	options := pool.Options{MachineOSConfig: mosc("12345")}
	name, image, _ := strings.Cut(build, " ")
	for _, b := range builds {
		if b.name == name && b.build != nil {
			options.MachineOSBuild = b.build.DeepCopy()
			options.MachineOSBuild.Spec.MachineConfig.Name = parts[0]
			options.MachineOSBuild.Spec.MachineOSConfig.Name = "" // as in their fixtures
			options.MachineOSBuild.Status.DigestedImagePushSpec = mcfgv1.ImageDigestFormat(image)
		}
	}
	return p, options
}

var nodeOfMCO = regexp.MustCompile(`^(\d) × (\w+)/?(\w*) (\w+)/?(\w*) (\w+)( NotReady)?(?:, object (\w+)( Updated)?( NodeDegraded)?)?$`)

// nodesOfMCO reads a cell like "1 × V0 V1 Working; 2 × V0/old V1/12345 Done, object V1 Updated".
func nodesOfMCO(cell string) (all nodes, objects mcns) {
	for group := range strings.SplitSeq(cell, "; ") {
		match := nodeOfMCO.FindStringSubmatch(group)
		count, _ := strconv.Atoi(match[1])
		for range count {
			n := newNode(fmt.Sprintf("node-%d", len(all)), withState(match[6], ""))
			for name, value := range map[string]string{
				nodemeta.CurrentConfig: match[2], nodemeta.CurrentImage: match[3], nodemeta.DesiredConfig: match[4], nodemeta.DesiredImage: match[5],
			} {
				if value != "" {
					metav1.SetMetaDataAnnotation(&n.ObjectMeta, name, value)
				}
			}
			if match[7] != "" {
				n.Status.Conditions[0].Status = corev1.ConditionFalse
			}
			all = append(all, n)
			if match[8] == "" {
				continue
			}
			m := newMCN(n.Name, configs(match[8], match[8], ""))
			if match[9] == "" {
				notUpdated(m)
			}
			if match[10] != "" {
				degraded(m)
			}
			objects = append(objects, m)
		}
	}
	return all, objects
}
