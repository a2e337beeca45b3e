package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Parts of the file names of CRD manifests in the module github.com/openshift/api.
const (
	crdStandard = "machineconfignodes-SelfManagedHA-Default"
	crdImage    = "machineconfignodes-SelfManagedHA-CustomNoUpgrade"
	crdConfigs  = "machineconfigurations"
	crdPools    = "machineconfigpools-SelfManagedHA"
	crdMachine  = "machineconfigs"
	crdOSConfig = "machineosconfigs"
	crdOSBuild  = "machineosbuilds"
)

var machineConfigNodes = schema.GroupVersionResource{
	Group:    "machineconfiguration.openshift.io",
	Version:  "v1",
	Resource: "machineconfignodes",
}

// InstallCRD creates or replaces the CRD of MachineConfigNode, and returns when the API server
// serves the new CRD. If imageMode is true, the CRD has spec.configImage and status.configImage.
// Existing objects are kept. If the new CRD lacks a field of an object, the API server omits the
// field from responses.
func InstallCRD(ctx context.Context, cfg *rest.Config, imageMode bool) error {
	name := crdStandard
	if imageMode {
		name = crdImage
	}
	if err := install(ctx, cfg, name); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	return eventually(ctx, "MachineConfigNodes are not served", func(ctx context.Context) error {
		known, err := knowsConfigImage(ctx, client.Resource(machineConfigNodes))
		if err == nil && known != imageMode {
			err = fmt.Errorf("the API server still serves the previous CRD (with spec.configImage: %t)", known)
		}
		return err
	})
}

// InstallPoolCRD creates or replaces the CRDs of MachineConfigPool, MachineOSConfig and
// MachineOSBuild, and returns when the API server serves them.
func InstallPoolCRD(ctx context.Context, cfg *rest.Config) error {
	for _, name := range []string{crdPools, crdOSConfig, crdOSBuild} {
		if err := install(ctx, cfg, name); err != nil {
			return err
		}
	}
	return nil
}

// InstallMachineConfigCRD creates or replaces the CRD of MachineConfig, and returns when the API server
// serves it.
func InstallMachineConfigCRD(ctx context.Context, cfg *rest.Config) error {
	return install(ctx, cfg, crdMachine)
}

// InstallConfigurationCRD creates or replaces the CRD of MachineConfiguration
// (operator.openshift.io), and returns when the API server serves it.
func InstallConfigurationCRD(ctx context.Context, cfg *rest.Config) error {
	return install(ctx, cfg, crdConfigs)
}

func install(ctx context.Context, cfg *rest.Config, name string) error {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/openshift/api")
	list.Dir = filepath.Join(root(), "test")
	dir, err := list.Output()
	if err != nil {
		return fmt.Errorf("cannot find the CRDs, run go mod download in %s: %w", list.Dir, err)
	}
	crdFile := "payload-manifests/crds/0000_80_machine-config_01_" + name + ".crd.yaml"
	file := filepath.Join(strings.TrimSpace(string(dir)), crdFile)
	options := envtest.CRDInstallOptions{Paths: []string{file}, ErrorIfPathMissing: true, MaxTime: timeout}
	crds, err := envtest.InstallCRDs(cfg, options)
	if err != nil {
		return fmt.Errorf("cannot install the CRD %s: %w", name, err)
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	spec := crds[0].Spec
	served := client.Resource(schema.GroupVersionResource{
		Group:    spec.Group,
		Version:  spec.Versions[0].Name,
		Resource: spec.Names.Plural,
	})
	return eventually(ctx, spec.Names.Plural+" are not served", func(ctx context.Context) error {
		_, err := served.List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
}

// knowsConfigImage reports whether the served CRD has spec.configImage. It creates an object with
// this field in a dry run. If the CRD is new, the API server delays the first create by two
// seconds.
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
	// The API server rejects unknown fields before it validates the object and evaluates policies.
	case err == nil, apierrors.IsInvalid(err), apierrors.IsForbidden(err):
		return true, nil
	}
	return false, err
}
