package guard_test

import (
	"reflect"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The policy has to check each field for which the CRD may accept a value that Go cannot decode. If this test fails after an
// update of openshift/api, extend the policy to the new field.
func TestThePolicyChecksEachFieldThatAClientMayNotRead(t *testing.T) {
	found := append(narrow("spec", reflect.TypeFor[mcfgv1.MachineConfigNodeSpec]()), narrow("status", reflect.TypeFor[mcfgv1.MachineConfigNodeStatus]())...)
	assert.Equal(t, []string{
		"status.conditions.lastTransitionTime",
		"status.pinnedImageSets.currentGeneration",
		"status.pinnedImageSets.desiredGeneration",
		"status.pinnedImageSets.lastFailedGeneration",
		"status.internalReleaseImage.releases.conditions.lastTransitionTime",
	}, found)
}

// narrow returns the fields of a type that cannot hold every JSON value of their kind, such as times and int32.
func narrow(path string, of reflect.Type) (fields []string) {
	switch {
	case of == reflect.TypeFor[metav1.Time]():
		return []string{path}
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			fields = append(fields, narrow(path+"."+name, of.Field(i).Type)...)
		}
		return fields
	case of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer:
		return narrow(path, of.Elem())
	case of.Kind() == reflect.String || of.Kind() == reflect.Bool || of.Kind() == reflect.Int64:
		return nil
	}
	return []string{path}
}
