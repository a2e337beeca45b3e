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

var operatorDegraded = components.TypeOf(components.Operator, components.Degraded)

// TestComponentsNeedTheirRole: 403 until an administrator grants components.yaml.
func TestComponentsNeedTheirRole(t *testing.T) {
	c := newConfiguration(t)
	p := c.run(components.Operator, impersonate(standard.Config(), operatorNamespace, "not-yet", nil))
	p.operatorSync(nil)
	until(t, func() bool { return p.requests.answered(http.StatusForbidden) >= 2 }, p)
	assert.Empty(t, c.condition(operatorDegraded))
	c.install("granted", "machine-config-operator", "not-yet")
	c.until(operatorDegraded, metav1.ConditionFalse, p)
	c.untouched()
}

// TestComponentsWaitForTheObject: nothing creates it.
func TestComponentsWaitForTheObject(t *testing.T) {
	c := newConfiguration(t)
	c.delete()
	p := c.run(components.Operator, standard.Config())
	p.operatorSync(nil)
	p.clock.Step(time.Hour)
	c.create()
	c.until(operatorDegraded, metav1.ConditionFalse, p)
	assert.Equal(t, 1, p.requests.all())
	c.delete() // before the informer has noticed: 404, or nothing
	p.operatorSync(errSync)
	p.clock.Step(3 * time.Minute)
	c.create()
	c.until(operatorDegraded, metav1.ConditionTrue, p)
	c.untouched()
}

// TestComponentsOutliveAnInvalidStatus of others: the CRD's rules validate the whole object, so that a
// valid write gets 422 until the object is repaired.
func TestComponentsOutliveAnInvalidStatus(t *testing.T) {
	c := newConfiguration(t)
	restore := c.withoutRules()
	c.patch("operator", `{"status":{"bootImageSkewEnforcementStatus":{"mode":"Automatic","automatic":{"ocpVersion":"4.20.0"}}}}`)
	restore()
	p := c.run(components.Operator, standard.Config())
	p.operatorSync(nil)
	until(t, func() bool { return p.requests.answered(http.StatusUnprocessableEntity) >= 2 }, p)
	c.patch("operator", `{"status":{"bootImageSkewEnforcementStatus":null}}`)
	c.until(operatorDegraded, metav1.ConditionFalse, p)
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

// TestComponentsHealAfterStaleWrites of the whole status, ten in a row, without and with old
// conditions.
func TestComponentsHealAfterStaleWrites(t *testing.T) {
	c := newConfiguration(t)
	without := c.object()
	p := c.run(components.Operator, standard.Config())
	c.until(operatorDegraded, metav1.ConditionUnknown, p)
	old := c.object()
	p.operatorSync(nil)
	c.until(operatorDegraded, metav1.ConditionFalse, p)
	before := p.requests.all()
	for i := range 10 {
		if i%2 == 0 {
			c.putStatus(without)
		} else {
			c.putStatus(old)
		}
		p.clock.Step(30 * time.Second)
	}
	c.until(operatorDegraded, metav1.ConditionFalse, p)
	t.Logf("%d writes", p.requests.all()-before)
	assert.LessOrEqual(t, p.requests.all()-before, 10)
	assert.Zero(t, p.requests.answered(http.StatusConflict, http.StatusUnprocessableEntity))
	c.untouched()
}

// TestComponentsOfTwoLeaders: the old leader has not noticed yet that it has lost the Lease. Each
// repairs what the other writes, more and more slowly, and nothing else is lost.
func TestComponentsOfTwoLeaders(t *testing.T) {
	c := newConfiguration(t)
	earlier := c.run(components.Operator, standard.Config())
	earlier.operatorSync(errSync)
	c.until(operatorDegraded, metav1.ConditionTrue, earlier)
	later := c.run(components.Operator, standard.Config())
	later.operatorSync(nil) // resolves the error that it has taken over
	began := later.clock.Now()
	until(t, func() bool { return later.requests.all() >= 5 && earlier.requests.all() >= 5 }, earlier, later)
	hours := int(later.clock.Since(began) / time.Hour)
	t.Logf("%d and %d writes in %d hours", earlier.requests.all(), later.requests.all(), hours)
	assert.LessOrEqual(t, later.requests.all(), 10+6*hours)
	assert.LessOrEqual(t, earlier.requests.all(), 10+6*hours+2)
	earlier.stop()
	c.until(operatorDegraded, metav1.ConditionFalse, later)
	assert.Zero(t, earlier.requests.answered(http.StatusConflict)+later.requests.answered(http.StatusConflict))
	c.untouched()
}
