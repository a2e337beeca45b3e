package componentview_test

import (
	"errors"
	"strings"
	"testing"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/examples/internal/componentview"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
)

func TestShow(t *testing.T) {
	clientset := memory.Configurations()
	client := clientset.OperatorV1().MachineConfigurations()
	var out strings.Builder
	show := func() error { return componentview.Show(t.Context(), client, &out, now, componentview.Options{}) }
	assert.ErrorContains(t, show(), "there is no MachineConfiguration cluster")
	_, err := client.Create(t.Context(), &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, show())
	assert.Contains(t, out.String(), "OPERATORSYNC")

	resource := operatorv1.Resource("machineconfigurations")
	for want, answer := range map[string]error{
		"install the CRD":  apierrors.NewGenericServerResponse(404, "get", resource, "cluster", "404 page not found", 0, true),
		"grant get":        apierrors.NewForbidden(resource, "cluster", errors.New("no")),
		"cannot read Mach": apierrors.NewServiceUnavailable("down"),
	} {
		clientset.PrependReactor("get", "machineconfigurations", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, answer })
		assert.ErrorContains(t, show(), want)
	}
}
