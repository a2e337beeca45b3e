package rolloutview

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// TestViewOnATerminal shows that the screen is redrawn, and the cursor shown at the end.
func TestViewOnATerminal(t *testing.T) {
	cluster, err := simulation.New(t.Context(), simulation.Options{Nodes: 2})
	require.NoError(t, err)
	var stdout programtest.Output
	v, err := New(&stdout, cluster, func(err error) { assert.NoError(t, err) })
	require.NoError(t, err)
	v.terminal = terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}
	v.painter.Terminal = v.terminal
	v.Begin()
	v.OnAdd(&mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}, true)
	v.OnAdd(&mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}, Spec: mcfgv1.MachineConfigNodeSpec{Pool: mcfgv1.MCOObjectReference{Name: "worker"}}}, true)
	require.NoError(t, v.End())
	v.Close()
	v.Close()
	assert.Contains(t, stdout.String(), " 1 node, 0 updating")
	assert.True(t, strings.HasSuffix(stdout.String(), "\x1b[?25h"))
}
