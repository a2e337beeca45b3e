package memory_test

import (
	"testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/memory"
)

func TestConditionsOfAConfigurationAreMergedByType(t *testing.T) {
	client := memory.Configurations().OperatorV1().MachineConfigurations()
	apply := func(manager, name, reason string) (*operatorv1.MachineConfiguration, error) {
		status := applyoperatorv1.MachineConfigurationStatus().WithConditions(applymetav1.Condition().WithType(name).WithStatus("True").WithReason(reason))
		return client.ApplyStatus(t.Context(), applyoperatorv1.MachineConfiguration("cluster").WithStatus(status), metav1.ApplyOptions{FieldManager: manager, Force: true})
	}
	_, err := apply("a", "A", "First")
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	_, err = client.Create(t.Context(), &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = apply("a", "A", "First")
	require.NoError(t, err)
	_, err = apply("b", "B", "First")
	require.NoError(t, err)
	second, err := apply("a", "A", "Second")
	require.NoError(t, err)
	require.Len(t, second.Status.Conditions, 2)
	assert.Equal(t, "Second", second.Status.Conditions[0].Reason)
	again, err := apply("a", "A", "Second")
	require.NoError(t, err)
	assert.Equal(t, second.ResourceVersion, again.ResourceVersion, "an identical apply changes nothing")
}
