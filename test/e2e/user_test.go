package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/test/cluster"
)

// identity creates the configurations of clients that act as one service account.
type identity struct {
	t                         *testing.T
	admin                     *rest.Config
	core                      *kubernetes.Clientset
	namespace, serviceAccount string
}

func newIdentity(t *testing.T, c *cluster.Cluster, guard scope.Guard) *identity {
	t.Helper()
	guard = withDefaults(guard)
	core, err := kubernetes.NewForConfig(c.Config())
	require.NoError(t, err)
	return &identity{t: t, admin: c.Config(), core: core, namespace: guard.Namespace, serviceAccount: guard.ServiceAccount}
}

// podToken returns the configuration of a daemon: a token that is bound to a Pod on the node.
func (i *identity) podToken(node string) *rest.Config {
	i.t.Helper()
	no := false
	pod, err := i.core.CoreV1().Pods(i.namespace).Create(i.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: i.serviceAccount + "-"},
		Spec: corev1.PodSpec{
			NodeName:                     node,
			ServiceAccountName:           i.serviceAccount,
			AutomountServiceAccountToken: &no,
			Containers:                   []corev1.Container{{Name: "daemon", Image: "daemon"}},
		},
	}, metav1.CreateOptions{})
	require.NoError(i.t, err)
	return i.token(&authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID})
}

// nodeToken returns a configuration with a token that is bound to the Node.
func (i *identity) nodeToken(name string) *rest.Config {
	i.t.Helper()
	node, err := i.core.CoreV1().Nodes().Get(i.t.Context(), name, metav1.GetOptions{})
	require.NoError(i.t, err)
	return i.token(&authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID})
}

// unboundToken returns a configuration with a token that is not bound.
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

// impersonated returns the configuration of an administrator that impersonates the service
// account, with the given claims.
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
	return map[string][]string{scope.NodeNameClaim: names}
}
