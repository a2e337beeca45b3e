package scope

import (
	operatorv1 "github.com/openshift/api/operator/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/machineconfiguration"
)

const (
	configurations    = "machineconfigurations"
	configurationName = "cluster"
	leaseSuffix       = "-leases"
)

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
