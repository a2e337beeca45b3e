package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
