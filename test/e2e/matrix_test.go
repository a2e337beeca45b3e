package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
)

const securityDoc = "../../docs/security.md"

type nodes = mcfgclient.MachineConfigNodeInterface

// attempts holds the requests of the matrix, each on one object, in the order of the docs.
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

func only(name string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: "metadata.name=" + name}
}

// identities holds the columns of the matrix, in the order of the docs: the users that can make
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

func TestAnswersEqualTheTablesOfTheDocs(t *testing.T) {
	needGuards(t, standard)
	for heading, guard := range map[string]scope.Guard{
		"## With the guard's role":   fullGuard,
		"## With every verb granted": wideGuard,
	} {
		t.Run(strings.TrimPrefix(heading, "## "), func(t *testing.T) {
			t.Logf("\n%s", heading)
			got := matrix(t, guard)
			t.Logf("\n%s\n", got)
			assert.Equal(t, tableUnder(t, heading), got, "compare %s", securityDoc)
		})
	}
}

// matrix returns the table of the answers.
func matrix(t *testing.T, guard scope.Guard) string {
	t.Helper()
	i := newIdentity(t, standard, guard)
	prefix := withDefaults(guard).Name + "-matrix-"
	own, other := unguardedNodeOn(t, standard, prefix+"own"), unguardedNodeOn(t, standard, prefix+"other")

	header, line := "| object | request |", "|---|---|"
	var clients []nodes
	for _, id := range identities {
		header, line = header+" "+id.name+" |", line+"---|"
		clientset, err := mcfgclientset.NewForConfig(id.config(i, own.name))
		require.NoError(t, err)
		clients = append(clients, clientset.MachineconfigurationV1().MachineConfigNodes())
	}
	rows := []string{header, line}
	for object, w := range map[string]*testNode{"own": own, "other": other} {
		for _, attempt := range attempts {
			row := fmt.Sprintf("| %s | %s |", object, attempt.name)
			for _, client := range clients {
				row += " " + answerOf(t, attempt.make(t.Context(), client, w.resetObject(attempt.name != "create"))) + " |"
			}
			rows = append(rows, row)
		}
	}
	return sorted(rows)
}

// sorted puts the rows of the own object first.
func sorted(rows []string) string {
	var own, other []string
	for _, row := range rows[2:] {
		if strings.HasPrefix(row, "| own |") {
			own = append(own, row)
		} else {
			other = append(other, row)
		}
	}
	return strings.Join(append(append(rows[:2:2], own...), other...), "\n")
}

// resetObject recreates the node's object, or deletes it, and returns it.
func (w *testNode) resetObject(exists bool) *mcfgv1.MachineConfigNode {
	w.t.Helper()
	client := w.admin.MachineconfigurationV1().MachineConfigNodes()
	if err := client.Delete(w.t.Context(), w.name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		require.NoError(w.t, err)
	}
	object := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, OwnerReferences: []metav1.OwnerReference{w.owner()}},
		Spec:       specFor(w.name),
	}
	if !exists {
		return object
	}
	object, err := client.Create(w.t.Context(), object, metav1.CreateOptions{})
	require.NoError(w.t, err)
	object.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "rendered-a", Desired: "rendered-a"}
	object, err = client.UpdateStatus(w.t.Context(), object, metav1.UpdateOptions{})
	require.NoError(w.t, err)
	return object
}

func (w *testNode) owner() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: w.name, UID: w.node.UID}
}

// answerOf returns what denied a request, if it was denied.
func answerOf(t *testing.T, err error) string {
	t.Helper()
	switch {
	case err == nil:
		return "yes"
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy"):
		return "no: policy"
	case apierrors.IsForbidden(err):
		return "no: RBAC"
	}
	assert.NoError(t, err, "neither allowed nor denied")
	return "?"
}

// tableUnder returns the first table under a heading of the docs.
func tableUnder(t *testing.T, heading string) string {
	t.Helper()
	data, err := os.ReadFile(securityDoc)
	require.NoError(t, err)
	_, text, found := strings.Cut(string(data), heading+"\n")
	require.True(t, found, "%s has no %q", securityDoc, heading)
	var table []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "|"):
			table = append(table, line)
		case len(table) > 0:
			return strings.Join(table, "\n")
		}
	}
	return strings.Join(table, "\n")
}
