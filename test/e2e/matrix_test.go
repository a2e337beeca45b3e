package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope/guard"
)

const accessDoc = "testdata/access.md"

// attempts holds the requests of the matrix, each on one object, in the order of the tables.
var attempts = []struct {
	name string
	make func(ctx context.Context, c nodes, object *mcfgv1.MachineConfigNode) error
}{
	{"create", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		_, err := c.Create(ctx, o, metav1.CreateOptions{FieldManager: "machine-config-operator"})
		return err
	}},
	{"spec merge patch", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		_, err := c.Patch(ctx, o.Name, types.MergePatchType, []byte(`{"spec":{"pool":{"name":"patched"}}}`), metav1.PatchOptions{})
		return err
	}},
	{"spec apply", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		spec := mcfgapply.MachineConfigNodeSpec().
			WithNode(mcfgapply.MCOObjectReference().WithName(o.Name)).
			WithPool(mcfgapply.MCOObjectReference().WithName("applied")).
			WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().WithDesired("rendered-b"))
		_, err := c.Apply(ctx, mcfgapply.MachineConfigNode(o.Name).WithSpec(spec), metav1.ApplyOptions{FieldManager: "matrix", Force: true})
		return err
	}},
	{"status merge patch", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		_, err := c.Patch(ctx, o.Name, types.MergePatchType, []byte(`{"status":{"configVersion":{"desired":"rendered-b"}}}`), metav1.PatchOptions{}, "status")
		return err
	}},
	{"status apply", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		degraded := applymetav1.Condition().WithType("NodeDegraded").WithStatus("True").WithReason("Matrix").WithMessage("").
			WithLastTransitionTime(metav1.Unix(1_800_000_000, 0))
		status := mcfgapply.MachineConfigNodeStatus().WithConditions(degraded)
		_, err := c.ApplyStatus(ctx, mcfgapply.MachineConfigNode(o.Name).WithStatus(status), metav1.ApplyOptions{FieldManager: "matrix", Force: true})
		return err
	}},
	{"update", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		changed := o.DeepCopy()
		changed.Spec.Pool.Name = "updated"
		_, err := c.Update(ctx, changed, metav1.UpdateOptions{})
		return err
	}},
	{"status update", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		changed := o.DeepCopy()
		changed.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "rendered-a", Desired: "rendered-b"}
		_, err := c.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
		return err
	}},
	{"delete", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		return c.Delete(ctx, o.Name, metav1.DeleteOptions{})
	}},
	{"deletecollection", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		return c.DeleteCollection(ctx, metav1.DeleteOptions{}, only(o.Name))
	}},
	{"get", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		_, err := c.Get(ctx, o.Name, metav1.GetOptions{})
		return err
	}},
	{"list", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		_, err := c.List(ctx, only(o.Name))
		return err
	}},
	{"watch", func(ctx context.Context, c nodes, o *mcfgv1.MachineConfigNode) error {
		w, err := c.Watch(ctx, only(o.Name))
		if err == nil {
			w.Stop()
		}
		return err
	}},
}

// identities holds the columns of the matrix, in the order of the tables: the users that can make
// a request for the node "own".
var identities = []struct {
	name   string
	config func(i *identity, own string) *rest.Config
}{
	{"Pod token", (*identity).podToken},
	{"Node token", (*identity).nodeToken},
	{"unbound token", func(i *identity, _ string) *rest.Config { return i.unboundToken() }},
	{"impersonated, claim", func(i *identity, own string) *rest.Config { return i.impersonated(onNode(own)) }},
	{"impersonated, no claim", func(i *identity, _ string) *rest.Config { return i.impersonated(nil) }},
	{"administrator", func(i *identity, _ string) *rest.Config { return i.admin }},
}

func TestAnswersEqualTheTables(t *testing.T) {
	needGuards(t, standard)
	for heading, guard := range map[string]guard.Guard{
		"## With the guard's role":   fullGuard,
		"## With every verb granted": wideGuard,
	} {
		t.Run(strings.TrimPrefix(heading, "## "), func(t *testing.T) {
			t.Logf("\n%s", heading)
			got := matrix(t, guard)
			t.Logf("\n%s\n", got)
			assert.Equal(t, tableUnder(t, heading), got, "compare %s", accessDoc)
		})
	}
}

// matrix returns the table of the answers.
func matrix(t *testing.T, guard guard.Guard) string {
	t.Helper()
	i := newIdentity(t, standard, guard)
	prefix := withDefaults(guard).Name + "-matrix-"
	own, other := unguardedNodeOn(t, standard, prefix+"own"), unguardedNodeOn(t, standard, prefix+"other")

	header, line := "| object | request |", "|---|---|"
	var clients []nodes
	for _, id := range identities {
		header, line = header+" "+id.name+" |", line+"---|"
		clients = append(clients, nodesOf(t, id.config(i, own.name)))
	}
	rows := []string{header, line}
	for i, w := range []*testNode{own, other} {
		for _, attempt := range attempts {
			row := fmt.Sprintf("| %s | %s |", []string{"own", "other"}[i], attempt.name)
			for _, client := range clients {
				row += " " + answerOf(t, attempt.make(t.Context(), client, w.resetObject(attempt.name != "create"))) + " |"
			}
			rows = append(rows, row)
		}
	}
	return strings.Join(rows, "\n")
}

// tableUnder returns the first table under a heading.
func tableUnder(t *testing.T, heading string) string {
	t.Helper()
	data, err := os.ReadFile(accessDoc)
	require.NoError(t, err)
	_, text, found := strings.Cut(string(data), heading+"\n")
	require.True(t, found, "%s has no %q", accessDoc, heading)
	_, table, _ := strings.Cut(text, "\n|")
	table, _, _ = strings.Cut("|"+table, "\n\n")
	return strings.TrimSpace(table)
}
