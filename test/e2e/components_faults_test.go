package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var (
	operatorDegraded   = components.TypeOf(components.Operator, components.Degraded)
	controllerDegraded = components.TypeOf(components.Controller, components.Degraded)
)

// TestComponentsNeedTheirRole: 403 until an administrator grants components.yaml, which is
// sufficient.
func TestComponentsNeedTheirRole(t *testing.T) {
	c := newConfiguration(t)
	config := impersonate(standard.Config(), operatorNamespace, "not-yet", nil)
	p := c.run(components.Operator, config)
	p.operatorSync(nil)
	eventually(t, func() bool { return p.requests.answered(http.StatusForbidden) >= 2 })
	assert.Empty(t, c.condition(operatorDegraded))
	c.install("granted", "machine-config-operator", "not-yet")
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	require.NoError(t, p.Clear(t.Context()), "with the same permissions")
	assert.Empty(t, c.condition(operatorDegraded))
	c.untouched()
}

// TestComponentsOutliveAnInvalidStatus of others: the CRD's rules validate the whole object, so that a valid
// write gets 422 until the object is repaired.
func TestComponentsOutliveAnInvalidStatus(t *testing.T) {
	c := newConfiguration(t)
	restore := c.withoutRules()
	c.patch("operator", `{"status":{"bootImageSkewEnforcementStatus":{"mode":"Automatic","automatic":{"ocpVersion":"4.20.0"}}}}`)
	restore()
	p := c.run(components.Operator, standard.Config())
	p.operatorSync(nil)
	eventually(t, func() bool { return p.requests.answered(http.StatusUnprocessableEntity) >= 2 })
	c.patch("operator", `{"status":{"bootImageSkewEnforcementStatus":null}}`)
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	c.untouched()
}

// withoutRules removes the CRD's rules for the whole object; restore adds them again.
func (c *configuration) withoutRules() (restore func()) {
	c.t.Helper()
	client, err := apiextensionsclient.NewForConfig(standard.Config())
	require.NoError(c.t, err)
	var rules apiextensionsv1.ValidationRules
	set := func(rules apiextensionsv1.ValidationRules) (before apiextensionsv1.ValidationRules) {
		crd, err := client.CustomResourceDefinitions().Get(c.t.Context(), "machineconfigurations.operator.openshift.io", metav1.GetOptions{})
		require.NoError(c.t, err)
		schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		before, schema.XValidations = schema.XValidations, rules
		_, err = client.CustomResourceDefinitions().Update(c.t.Context(), crd, metav1.UpdateOptions{})
		require.NoError(c.t, err)
		return before
	}
	inForce := func() bool {
		_, err := c.raw.Patch(c.t.Context(), "cluster", types.MergePatchType,
			[]byte(`{"status":{"bootImageSkewEnforcementStatus":{"mode":"Automatic","automatic":{"ocpVersion":"4.20.1"}}}}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
		if err != nil {
			require.True(c.t, apierrors.IsInvalid(err), "%v", err)
		}
		return err != nil
	}
	rules = set(nil)
	require.NotEmpty(c.t, rules)
	eventually(c.t, func() bool { return !inForce() })
	return func() {
		set(rules)
		eventually(c.t, inForce)
	}
}

// TestComponentsHealAfterStaleWrites of the whole status, ten in a row, without and with old conditions.
func TestComponentsHealAfterStaleWrites(t *testing.T) {
	c := newConfiguration(t)
	without := c.object()
	p := c.run(components.Operator, standard.Config())
	c.eventually(operatorDegraded, metav1.ConditionUnknown)
	old := c.object()
	p.operatorSync(nil)
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	before := p.quiet(t)
	for i := range 10 {
		if i%2 == 0 {
			c.putStatus(without)
		} else {
			c.putStatus(old)
		}
	}
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	after := p.quiet(t)
	t.Logf("%d writes", after-before)
	assert.LessOrEqual(t, after-before, 11)
	assert.Zero(t, p.requests.answered(http.StatusConflict, http.StatusUnprocessableEntity))
	assert.Equal(t, metav1.ConditionFalse, c.condition(operatorDegraded).Status)
	c.untouched()
}

// TestComponentsAreSwitchedOffWhileCoOwned: another process has written our conditions by a stale PUT. An
// empty apply would leave partial entries, which the CRD rejects.
func TestComponentsAreSwitchedOffWhileCoOwned(t *testing.T) {
	c := newConfiguration(t)
	without := c.object()
	before := c.run(components.Operator, standard.Config())
	before.operatorSync(nil)
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	before.quiet(t)
	before.stop()
	stale := c.object()
	c.putStatus(without)
	c.putStatus(stale) // the other manager now owns all of it
	p := c.run(components.Operator, standard.Config())
	p.operatorSync(errSync)
	c.eventually(operatorDegraded, metav1.ConditionTrue)
	p.quiet(t)
	p.stop()
	_, err := c.raw.Patch(t.Context(), "cluster", types.ApplyPatchType,
		[]byte(`{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"status":{}}`),
		metav1.PatchOptions{FieldManager: "machine-config-operator-state", Force: new(true), DryRun: []string{metav1.DryRunAll}}, "status")
	require.True(t, apierrors.IsInvalid(err), "%v", err)

	require.NoError(t, p.Clear(t.Context()))
	assert.Len(t, c.conditions(), 2, "only those of others")
	require.NoError(t, p.Clear(t.Context()), "again")
	c.putStatus(c.object()) // the object is no less valid than before

	again := c.run(components.Operator, standard.Config())
	again.operatorSync(nil)
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	require.NoError(t, again.Clear(t.Context()), "while Run is running")
	writes := again.quiet(t)
	again.operatorSync(errSync)
	assert.Equal(t, writes, again.quiet(t))
	assert.Len(t, c.conditions(), 2)
}

// TestComponentsOfTwoLeaders: the old one has not noticed yet that it has lost the lease. Each repairs what the
// other writes, with backoff, and nothing else is lost.
func TestComponentsOfTwoLeaders(t *testing.T) {
	c := newConfiguration(t)
	slowly := func(config *components.Config) {
		config.MinInterval, config.MaxInterval = 20*time.Millisecond, 10*time.Second
	}
	earlier := c.run(components.Operator, standard.Config(), slowly)
	earlier.operatorSync(errSync)
	c.eventually(operatorDegraded, metav1.ConditionTrue)
	later := c.run(components.Operator, standard.Config(), slowly)
	later.operatorSync(nil) // resolves what it has taken over
	eventually(t, func() bool { return later.requests.all() >= 3 })
	earlier.stop()
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	assert.LessOrEqual(t, earlier.requests.all(), 12, "the interval doubles")
	assert.LessOrEqual(t, later.requests.all(), 12)
	assert.Zero(t, earlier.requests.answered(http.StatusConflict)+later.requests.answered(http.StatusConflict))
	c.untouched()
}
