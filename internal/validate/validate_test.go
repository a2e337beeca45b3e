package validate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
)

func TestANilPointerInAnInterfaceIsNil(t *testing.T) {
	var (
		pointer *int
		err     error
		m       map[string]int
		slice   []int
		channel chan int
		f       func()
	)
	for name, value := range map[string]any{"nil": nil, "pointer": pointer, "interface": err, "map": m, "slice": slice, "channel": channel, "func": f} {
		assert.True(t, validate.IsNil(value), name)
	}
	for name, value := range map[string]any{
		"pointer": new(int), "interface": errors.New("x"), "map": map[string]int{}, "slice": []int{}, "func": func() {}, "int": 0, "struct": struct{}{},
	} {
		assert.False(t, validate.IsNil(value), name)
	}
}

func TestTheFirstMissingFieldIsTheError(t *testing.T) {
	path := field.NewPath("pool", "Config")
	set := validate.Field{Name: "Client", Value: new(int), Hint: "a clientset"}
	require.NoError(t, validate.Required(path))
	require.NoError(t, validate.Required(path, set))
	require.EqualError(t, validate.Required(path, validate.Field{Name: "NodeName", Value: "", Hint: "a name"}),
		"pool.Config.NodeName: Required value: a name", "an empty string is missing")

	err := validate.Required(path, set, validate.Field{Name: "Nodes", Hint: "an informer"}, validate.Field{Name: "Pools"})
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, field.ErrorTypeRequired, invalid.Type)
	assert.Equal(t, "pool.Config.Nodes", invalid.Field)
	assert.EqualError(t, err, "pool.Config.Nodes: Required value: an informer")
}
