package scope

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the empty fields of a Components stand for.
const (
	DefaultComponentsName                     = "mco-components"
	DefaultComponentsNamespace                = "openshift-machine-config-operator"
	DefaultComponentsOperatorServiceAccount   = "machine-config-operator"
	DefaultComponentsControllerServiceAccount = "machine-config-controller"
)

const writerSuffix = "-writers"

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

func (c Components) complete() Components {
	c.Name = cmp.Or(c.Name, DefaultComponentsName)
	c.Namespace = cmp.Or(c.Namespace, DefaultComponentsNamespace)
	c.OperatorServiceAccount = cmp.Or(c.OperatorServiceAccount, DefaultComponentsOperatorServiceAccount)
	c.ControllerServiceAccount = cmp.Or(c.ControllerServiceAccount, DefaultComponentsControllerServiceAccount)
	return c
}
