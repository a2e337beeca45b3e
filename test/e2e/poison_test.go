package e2e

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	messageTime = "may not set a lastTransitionTime that clients cannot read"
	poison      = "2026-01-02t03:04:05z"
)

// times are forms of a time: those that the CRD accepts and Go cannot read are poison.
var times = []string{
	"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123Z", "2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05-23:59", "0001-01-01T00:00:00Z",
	poison, "2026-01-02T03:04:05z", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05x7Z", "2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05+99:99",
	"2026-01-02 03:04:05Z", "2026-02-30T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T23:59:60Z", "2026-01-02T3:04:05Z", "2026-01-02T03:04:05", "2026-01-02",
}

// TestPoisonedTimes: where the policy is in force, whatever the CRD accepts can be read by every client.
func TestPoisonedTimes(t *testing.T) {
	h := newPolicyTest(t, "poisoned")
	admin := h.admin
	dryRun := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
	write := func(c nodes, patch []byte) error {
		var unread error
		_, err := c.Patch(t.Context(), h.name, types.MergePatchType, patch, dryRun, "status")
		if err != nil && strings.Contains(err.Error(), "parsing time") {
			unread, err = err, nil // the client cannot read what the server has accepted
		}
		assert.True(t, unread == nil || c == admin, "%v", unread)
		return err
	}
	poisoned := 0
	for _, at := range times {
		patch := statuses{"Drained": "False at " + at, unowned: "False at " + at}.patch()
		accepted := write(admin, patch) == nil
		var parsed metav1.Time
		readable := json.Unmarshal([]byte(`"`+at+`"`), &parsed) == nil
		err := write(h.daemon, patch)
		if !accepted || readable {
			assert.Equal(t, accepted, err == nil, "%s: %v", at, err)
			continue
		}
		poisoned++
		deniedWith(t, err, messageTime)
		assert.ErrorContains(t, err, unowned, "it names each condition, whoever owns it")
		assert.ErrorContains(t, err, "Drained")
	}
	assert.GreaterOrEqual(t, poisoned, 6, "else the CRD does the work of the policy")

	release := `{"status":{"internalReleaseImage":{"releases":[{"name":"ocp-release-bundle-4.18.0-x86_64","conditions":[
		{"type":"Available","status":"True","reason":"Test","message":"","lastTransitionTime":"` + poison + `"}]}]}}}`
	deniedWith(t, write(h.daemon, []byte(release)), messageTime+", other than 2026-01-02T03:04:05Z: internalReleaseImage")
}

// TestPoisonedObject: one object stops every controller, until it is found and
// deleted as docs/security.md says. Where the policy is in force, the daemon cannot write it.
func TestPoisonedObject(t *testing.T) {
	f := newFleet(t)
	installGuards(t, f.cluster) // they let an administrator write it
	f.run()
	f.node("hostile", "worker", "rendered-1")
	f.eventually("hostile", exists)
	f.stop()
	_, err := f.cluster.Kubectl(t.Context(), "patch", "machineconfignode", "hostile", "--subresource=status", "--type=merge",
		"-p", string(statuses{"Drained": "False at " + poison}.patch()))
	require.NoError(t, err, "the CRD accepts it")
	_, err = f.mcfg.MachineconfigurationV1().MachineConfigNodes().List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot parse", "no typed client can list")

	f.run()
	f.runPool()
	f.node("other", "worker", "rendered-1")
	page, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	find := regexp.MustCompile(`(?m)^\$ (kubectl get machineconfignodes -o go-template.*)$`).FindSubmatch(page)
	require.NotNil(t, find)
	found, err := shell(t, f.cluster, string(find[1]))
	require.NoError(t, err)
	assert.Equal(t, "hostile Drained "+poison+"\n", found)
	_, err = f.cluster.Kubectl(t.Context(), "delete", "machineconfignode", strings.Fields(found)[0])
	require.NoError(t, err)
	f.eventually("other", hasSpec("worker", "rendered-1"))
	f.eventually("hostile", hasSpec("worker", "rendered-1"))
	f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.MachineCount == 2 })

	daemon := nodesOf(t, newIdentity(t, f.cluster, fullGuard).podToken("hostile"))
	_, err = daemon.Patch(t.Context(), "hostile", types.MergePatchType, statuses{"Drained": "False at " + poison}.patch(), metav1.PatchOptions{}, "status")
	deniedWith(t, err, messageTime)
	f.node("later", "worker", "rendered-1")
	f.eventually("later", hasSpec("worker", "rendered-1"))
}
