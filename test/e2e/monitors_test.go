package e2e

import (
	"strings"
	"testing"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/internal/inspect"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// fleetClient is the client of Monitors, each of which shows the states of its own object.
type fleetClient struct {
	mcfgclientset.Interface
	nodes map[string]*inspectedClient
}

func (c fleetClient) Inspect(s inspect.State) { c.nodes[s.Object.Name].Inspect(s) }

// The drain controller has one client for the objects of all nodes, which their daemons write too.
func TestAnUpdateByDaemonsAndTheMonitorsOfAController(t *testing.T) {
	var nodes []*testNode
	byName := map[string]*testNode{}
	client := fleetClient{nodes: map[string]*inspectedClient{}}
	for _, name := range []string{"monitors-1", "monitors-2"} {
		w := newTestNode(t, name)
		w.reportUpdated()
		client.Interface = w.admin
		client.nodes[name] = &inspectedClient{consistency: w.consistency, fieldManager: upgrademonitor.DefaultFieldManager}
		nodes, byName[name] = append(nodes, w), w
	}
	controller, err := upgrademonitor.NewMonitors(upgrademonitor.Config{Client: client, Timeout: time.Minute}, func(name string) (*corev1.Node, error) {
		return byName[name].node, nil
	})
	require.NoError(t, err)
	histories, daemons := map[string]*history{}, map[string]*upgrademonitor.Monitor{}
	for _, w := range nodes {
		histories[w.name] = watchFrom(t, w)
		daemons[w.name], _ = w.patientDaemon()
	}
	for _, hook := range rebootHooks() {
		for _, w := range nodes {
			m := daemons[w.name]
			if strings.HasPrefix(hook.name, "Cordoned") || strings.HasPrefix(hook.name, "Drained") {
				m, err = controller.Get(w.name)
				require.NoError(t, err)
			}
			require.NoError(t, hook.do(t.Context(), w, m), hook.name)
		}
	}
	for _, w := range nodes {
		histories[w.name].catchUp()
		histories[w.name].check()
		histories[w.name].checkEnded()
		assert.NotZero(t, client.nodes[w.name].last.Object, "a state of the controller was compared")
	}
}
