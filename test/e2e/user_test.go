package e2e

import (
	"slices"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// identity creates client configurations that authenticate as one service account in different ways.
type identity struct {
	t                         *testing.T
	admin                     *rest.Config
	core                      *kubernetes.Clientset
	namespace, serviceAccount string
}

func newIdentity(t *testing.T, c *cluster.Cluster, guard guard.Guard) *identity {
	t.Helper()
	guard = withDefaults(guard)
	return &identity{t: t, admin: c.Config(), core: kubeClient(t, c.Config()), namespace: guard.Namespace, serviceAccount: guard.ServiceAccount}
}

// create creates the service account and its namespace, unless they exist.
func (i *identity) create() {
	i.t.Helper()
	createNamespace(i.t, i.core, i.namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: i.serviceAccount}}
	_, err := i.core.CoreV1().ServiceAccounts(i.namespace).Create(i.t.Context(), account, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(i.t, err)
	}
}

func createNamespace(t *testing.T, client *kubernetes.Clientset, name string) {
	t.Helper()
	_, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
}

// podToken returns a configuration with a token that is bound to a Pod on the node, like the token of a daemon.
func (i *identity) podToken(node string) *rest.Config {
	i.t.Helper()
	pod := i.pod(node)
	return i.token(&authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID})
}

// pod creates a Pod of the service account on a node.
func (i *identity) pod(node string) *corev1.Pod {
	i.t.Helper()
	pod, err := i.core.CoreV1().Pods(i.namespace).Create(i.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: i.serviceAccount + "-", Labels: map[string]string{"k8s-app": i.serviceAccount}},
		Spec: corev1.PodSpec{
			NodeName:                     node,
			ServiceAccountName:           i.serviceAccount,
			AutomountServiceAccountToken: new(false),
			Containers:                   []corev1.Container{{Name: i.serviceAccount, Image: "daemon"}},
		},
	}, metav1.CreateOptions{})
	require.NoError(i.t, err)
	return pod
}

// nodeToken returns a configuration with a token that is bound to the Node.
func (i *identity) nodeToken(name string) *rest.Config {
	i.t.Helper()
	node, err := i.core.CoreV1().Nodes().Get(i.t.Context(), name, metav1.GetOptions{})
	require.NoError(i.t, err)
	return i.token(&authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID})
}

// unboundToken returns a configuration with a token that is bound to no object.
func (i *identity) unboundToken() *rest.Config { return i.token(nil) }

func (i *identity) token(bound *authenticationv1.BoundObjectReference) *rest.Config {
	i.t.Helper()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: bound}}
	answer, err := i.core.CoreV1().ServiceAccounts(i.namespace).CreateToken(i.t.Context(), i.serviceAccount, request, metav1.CreateOptions{})
	require.NoError(i.t, err)
	config := rest.AnonymousClientConfig(i.admin)
	config.BearerToken = answer.Status.Token
	return config
}

// impersonated returns the configuration of an administrator who impersonates the service account with the
// given claims.
func (i *identity) impersonated(claims map[string][]string) *rest.Config {
	return impersonate(i.admin, i.namespace, i.serviceAccount, claims)
}

func impersonate(admin *rest.Config, namespace, serviceAccount string, claims map[string][]string) *rest.Config {
	config := rest.CopyConfig(admin)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + namespace + ":" + serviceAccount,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		Extra:    claims,
	}
	return config
}

func onNode(names ...string) map[string][]string {
	return map[string][]string{guard.NodeNameClaim: names}
}

// asController impersonates the service account of the machine-config-controller, which writes the pools.
func asController(c *cluster.Cluster) *rest.Config {
	return impersonate(c.Config(), operatorNamespace, "machine-config-controller", nil)
}

// asOperator impersonates the service account of the machine-config-operator.
func asOperator(c *cluster.Cluster) *rest.Config {
	return impersonate(c.Config(), operatorNamespace, "machine-config-operator", nil)
}

// asComponent impersonates the service account of a component.
func asComponent(component components.Component) *rest.Config {
	account := "machine-config-operator"
	if component == components.Controller {
		account = "machine-config-controller"
	}
	return impersonate(standard.Config(), operatorNamespace, account, nil)
}

// allow grants the verbs on all objects of the resources.
func allow(t *testing.T, c *cluster.Cluster, subject rbacv1.Subject, resources, verbs []string) {
	t.Helper()
	name, client := "e2e-"+subject.Name, kubeClient(t, c.Config()).RbacV1()
	_, err := client.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{mcfgv1.GroupName}, Resources: resources, Verbs: verbs}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// permissions returns the sorted permissions that rules grant, for example "patch nodes". It omits list where watch
// is granted: an informer needs both, but may use only watch.
func permissions(rules []rbacv1.PolicyRule) (list []string) {
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				list = append(list, verb+" "+resource)
			}
			if slices.Contains(rule.Verbs, "watch") {
				list = slices.DeleteFunc(list, func(p string) bool { return strings.HasPrefix(p, "list ") })
			}
		}
	}
	slices.Sort(list)
	return list
}
