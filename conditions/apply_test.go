package conditions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

func TestToApplyEncodesAsTheConditionsDo(t *testing.T) {
	list := midway(true, nil)
	list[0].ObservedGeneration = 7
	list[1].Message = `"quotes", <angles> and é` + "\n"
	list[2].Message = ""

	apply := conditions.ToApply(list)

	require.Len(t, apply, len(list))
	for i, a := range apply {
		want, err := json.Marshal(list[i])
		require.NoError(t, err)
		got, err := json.Marshal(a)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(got))

		var back metav1.Condition
		require.NoError(t, json.Unmarshal(got, &back))
		assert.True(t, list[i].LastTransitionTime.Equal(&back.LastTransitionTime))
		back.LastTransitionTime = list[i].LastTransitionTime
		assert.Equal(t, list[i], back)
	}
	assert.Nil(t, apply[1].ObservedGeneration, "unset fields are not owned")
}

func TestToApplyOfAnEmptyListIsEmpty(t *testing.T) {
	assert.Empty(t, conditions.ToApply(nil))
	assert.Empty(t, conditions.ToApply([]metav1.Condition{}))
}
