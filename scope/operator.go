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

// What an Operator's empty fields stand for.
const (
	DefaultOperatorName           = "mcn-operator"
	DefaultOperatorNamespace      = "openshift-machine-config-operator"
	DefaultOperatorServiceAccount = "machine-config-operator"
)

const (
	rolloutSuffix = "-rollout"
	poolSuffix    = "-pool"
)

// Operator gives the controllers of the operator's side, packages rollout and pool, the
// verbs that they need, and no other: each has a role of its own. Neither may write the
// status of a MachineConfigNode, and only rollout may delete one.
//
// The service account must not be that of a Guard, which would keep it to one node. The
// methods only describe objects; none of them makes a request. The zero value is usable.
type Operator struct {
	// Name begins the names of the roles. By default it is DefaultOperatorName.
	Name string
	// Namespace is that of the service account. By default it is DefaultOperatorNamespace.
	Namespace string
	// ServiceAccount is what the controllers run as. By default it is
	// DefaultOperatorServiceAccount.
	ServiceAccount string
}

// RolloutRole returns what package rollout needs.
func (o Operator) RolloutRole() *rbacv1.ClusterRole {
	return role(o.complete().Name+rolloutSuffix,
		rule(mcfgv1.GroupName, resource, "get", "list", "watch", "create", "patch", "delete"),
		rule(mcfgv1.GroupName, "machineconfigpools", "get", "list", "watch"),
		rule(corev1.GroupName, "nodes", "get", "list", "watch"),
		rule(corev1.GroupName, "events", "create", "patch"))
}

// PoolRole returns what package pool needs.
func (o Operator) PoolRole() *rbacv1.ClusterRole {
	return role(o.complete().Name+poolSuffix,
		rule(mcfgv1.GroupName, resource, "get", "list", "watch"),
		rule(mcfgv1.GroupName, "machineconfigpools", "get", "list", "watch"),
		rule(mcfgv1.GroupName, "machineconfigpools/status", "patch"),
		rule(corev1.GroupName, "nodes", "get", "list", "watch"))
}

// RolloutRoleBinding gives the RolloutRole to the service account.
func (o Operator) RolloutRoleBinding() *rbacv1.ClusterRoleBinding {
	o = o.complete()
	return roleBinding(o.Name+rolloutSuffix, o.Namespace, o.ServiceAccount)
}

// PoolRoleBinding gives the PoolRole to the service account.
func (o Operator) PoolRoleBinding() *rbacv1.ClusterRoleBinding {
	o = o.complete()
	return roleBinding(o.Name+poolSuffix, o.Namespace, o.ServiceAccount)
}

// Validate says, with an *OperatorError, which of the names no object can have.
func (o Operator) Validate() error {
	o = o.complete()
	field, value, problem := badName(o.Name, o.Name+rolloutSuffix+bindingSuffix, o.Namespace, o.ServiceAccount)
	if problem != "" {
		return &OperatorError{Field: field, Value: value, Problem: problem}
	}
	return nil
}

// WriteManifests writes the objects as YAML for `kubectl apply -f -`, the same for the same
// Operator. A name that cannot be used gives an *OperatorError, and nothing is written. The
// service account and its namespace are not among the objects.
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
