package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/internal/inspect"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// A Monitor computes its writes from what it takes the object to be. consistency compares each such
// state, field by field, with the version of the object that a watch has received, even if others
// have written since. Every Monitor of these tests is checked, and a test fails where its Monitors
// have written and nothing was compared.
type consistency struct {
	t        *testing.T
	versions *versions
	images   bool // the CRD has configImage

	crdChanges bool // a watch that began before does not show what the CRD has got since

	mu       sync.Mutex
	waiting  map[string][]known // for the watch, by resource version
	compared int
	last     known
	writes   int // that a Monitor got an answer to
}

// known is the state of a Monitor.
type known struct {
	inspect.State
	fieldManager string
}

func newConsistency(t *testing.T, c *cluster.Cluster, name string) *consistency {
	t.Helper()
	k := &consistency{t: t, images: c == withImages.Cluster || c == withOperator.Cluster, waiting: map[string][]known{}}
	k.versions = newVersions(t, c, name, k.received)
	t.Cleanup(k.finish)
	return k
}

// instrument has a configuration count its writes, and its Monitor show its states.
func (k *consistency) instrument(c upgrademonitor.Config) upgrademonitor.Config {
	manager := c.FieldManager
	if manager == "" {
		manager = upgrademonitor.DefaultFieldManager
	}
	c.Client = &inspectedClient{Interface: c.Client, consistency: k, fieldManager: manager}
	return c
}

// wrap counts the writes that a Monitor gets an answer to, and requires each patch to have a
// precondition.
func (k *consistency) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodPatch && !hasPrecondition(request) {
			k.t.Errorf("a patch without a resource version")
		}
		response, err := next.RoundTrip(request)
		if err == nil && request.Method != http.MethodGet && response.StatusCode < http.StatusMultipleChoices {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.writes++
		}
		return response, err
	})
}

func hasPrecondition(request *http.Request) bool {
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	var sent mcfgv1.MachineConfigNode
	return json.NewDecoder(body).Decode(&sent) == nil && sent.ResourceVersion != ""
}

// inspectedClient is the client of one Monitor, which shows it its states.
type inspectedClient struct {
	mcfgclientset.Interface
	consistency  *consistency
	fieldManager string

	mu   sync.Mutex
	last inspect.State
}

func (c *inspectedClient) Inspect(s inspect.State) {
	c.mu.Lock()
	repeated := c.last.Object == s.Object && c.last.StatusLost == s.StatusLost && c.last.NoImageField == s.NoImageField
	c.last = s
	c.mu.Unlock()
	if !repeated {
		c.consistency.add(known{s, c.fieldManager})
	}
}

// add compares a state with its version, as soon as the watch has received it.
func (k *consistency) add(s known) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = s
	if v := k.versions.get(s.Object.ResourceVersion); v != nil {
		k.compare(s, v)
		return
	}
	k.waiting[s.Object.ResourceVersion] = append(k.waiting[s.Object.ResourceVersion], s)
}

// received is called with each version.
func (k *consistency) received(v *version) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.waiting[v.object.ResourceVersion] {
		k.compare(s, v)
	}
	delete(k.waiting, v.object.ResourceVersion)
}

func (k *consistency) compare(s known, v *version) {
	k.compared++
	differences := s.differences(v, k.images)
	if len(differences) > 0 && k.crdChanges {
		differences = s.differences(k.read(s.Object.ResourceVersion), k.images)
	}
	if len(differences) > 0 {
		k.t.Errorf("at resource version %s the Monitor is wrong:\n%s", s.Object.ResourceVersion, strings.Join(differences, "\n"))
	}
}

// finish compares the states whose versions the watch has missed, or not received yet.
func (k *consistency) finish() {
	k.versions.stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for resourceVersion, states := range k.waiting {
		v := k.read(resourceVersion)
		for _, s := range states {
			k.compare(s, v)
		}
	}
	k.t.Logf("%d states of Monitors compared, after %d writes", k.compared, k.writes)
	assert.False(k.t, k.writes > 0 && k.compared == 0, "nothing was compared")
}

// read returns the version at a resource version; an empty one fails the test.
func (k *consistency) read(resourceVersion string) *version {
	v, err := k.versions.read(context.Background(), resourceVersion)
	if !assert.NoError(k.t, err) || !assert.NotNil(k.t, v, "%s is no resource version of the object", resourceVersion) {
		return &version{object: &mcfgv1.MachineConfigNode{}}
	}
	return v
}

// consistencyOf returns the check of the Monitors of a node, and starts it at the first call.
func (w *testNode) consistencyOf() *consistency {
	w.t.Helper()
	if w.consistency == nil {
		w.consistency = newConsistency(w.t, w.cluster, w.name)
	}
	return w.consistency
}
