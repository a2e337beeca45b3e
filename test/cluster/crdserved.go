package cluster

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var (
	group              = schema.GroupVersion{Group: "machineconfiguration.openshift.io", Version: "v1"}
	machineConfigNodes = group.WithResource("machineconfignodes")
	machineConfigPools = group.WithResource("machineconfigpools")

	machineConfigurations = schema.GroupVersionResource{Group: "operator.openshift.io", Version: "v1", Resource: "machineconfigurations"}
)

// waitServed returns when MachineConfigNodes can be listed and the API server serves the requested
// variant of the CRD, which is some time after it has stored it.
func waitServed(ctx context.Context, cfg *rest.Config, imageMode bool) error {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("cannot tell whether MachineConfigNodes are served: %w", err)
	}
	resource := client.Resource(machineConfigNodes)
	err = eventually(ctx, func(ctx context.Context) error {
		if _, err := resource.List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
			return err
		}
		known, err := knowsConfigImage(ctx, resource)
		if err == nil && known != imageMode {
			err = fmt.Errorf("the API server works by the other variant of the CRD still: does it know spec.configImage? %t", known)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("MachineConfigNodes are not served: %w", err)
	}
	return nil
}

// knowsConfigImage reports whether the served variant has spec.configImage, by a dry run of a create
// with unknown fields.
func knowsConfigImage(ctx context.Context, resource dynamic.ResourceInterface) (bool, error) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": machineConfigNodes.GroupVersion().String(),
		"kind":       "MachineConfigNode",
		"metadata":   map[string]any{"name": "crd-probe"},
		"spec":       map[string]any{"configImage": map[string]any{}},
	}}
	_, err := resource.Create(ctx, object, metav1.CreateOptions{
		DryRun:          []string{metav1.DryRunAll},
		FieldValidation: metav1.FieldValidationStrict,
	})
	switch {
	case apierrors.IsBadRequest(err) && strings.Contains(err.Error(), `unknown field "spec.configImage"`):
		return false, nil
	// Validation and policies come after unknown fields.
	case err == nil, apierrors.IsInvalid(err), apierrors.IsForbidden(err):
		return true, nil
	}
	return false, err
}
