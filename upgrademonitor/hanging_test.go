package upgrademonitor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
)

func TestRefusalCreatesNothing(t *testing.T) {
	f := newFixture(t)
	f.clientset.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		assert.Fail(t, "created")
		return false, nil, nil
	})
	err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "", metav1.ConditionUnknown)
	var refused *phases.TransitionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, metav1.ConditionUnknown, refused.To)
}
