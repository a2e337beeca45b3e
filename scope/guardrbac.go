package scope

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const resource = "machineconfignodes"

// Role returns the fewest verbs that the library needs. RBAC knows no "own object": that
// is what Policy is for.
func (g Guard) Role() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: g.complete().Name},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{mcfgv1.GroupName}, Resources: []string{resource}, Verbs: []string{"get", "list", "watch", "create", "patch"}},
			{APIGroups: []string{mcfgv1.GroupName}, Resources: []string{resource + "/status"}, Verbs: []string{"patch"}},
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch"}},
		},
	}
}

// RoleBinding gives the role to the service account.
func (g Guard) RoleBinding() *rbacv1.ClusterRoleBinding {
	g = g.complete()
	return &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: g.Name + bindingSuffix},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: g.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: g.Namespace, Name: g.ServiceAccount}},
	}
}
