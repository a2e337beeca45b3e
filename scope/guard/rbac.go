package guard

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const resource = "machineconfignodes"

// role returns the role with the verbs that package upgrademonitor needs. The daemons of all nodes
// have the same service account, so RBAC cannot restrict a daemon to the object of its node. Policy
// restricts the writes.
func (g Guard) role() *rbacv1.ClusterRole {
	rule := func(group, resource string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
	}
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: g.complete().Name},
		Rules: []rbacv1.PolicyRule{
			rule(mcfgv1.GroupName, resource, "get", "list", "watch", "create", "patch"),
			rule(mcfgv1.GroupName, resource+"/status", "patch"),
			rule("", "nodes", "get", "list", "watch"),
		},
	}
}

// roleBinding returns the binding of the role to the service account.
func (g Guard) roleBinding() *rbacv1.ClusterRoleBinding {
	g = g.complete()
	return &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: g.Name + bindingSuffix},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: g.Name},
		Subjects: []rbacv1.Subject{
			{Kind: rbacv1.ServiceAccountKind, Namespace: g.Namespace, Name: g.ServiceAccount},
		},
	}
}
