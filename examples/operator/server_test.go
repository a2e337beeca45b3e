package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/programtest"
)

const (
	poolsPath = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
	mcnsPath  = "/apis/machineconfiguration.openshift.io/v1/machineconfignodes"
	nodesPath = "/api/v1/nodes"
	confsPath = "/apis/operator.openshift.io/v1/machineconfigurations"
	leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/upgrademonitor-example-operator"
)

// serve starts an API server, and returns a kubeconfig for it.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return programtest.Kubeconfig(t, server.URL)
}

// answers serves the lists of these resources; their watches have no events.
func answers(lists map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		list, ok := lists[r.URL.Path]
		switch query := r.URL.Query(); {
		case !ok:
			http.NotFound(w, r) // as an API server answers for an unknown path
		case query.Get("sendInitialEvents") != "":
			writeStatus(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is not known")
		case query.Get("watch") != "":
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			writeJSON(w, http.StatusOK, list)
		}
	}
}

func writeJSON(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func writeStatus(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	writeJSON(w, int(code), metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Reason: reason, Message: message, Code: code,
	})
}

func list(apiVersion, kind string) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}}
}

// allLists returns the empty lists of all resources that the controllers watch.
func allLists() map[string]any {
	return map[string]any{
		poolsPath: list(mcfgv1.GroupVersion.String(), "MachineConfigPoolList"),
		mcnsPath:  list(mcfgv1.GroupVersion.String(), "MachineConfigNodeList"),
		nodesPath: list("v1", "NodeList"),
	}
}

// newPool returns a pool without nodes.
func newPool() *mcfgv1.MachineConfigPool {
	worker := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker", ResourceVersion: "1"}}
	worker.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}}
	return worker
}
