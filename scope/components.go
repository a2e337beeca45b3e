package scope

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	operatorv1 "github.com/openshift/api/operator/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/machineconfiguration"
)

// What the empty fields of a Components stand for.
const (
	DefaultComponentsName                     = "mco-components"
	DefaultComponentsNamespace                = "openshift-machine-config-operator"
	DefaultComponentsOperatorServiceAccount   = "machine-config-operator"
	DefaultComponentsControllerServiceAccount = "machine-config-controller"
)

const (
	configurationName = "cluster"
	leaseSuffix       = "-leases"
)

// Components grants the operator and the controller the permissions that the Reporters and
// LeaseWatches of package components need: both read MachineConfigurations and each other's
// Lease, and patch the status of the one MachineConfiguration.
//
// RBAC cannot restrict a process to its own conditions. With EnforceWriters a policy does.
//
// The methods return objects, they make no requests. The zero value is usable.
type Components struct {
	// Name is the prefix of the names of the objects. By default it is DefaultComponentsName.
	Name string
	// Namespace is the namespace of both service accounts and of the Leases. By default it is
	// DefaultComponentsNamespace.
	Namespace string
	// OperatorServiceAccount is the service account of the operator. By default it is
	// DefaultComponentsOperatorServiceAccount.
	OperatorServiceAccount string
	// ControllerServiceAccount is the service account of the controller. By default it is
	// DefaultComponentsControllerServiceAccount.
	ControllerServiceAccount string
	// EnforceWriters adds the WriterPolicy. It also denies updates of the whole status from a stale
	// cache, which today's controllers make, so it is off by default.
	EnforceWriters bool
}

// Role grants the permissions on the MachineConfiguration.
func (c Components) Role() *rbacv1.ClusterRole {
	patch := rule(operatorv1.GroupName, configurations+"/status", "patch")
	patch.ResourceNames = []string{configurationName}
	return role(c.complete().Name, rule(operatorv1.GroupName, configurations, "get", "list", "watch"), patch)
}

// RoleBinding binds Role to both service accounts.
func (c Components) RoleBinding() *rbacv1.ClusterRoleBinding {
	c = c.complete()
	binding := roleBinding(c.Name, c.Namespace, c.OperatorServiceAccount)
	binding.Subjects = c.subjects()
	return binding
}

// LeaseRole grants reading the two Leases.
func (c Components) LeaseRole() *rbacv1.Role {
	c = c.complete()
	get := rule(coordinationv1.GroupName, "leases", "get")
	get.ResourceNames = []string{machineconfiguration.OperatorLease, machineconfiguration.ControllerLease}
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name + leaseSuffix, Namespace: c.Namespace},
		Rules:      []rbacv1.PolicyRule{get},
	}
}

// LeaseRoleBinding binds LeaseRole to both service accounts.
func (c Components) LeaseRoleBinding() *rbacv1.RoleBinding {
	c = c.complete()
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: c.Name + leaseSuffix + bindingSuffix, Namespace: c.Namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: c.Name + leaseSuffix},
		Subjects:   c.subjects(),
	}
}

func (c Components) subjects() []rbacv1.Subject {
	return []rbacv1.Subject{
		{Kind: rbacv1.ServiceAccountKind, Namespace: c.Namespace, Name: c.OperatorServiceAccount},
		{Kind: rbacv1.ServiceAccountKind, Namespace: c.Namespace, Name: c.ControllerServiceAccount},
	}
}

// Validate returns a *field.Error for the first of the names that no object can have, and for a
// service account that is both.
func (c Components) Validate() error {
	c = c.complete()
	const of = "Components"
	if problems := validation.NameIsDNSSubdomain(c.Name+writerSuffix+bindingSuffix, false); len(problems) > 0 {
		return field.Invalid(field.NewPath("scope", of, "Name"), c.Name, strings.Join(problems, "; "))
	}
	if problems := validation.ValidateNamespaceName(c.Namespace, false); len(problems) > 0 {
		return field.Invalid(field.NewPath("scope", of, "Namespace"), c.Namespace, strings.Join(problems, "; "))
	}
	for _, account := range []struct{ field, name string }{
		{"OperatorServiceAccount", c.OperatorServiceAccount}, {"ControllerServiceAccount", c.ControllerServiceAccount},
	} {
		if problems := validation.ValidateServiceAccountName(account.name, false); len(problems) > 0 {
			return field.Invalid(field.NewPath("scope", of, account.field), account.name, strings.Join(problems, "; "))
		}
	}
	if c.EnforceWriters && c.OperatorServiceAccount == c.ControllerServiceAccount {
		return field.Invalid(field.NewPath("scope", of, "ControllerServiceAccount"), c.ControllerServiceAccount, "must not be that of the operator: a policy cannot tell them apart")
	}
	return nil
}

// WriteManifests writes the objects as YAML for `kubectl apply -f -`, the same for the same
// Components. For an invalid name it returns a *field.Error and writes nothing. The service
// accounts and their namespace are not included.
func (c Components) WriteManifests(w io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	var objects []runtime.Object
	if c.EnforceWriters {
		objects = append(objects, c.WriterPolicy(), c.WriterPolicyBinding())
	}
	objects = append(objects, c.Role(), c.RoleBinding(), c.LeaseRole(), c.LeaseRoleBinding())
	if err := writeManifests(w, objects); err != nil {
		return fmt.Errorf("scope: components: %w", err)
	}
	return nil
}

func (c Components) complete() Components {
	c.Name = cmp.Or(c.Name, DefaultComponentsName)
	c.Namespace = cmp.Or(c.Namespace, DefaultComponentsNamespace)
	c.OperatorServiceAccount = cmp.Or(c.OperatorServiceAccount, DefaultComponentsOperatorServiceAccount)
	c.ControllerServiceAccount = cmp.Or(c.ControllerServiceAccount, DefaultComponentsControllerServiceAccount)
	return c
}
