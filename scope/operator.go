package scope

import (
	"cmp"
	"fmt"
	"io"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The defaults of the fields of an Operator.
const (
	DefaultOperatorName           = "mcn-operator"
	DefaultOperatorNamespace      = "openshift-machine-config-operator"
	DefaultOperatorServiceAccount = "machine-config-operator"
)

const (
	rolloutSuffix = "-rollout"
	poolSuffix    = "-pool"
)

// Operator describes the roles of the controllers of packages rollout and pool. Each has a role
// of its own, with the verbs that it needs and no other. Neither role allows writing the status
// of a MachineConfigNode; only that of rollout allows deleting one.
//
// The service account must not be that of a Guard, which would restrict it to one node. The
// methods describe objects; none of them makes a request. The zero value is usable.
type Operator struct {
	// Name is the prefix of the names of the roles. Default: DefaultOperatorName.
	Name string
	// Namespace is the namespace of the service account. Default: DefaultOperatorNamespace.
	Namespace string
	// ServiceAccount is the service account of the controllers. Default:
	// DefaultOperatorServiceAccount.
	ServiceAccount string
}

// RolloutRole grants what package rollout needs.
func (o Operator) RolloutRole() *rbacv1.ClusterRole {
	return role(o.complete().Name+rolloutSuffix,
		rule(mcfgv1.GroupName, resource, "get", "list", "watch", "create", "patch", "delete"),
		rule(mcfgv1.GroupName, "machineconfigpools", "get", "list", "watch"),
		rule(corev1.GroupName, "nodes", "get", "list", "watch"),
		rule(corev1.GroupName, "events", "create", "patch"))
}

// PoolRole grants what package pool needs.
func (o Operator) PoolRole() *rbacv1.ClusterRole {
	return role(o.complete().Name+poolSuffix,
		rule(mcfgv1.GroupName, resource, "get", "list", "watch"),
		rule(mcfgv1.GroupName, "machineconfigpools", "get", "list", "watch"),
		rule(mcfgv1.GroupName, "machineconfigpools/status", "patch"),
		rule(corev1.GroupName, "nodes", "get", "list", "watch"))
}

// RolloutRoleBinding binds RolloutRole to the service account.
func (o Operator) RolloutRoleBinding() *rbacv1.ClusterRoleBinding {
	o = o.complete()
	return roleBinding(o.Name+rolloutSuffix, o.Namespace, o.ServiceAccount)
}

// PoolRoleBinding binds PoolRole to the service account.
func (o Operator) PoolRoleBinding() *rbacv1.ClusterRoleBinding {
	o = o.complete()
	return roleBinding(o.Name+poolSuffix, o.Namespace, o.ServiceAccount)
}

// Validate returns a *field.Error for the first of the names that no object can have.
func (o Operator) Validate() error {
	o = o.complete()
	return validateNames("Operator", o.Name, o.Name+rolloutSuffix+bindingSuffix, o.Namespace, o.ServiceAccount)
}

// WriteManifests writes the objects as YAML for `kubectl apply -f -`, the same for the same
// Operator. For an invalid name it returns a *field.Error and writes nothing. The
// service account and its namespace are not included.
func (o Operator) WriteManifests(w io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	objects := []runtime.Object{o.RolloutRole(), o.RolloutRoleBinding(), o.PoolRole(), o.PoolRoleBinding()}
	if err := writeManifests(w, objects); err != nil {
		return fmt.Errorf("scope: operator: %w", err)
	}
	return nil
}

func (o Operator) complete() Operator {
	o.Name = cmp.Or(o.Name, DefaultOperatorName)
	o.Namespace = cmp.Or(o.Namespace, DefaultOperatorNamespace)
	o.ServiceAccount = cmp.Or(o.ServiceAccount, DefaultOperatorServiceAccount)
	return o
}
