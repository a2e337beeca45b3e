package upgrademonitor_test

import (
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// New and NewMonitors return a *field.Error for an invalid Config, and make no request.
func TestAnInvalidConfigIsAFieldError(t *testing.T) {
	type config = upgrademonitor.Config
	client := mcfgfake.NewClientset()
	node := func() (*corev1.Node, error) { return nil, nil }
	view := func(string) (*corev1.Node, error) { return nil, nil }
	for name, tc := range map[string]struct {
		change   func(*config) // changes the Config of New; nil if NewMonitors is called
		monitors *config       // the Config of NewMonitors
		field    string        // the field that is invalid, or ""
	}{
		"valid":                                {change: func(*config) {}},
		"no client":                            {change: func(c *config) { c.Client = nil }, field: "Config.Client"},
		"no node name":                         {change: func(c *config) { c.NodeName = "" }, field: "Config.NodeName"},
		"an invalid node name":                 {change: func(c *config) { c.NodeName = "Worker_0" }, field: "Config.NodeName"},
		"no Node":                              {change: func(c *config) { c.Node = nil }, field: "Config.Node"},
		"a FieldManager that is too long":      {change: func(c *config) { c.FieldManager = strings.Repeat("m", 129) }, field: "Config.FieldManager"},
		"an invalid FieldManager":              {change: func(c *config) { c.FieldManager = "a\nb" }, field: "Config.FieldManager"},
		"NewMonitors: valid":                   {monitors: &config{Client: client}},
		"NewMonitors: no client":               {monitors: &config{}, field: "Config.Client"},
		"NewMonitors: an invalid FieldManager": {monitors: &config{Client: client, FieldManager: "a\nb"}, field: "Config.FieldManager"},
		"NewMonitors: a NodeName":              {monitors: &config{Client: client, NodeName: nodeName}, field: "Config.NodeName"},
		"NewMonitors: a Node":                  {monitors: &config{Client: client, Node: node}, field: "Config.Node"},
		"NewMonitors: no function for Nodes":   {monitors: &config{Client: client}, field: "Config.Node"},
		"NewMonitors: no ctx":                  {monitors: &config{Client: client}, field: "ctx"},
		"no ctx":                               {change: func(*config) {}, field: "ctx"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, view := t.Context(), view
			if tc.field == "ctx" {
				ctx = nil
			}
			var err error
			if tc.monitors != nil {
				if name == "NewMonitors: no function for Nodes" {
					view = nil
				}
				_, err = upgrademonitor.NewMonitors(ctx, *tc.monitors, view)
			} else {
				c := config{Client: client, NodeName: nodeName, Node: node}
				tc.change(&c)
				_, err = upgrademonitor.New(ctx, c)
			}
			if tc.field == "" {
				require.NoError(t, err)
				return
			}
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, strings.ToLower(tc.field[strings.LastIndex(tc.field, ".")+1:]), strings.ToLower(invalid.Field[strings.LastIndex(invalid.Field, ".")+1:]))
		})
	}
	assert.Empty(t, client.Actions())
}

// lastTransitionTime is the time of Config.Clock, and each write has Config.FieldManager. Without Config.Pool, the spec
// keeps its pool.
func TestClockFieldManagerAndPoolAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := time.Date(2036, 5, 22, 12, 37, 24, 0, time.UTC)
		f := newUpdated(t)
		f.another(t, func(c *upgrademonitor.Config) { c.Clock = clocktesting.NewFakePassiveClock(at) }).report(t, phases.Drained, metav1.ConditionUnknown)
		assert.True(t, f.condition(phases.Drained).LastTransitionTime.Time.Equal(at))

		for manager, want := range map[string]string{"": "machine-config-operator", "mine": "mine"} {
			clientset := mcfgfake.NewClientset(f.object())
			g := f.another(t, func(c *upgrademonitor.Config) { c.Client, c.Pool, c.FieldManager = clientset, nil, manager })
			g.annotate(oldConfig, newConfig)
			require.NoError(t, g.syncSpec(t))
			write, ok := clientset.Actions()[1].(clienttesting.PatchActionImpl)
			require.True(t, ok)
			assert.Equal(t, want, write.PatchOptions.FieldManager)
			mcn, err := clientset.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), nodeName, metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, []string{"worker", newConfig}, []string{mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired})
		}
	})
}

const module = "github.com/openshift/upgrademonitor/"

// A new dependency must be added to the list of this test. The linter depguard checks imports between our packages.
func TestTheLibraryNeedsOnlyClientGoAndItsDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+"upgrademonitor/...", module+"scope/...").Output()
	require.NoError(t, err)
	for _, dep := range strings.Fields(string(out)) {
		expected := slices.ContainsFunc(dependencies, func(prefix string) bool { return strings.HasPrefix(dep, prefix) })
		assert.True(t, expected, "%s is a new dependency", dep)
	}
}

// dependencies lists the modules that the library imports, and then the modules that client-go imports.
var dependencies = []string{
	module, "github.com/openshift/api/", "github.com/openshift/client-go/machineconfiguration/", "github.com/openshift/client-go/operator/",
	"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/client-go/", "k8s.io/klog/v2", "k8s.io/utils/", "sigs.k8s.io/yaml",
	"github.com/davecgh/go-spew/", "github.com/emicklei/go-restful/", "github.com/fxamacker/cbor/", "github.com/go-logr/logr",
	"github.com/go-openapi/", "github.com/google/gnostic-models/", "github.com/google/uuid", "github.com/json-iterator/go",
	"github.com/modern-go/", "github.com/munnerz/goautoneg", "github.com/pmezard/go-difflib/", "github.com/x448/float16", "go.yaml.in/yaml/",
	"golang.org/x/", "google.golang.org/protobuf/", "gopkg.in/evanphx/json-patch", "gopkg.in/inf.v0",
	"k8s.io/kube-openapi/", "sigs.k8s.io/json", "sigs.k8s.io/randfill", "sigs.k8s.io/structured-merge-diff/",
}

func TestADaemonVendorsAtMostElevenPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"upgrademonitor").Output()
	require.NoError(t, err)
	own := slices.DeleteFunc(strings.Fields(string(out)), func(dep string) bool { return !strings.HasPrefix(dep, module) })
	assert.LessOrEqual(t, len(own), 11, "%v", own)
	assert.NotContains(t, own, module+"scope/guard")
}

func TestATimeoutOfAnyLengthIsValid(t *testing.T) {
	for _, timeout := range []time.Duration{-1, math.MaxInt64} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, func(c *upgrademonitor.Config) { c.Timeout = timeout })
			f.report(t, phases.Updated, metav1.ConditionTrue)
			require.NoError(t, f.syncSpec(t))
			require.NoError(t, f.Flush(t.Context()))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, func(c *upgrademonitor.Config) { c.Timeout = time.Second })
		f.takes(hangs)
		assert.Equal(t, time.Second, took(func() { f.queues(t, phases.NodeDegraded, metav1.ConditionTrue) }))
		f.recovers()
		require.NoError(t, f.Flush(t.Context()))
	})
}
