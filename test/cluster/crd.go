package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// The CRDs as the release payload ships them, in the module github.com/openshift/api.
const (
	apiModule   = "github.com/openshift/api"
	crdStandard = "payload-manifests/crds/0000_80_machine-config_01_machineconfignodes-SelfManagedHA-Default.crd.yaml"
	crdImage    = "payload-manifests/crds/0000_80_machine-config_01_machineconfignodes-SelfManagedHA-CustomNoUpgrade.crd.yaml"
	crdConfigs  = "payload-manifests/crds/0000_80_machine-config_01_machineconfigurations.crd.yaml"
	crdPools    = "payload-manifests/crds/0000_80_machine-config_01_machineconfigpools-SelfManagedHA.crd.yaml"
)

// InstallCRD creates the CRD of MachineConfigNode, or replaces it by the other variant, and
// returns when the API server at cfg works by it. imageMode chooses the variant that has
// spec.configImage and status.configImage.
//
// Objects stay when the variant changes; fields that the new one lacks are dropped when they are
// read. The version is the one that this module requires of github.com/openshift/api. cfg needs
// the permissions of an administrator.
//
// A new CRD takes two seconds: the API server delays every create for that long, and InstallCRD
// makes one, so that no create of the caller is that slow.
func InstallCRD(ctx context.Context, cfg *rest.Config, imageMode bool) error {
	name := crdStandard
	if imageMode {
		name = crdImage
	}
	if err := install(ctx, cfg, name); err != nil {
		return err
	}
	return waitServed(ctx, cfg, imageMode)
}

// InstallPoolCRD creates the CRD of MachineConfigPool, or replaces it, and returns when the API
// server at cfg serves it. Start does not: only the operator's side needs it.
func InstallPoolCRD(ctx context.Context, cfg *rest.Config) error {
	return installServed(ctx, cfg, crdPools, machineConfigPools)
}

// InstallConfigurationCRD is InstallPoolCRD for MachineConfiguration of operator.openshift.io: only
// the reports on components need it.
func InstallConfigurationCRD(ctx context.Context, cfg *rest.Config) error {
	return installServed(ctx, cfg, crdConfigs, machineConfigurations)
}

// installServed installs a CRD, and returns when its resource can be listed.
func installServed(ctx context.Context, cfg *rest.Config, name string, resource schema.GroupVersionResource) error {
	if err := install(ctx, cfg, name); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("cannot tell whether %s are served: %w", resource.Resource, err)
	}
	err = eventually(ctx, func(ctx context.Context) error {
		_, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
	if err != nil {
		return fmt.Errorf("%s are not served: %w", resource.Resource, err)
	}
	return nil
}

// install creates or replaces the CRD in a file of the API module, and returns when it is
// established.
func install(ctx context.Context, cfg *rest.Config, name string) error {
	crd, err := readCRD(ctx, name)
	if err != nil {
		return fmt.Errorf("cannot read a CRD: %w", err)
	}
	client, err := apiextensionsclient.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("cannot install the CRD %s: %w", crd.Name, err)
	}
	err = eventually(ctx, func(ctx context.Context) error { return putCRD(ctx, client.CustomResourceDefinitions(), crd) })
	if err != nil {
		return fmt.Errorf("cannot install the CRD %s: %w", crd.Name, err)
	}
	err = eventually(ctx, func(ctx context.Context) error { return established(ctx, client.CustomResourceDefinitions(), crd.Name) })
	if err != nil {
		return fmt.Errorf("the CRD %s is not established: %w", crd.Name, err)
	}
	return nil
}

// putCRD makes one attempt to create or replace the CRD. Only a race with another writer is worth
// another one.
func putCRD(ctx context.Context, client apiextensionsclient.CustomResourceDefinitionInterface, crd *apiextensionsv1.CustomResourceDefinition) error {
	present, err := client.Get(ctx, crd.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = client.Create(ctx, crd, metav1.CreateOptions{})
	case err == nil:
		wanted := crd.DeepCopy()
		wanted.ResourceVersion = present.ResourceVersion
		_, err = client.Update(ctx, wanted, metav1.UpdateOptions{})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
		return permanent(err)
	}
	return err
}

func established(ctx context.Context, client apiextensionsclient.CustomResourceDefinitionInterface, name string) error {
	crd, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			return nil
		}
		if condition.Type == apiextensionsv1.NamesAccepted && condition.Status == apiextensionsv1.ConditionFalse {
			return permanent(errors.New(condition.Message))
		}
	}
	return errors.New("the condition Established is not True yet")
}

func readCRD(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	dir, err := apiModuleDir(ctx)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(content, crd); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return crd, nil
}

// apiModuleDir is where the go command keeps the sources of github.com/openshift/api. They are
// downloaded when missing: no program needs all of that module to be built.
func apiModuleDir(ctx context.Context) (string, error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	list := []string{"list", "-m", "-f", "{{.Dir}}", apiModule}
	dir, err := goCommand(ctx, module, list...)
	if err != nil || dir != "" {
		return dir, err
	}
	if _, err := goCommand(ctx, module, "mod", "download", apiModule); err != nil {
		return "", err
	}
	if dir, err = goCommand(ctx, module, list...); err == nil && dir == "" {
		err = fmt.Errorf("the go command does not know where %s is: run go mod download in %s", apiModule, module)
	}
	return dir, err
}
