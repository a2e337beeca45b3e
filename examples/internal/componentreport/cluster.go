package componentreport

import (
	"context"
	"fmt"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/kubeconfig"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// interval is that of the syncs and of the judgements on a cluster.
const interval = time.Minute

// Cluster has the clients of a cluster.
type Cluster struct {
	Kube           kubernetes.Interface
	Client         mcfgclientset.Interface
	Configurations operatorclientset.Interface
}

// Operator returns the operator of a cluster. It writes nothing before ready, which may be nil.
func (c Cluster) Operator(ready func(*operatorv1.MachineConfiguration) bool) Process {
	return Process{
		Client:   c.Configurations,
		State:    components.OperatorSync,
		Steps:    []Step{{components.OperatorSyncMCP, c.checkPools}},
		Interval: interval,
		Config:   components.Config{Component: components.Operator, Ready: ready},
		Judge:    judge{kube: c.Kube, client: c.Client, clock: clock.RealClock{}}.run,
	}
}

// HasBootImageConditions is a Ready of components.Config for a cluster with a controller of boot
// images. That controller adds its conditions only where there are none: whoever writes before it
// keeps it from ever adding them.
func HasBootImageConditions(mc *operatorv1.MachineConfiguration) bool {
	return meta.FindStatusCondition(mc.Status.Conditions, operatorv1.MachineConfigurationBootImageUpdateDegraded) != nil
}

// checkPools returns an error for the first pool whose nodes cannot be selected.
func (c Cluster) checkPools(ctx context.Context) error {
	list, err := c.Client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	for _, p := range list.Items {
		if _, err := metav1.LabelSelectorAsSelector(p.Spec.NodeSelector); err != nil {
			return fmt.Errorf("MachineConfigPool %s: invalid nodeSelector: %w", p.Name, err)
		}
	}
	return nil
}

// Get returns MachineConfiguration/cluster, an empty one if it does not exist yet: the reports wait
// for it. Its errors are in the words of a command line.
func (c Cluster) Get(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
	mc, err := c.Configurations.OperatorV1().MachineConfigurations().Get(ctx, "cluster", metav1.GetOptions{})
	switch {
	case kubeconfig.IsUnknownResource(err):
		return nil, fmt.Errorf("the API server has no MachineConfigurations: install the CRD machineconfigurations.operator.openshift.io, or omit --components: %w", err)
	case apierrors.IsNotFound(err):
		return &operatorv1.MachineConfiguration{}, nil
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("cannot read MachineConfiguration cluster: bind the user to the roles of scope.Components, or omit --components: %w", err)
	case err != nil:
		return nil, fmt.Errorf("cannot read MachineConfiguration cluster: %w", err)
	}
	return mc, nil
}
