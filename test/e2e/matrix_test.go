package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope/guard"
)

const accessDoc = "testdata/access.md"

// attempts has the requests of the matrix, in the order of the rows.
var attempts = []string{"create", "spec merge patch", "spec apply", "status merge patch", "status apply", "update", "status update",
	"delete", "deletecollection", "get", "list", "watch"}

// attempt makes a request on an object.
func attempt(ctx context.Context, name string, c nodes, o *mcfgv1.MachineConfigNode) (err error) {
	const head = `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode",`
	patch := func(kind types.PatchType, body string, subresources ...string) {
		options := metav1.PatchOptions{FieldManager: "matrix"}
		if kind == types.ApplyPatchType {
			options.Force = new(true)
		}
		_, err = c.Patch(ctx, o.Name, kind, []byte(body), options, subresources...)
	}
	switch name {
	case "create":
		_, err = c.Create(ctx, o, metav1.CreateOptions{FieldManager: "machine-config-operator"})
	case "spec merge patch":
		patch(types.MergePatchType, `{"spec":{"pool":{"name":"patched"}}}`)
	case "spec apply":
		patch(types.ApplyPatchType, head+`"spec":{"node":{"name":"`+o.Name+`"},"pool":{"name":"applied"},"configVersion":{"desired":"rendered-b"}}}`)
	case "status merge patch":
		patch(types.MergePatchType, `{"status":{"configVersion":{"desired":"rendered-b"}}}`, "status")
	case "status apply":
		patch(types.ApplyPatchType, head+strings.TrimPrefix(string(conditionsPatch("NodeDegraded=True")), "{"), "status")
	case "update":
		o.Spec.Pool.Name = "updated"
		_, err = c.Update(ctx, o, metav1.UpdateOptions{})
	case "status update":
		o.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "rendered-a", Desired: "rendered-b"}
		_, err = c.UpdateStatus(ctx, o, metav1.UpdateOptions{})
	case "delete":
		err = c.Delete(ctx, o.Name, metav1.DeleteOptions{})
	case "deletecollection":
		err = c.DeleteCollection(ctx, metav1.DeleteOptions{}, only(o.Name))
	case "get":
		_, err = c.Get(ctx, o.Name, metav1.GetOptions{})
	case "list":
		_, err = c.List(ctx, only(o.Name))
	case "watch":
		var events watch.Interface
		if events, err = c.Watch(ctx, only(o.Name)); err == nil {
			events.Stop()
		}
	}
	return err
}

// identities has the users of the matrix, in the order of the columns. The node own is the node of the user.
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

// Each request is allowed or denied as the tables in testdata/access.md say, for each kind of user, and for the object of
// the user's node and of another node.
func TestAnswersEqualTheTables(t *testing.T) {
	installGuards(t, standard)
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

// matrix makes all requests with the identities of a guard, and returns the table of the answers.
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
		for _, name := range attempts {
			row := fmt.Sprintf("| %s | %s |", []string{"own", "other"}[i], name)
			for _, client := range clients {
				row += " " + answerOf(t, attempt(t.Context(), name, client, w.resetObject(name != "create"))) + " |"
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
