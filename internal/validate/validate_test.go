package validate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
)

const digest = "@sha256:1111111111111111111111111111111111111111111111111111111111111111"

func TestIsName(t *testing.T) {
	for value, want := range map[string]bool{
		"rendered-worker-1": true, "ip-10-0-1-147.ec2.internal": true, "a": true, strings.Repeat("a", 253): true,
		"": false, "Not A Name": false, "-a": false, "a/b": false, strings.Repeat("a", 254): false,
	} {
		assert.Equal(t, want, validate.IsName(value), "%q", value)
	}
}

func TestIsImage(t *testing.T) {
	for value, want := range map[string]bool{
		"registry.example.com/os/rhcos" + digest:    true,
		"registry.example.com:5000/os" + digest:     true,
		"":                                          false,
		"registry.example.com/os/rhcos:latest":      false,
		"registry/os" + digest:                      false,
		"registry.example.com/os" + digest[:20]:     false,
		strings.Repeat("a.", 200) + "a/os" + digest: false,
	} {
		assert.Equal(t, want, validate.IsImage(value), "%q", value)
	}
	longest := strings.Repeat("a", validate.MaxImage-len(".b/os"+digest)) + ".b/os" + digest
	assert.Len(t, longest, validate.MaxImage)
	assert.True(t, validate.IsImage(longest))
	assert.False(t, validate.IsImage("a"+longest))
}

func TestIsNil(t *testing.T) {
	var (
		pointer *int
		err     error
		m       map[string]int
		f       func()
	)
	for name, value := range map[string]any{"nil": nil, "pointer": pointer, "interface": err, "map": m, "func": f} {
		assert.True(t, validate.IsNil(value), name)
	}
	for name, value := range map[string]any{
		"pointer": new(int), "interface": errors.New("x"), "map": map[string]int{}, "func": func() {}, "int": 0, "struct": struct{}{},
	} {
		assert.False(t, validate.IsNil(value), name)
	}
}

func TestRequired(t *testing.T) {
	path := field.NewPath("pool", "Config")
	set := validate.Field{Name: "Client", Value: new(int), Hint: "a clientset"}
	require.NoError(t, validate.Required(path))
	require.NoError(t, validate.Required(path, set))

	err := validate.Required(path, set, validate.Field{Name: "Nodes", Hint: "an informer"}, validate.Field{Name: "Pools"})
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, field.ErrorTypeRequired, invalid.Type)
	assert.Equal(t, "pool.Config.Nodes", invalid.Field)
	assert.EqualError(t, err, "pool.Config.Nodes: Required value: an informer")
}
