package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clienttransport "k8s.io/client-go/transport"

	"github.com/openshift/upgrademonitor/phases"
)

// The role mcn-drain of operator.yaml grants the example drain controller exactly what it needs to drain a node with a Pod,
// and to uncordon the node.
func TestDrainManifestGrantsWhatIsNeeded(t *testing.T) {
	const account = "e2e-drain"
	core := kubeClient(t, standard.Config())
	createNamespace(t, core, operatorNamespace)
	text, err := os.ReadFile(manifest("operator"))
	require.NoError(t, err)
	var documents []string
	for _, document := range strings.Split(string(text), "---\n") {
		if strings.Contains(document, "name: mcn-drain\n") {
			documents = append(documents, document)
		}
	}
	require.Len(t, documents, 2, "operator.yaml must have the role and its binding")
	renamed := strings.NewReplacer("mcn-drain", account, "machine-config-controller", account).Replace(strings.Join(documents, "---\n"))
	apply(t, renamed)

	w := unguardedNodeOn(t, standard, "drain-manifest")
	w.annotateNode("currentConfig", oldConfig)
	w.annotateNode("desiredConfig", oldConfig)
	daemon, _ := w.monitor("worker")
	call{phases.Updated, done, nil}.make(t, daemon)
	w.annotateNode("desiredConfig", newConfig)
	call{phases.Updated, no, nil}.make(t, daemon)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "drain-manifest", Namespace: operatorNamespace},
		Spec: corev1.PodSpec{
			NodeName:                      w.name,
			AutomountServiceAccountToken:  new(false),
			TerminationGracePeriodSeconds: new(int64), // no kubelet ends the Pod
			Containers:                    []corev1.Container{{Name: "a", Image: "a"}},
		},
	}
	(&identity{t: t, core: core, namespace: operatorNamespace, serviceAccount: "default"}).create()
	_, err = core.CoreV1().Pods(operatorNamespace).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)

	var requests transport
	var once sync.Once
	requests.intercept(func(r *http.Request) { // causes one conflict, so that the controller also reads the object
		if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") {
			once.Do(func() {
				_, err := w.admin.Patch(t.Context(), w.name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
				assert.NoError(t, err)
			})
		}
	})
	kubeconfig := front(t, func(next http.RoundTripper) http.RoundTripper {
		user := clienttransport.ImpersonationConfig{UserName: "system:serviceaccount:" + operatorNamespace + ":" + account}
		return requests.wrap(clienttransport.NewImpersonatingRoundTripper(user, next))
	})
	w.annotateNode("desiredDrain", "drain-"+newConfig)
	var log lockedBuffer
	controller := exec.CommandContext(t.Context(), filepath.Join(build(t, "examples/drain-controller"), "drain-controller"), "--kubeconfig", kubeconfig)
	controller.Stderr = &log
	require.NoError(t, controller.Start())
	applied := func(want string) {
		t.Helper()
		eventually(t, func() bool {
			node, err := core.CoreV1().Nodes().Get(t.Context(), w.name, metav1.GetOptions{})
			require.NoError(t, err)
			return node.Annotations[annotationPrefix+"lastAppliedDrain"] == want
		}, want)
	}
	applied("drain-" + newConfig)
	assert.Equal(t, done, w.status(phases.Drained))
	w.annotateNode("desiredDrain", "uncordon-"+newConfig)
	applied("uncordon-" + newConfig)
	assert.Equal(t, done, w.status(phases.Uncordoned))
	require.NoError(t, controller.Process.Signal(syscall.SIGTERM))
	require.NoError(t, controller.Wait(), log.String())

	role, err := core.RbacV1().ClusterRoles().Get(t.Context(), account, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, permissions(role.Rules), requests.used())
	assert.Zero(t, requests.answered(http.StatusForbidden), log.String())
}
