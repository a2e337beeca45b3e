package command

import (
	encoding "encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	coreNodes              = "nodes"
	nodesResource          = "machineconfignodes"
	poolsResource          = "machineconfigpools"
	configurationsResource = "machineconfigurations"
	configsResource        = "machineconfigs"
	versionsResource       = "clusterversions"
	operatorsResource      = "clusteroperators"
)

// kinds are the kinds of the resources.
var kinds = map[string]schema.GroupVersionKind{
	coreNodes:              corev1.SchemeGroupVersion.WithKind("Node"),
	nodesResource:          mcfgv1.GroupVersion.WithKind("MachineConfigNode"),
	poolsResource:          mcfgv1.GroupVersion.WithKind("MachineConfigPool"),
	configsResource:        mcfgv1.GroupVersion.WithKind("MachineConfig"),
	configurationsResource: operatorv1.GroupVersion.WithKind("MachineConfiguration"),
	versionsResource:       configv1.GroupVersion.WithKind("ClusterVersion"),
	operatorsResource:      configv1.GroupVersion.WithKind("ClusterOperator"),
}

// server responds to lists and watches like an API server that does not stream lists.
type server struct {
	*httptest.Server
	expires  bool              // counts the continue tokens
	releases map[string]string // of rendered configs

	mu      sync.Mutex      // a command that has ended may have left a request
	paths   map[string]any  // further objects and lists
	verbs   map[string]int  // the number of requests of each kind
	urls    map[string]bool // the lists and watches, with their selectors and limits
	fail    failure
	version int
	objects map[string]map[string]runtime.Object // by resource and name
	log     []change
	changed chan struct{} // closed at each change
}

// failure is the status of the responses to requests with the verb, for resources whose names begin with resource. An
// empty verb or resource matches each request. Without a status, no request fails.
type failure struct {
	verb, resource string
	status         int
}

func (s *server) failWith(f failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = f
}

// serve responds to requests for a path with an object or a list. nil responds that it is not found.
func (s *server) serve(path string, object any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[path] = object
}

// requests returns the number of requests of a kind, for example "list machineconfignodes".
func (s *server) requests(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verbs[kind]
}

type change struct {
	version  int
	resource string
	event    string
	object   runtime.Object
}

func newServer(t testing.TB, objects ...runtime.Object) *server {
	t.Helper()
	s := &server{objects: map[string]map[string]runtime.Object{}, changed: make(chan struct{}), paths: map[string]any{}, verbs: map[string]int{}, urls: map[string]bool{}}
	for resource := range kinds {
		s.objects[resource] = map[string]runtime.Object{}
	}
	s.set(objects...)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s
}

// kubeconfig writes a kubeconfig for the server.
func (s *server) kubeconfig(t testing.TB) string {
	t.Helper()
	return kubeconfigOf(t, s.URL)
}

func kubeconfigOf(t testing.TB, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"clusters":[{"name":"c","cluster":{"server":%q}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]}`, url)
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	return file
}

// set creates or replaces objects. It creates a Node for a MachineConfigNode, if there is none: it is cordoned if the
// MachineConfigNode says so.
func (s *server) set(objects ...runtime.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, obj := range objects {
		if mcn, ok := obj.(*mcfgv1.MachineConfigNode); ok && s.objects[coreNodes][mcn.Name] == nil {
			node := newKubeNode(mcn.Name)
			node.Spec.Unschedulable = conditions.StatusOf(mcn.Status.Conditions, phases.Cordoned) == metav1.ConditionTrue
			objects = append(objects, node)
		}
	}
	for _, obj := range objects {
		s.version++
		obj = obj.DeepCopyObject()
		meta := obj.(metav1.Object)
		resource := strings.ToLower(reflect.TypeOf(obj).Elem().Name()) + "s"
		meta.SetResourceVersion(strconv.Itoa(s.version))
		event := "ADDED"
		if s.objects[resource][meta.GetName()] != nil {
			event = "MODIFIED"
		}
		s.objects[resource][meta.GetName()] = obj
		s.log = append(s.log, change{s.version, resource, event, obj})
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// remove deletes an object.
func (s *server) remove(resource, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.log = append(s.log, change{s.version, resource, "DELETED", s.objects[resource][name]})
	delete(s.objects[resource], name)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	verb := "list"
	if r.URL.Query().Get("watch") != "" {
		verb = "watch"
	}
	s.mu.Lock()
	fail := s.fail
	s.verbs[verb+" "+resource]++
	if s.objects[resource] != nil {
		line := verb + " " + r.URL.Path
		for _, name := range []string{"fieldSelector", "labelSelector", "limit"} {
			if value := r.URL.Query().Get(name); value != "" {
				line += " " + name + "=" + value
			}
		}
		s.urls[line] = true
	}
	object := s.paths[r.URL.Path]
	if config := s.objects[configsResource][resource]; config != nil {
		object = config
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case fail.status != 0 && (fail.verb == "" || fail.verb == verb) && strings.HasPrefix(resource, fail.resource):
		reject(w, fail.status, fmt.Sprintf(`User "alice" cannot %s resource %q`, verb, resource))
	case object != nil:
		_ = encoding.NewEncoder(w).Encode(object)
	case s.releases[resource] != "":
		_ = encoding.NewEncoder(w).Encode(map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": map[string]any{
			"name": resource, "annotations": map[string]string{"machineconfiguration.openshift.io/release-image-version": s.releases[resource]}}})
	case s.expires && r.URL.Query().Get("continue") != "":
		reject(w, http.StatusGone, "The provided continue parameter is too old")
	case s.objects[resource] == nil || r.Method != http.MethodGet:
		reject(w, http.StatusNotFound, "the server could not find the requested resource")
	case verb == "list":
		s.list(w, r, resource, s.expires && r.URL.Query().Get("limit") != "")
	case r.URL.Query().Get("sendInitialEvents") != "":
		reject(w, http.StatusUnprocessableEntity, "sendInitialEvents is forbidden")
	default:
		s.watch(w, r, resource)
	}
}

func reject(w http.ResponseWriter, code int, message string) {
	reasons := map[int]metav1.StatusReason{
		http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusNotFound: metav1.StatusReasonNotFound,
		http.StatusUnauthorized: metav1.StatusReasonUnauthorized, http.StatusGone: metav1.StatusReasonExpired, http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
	}
	w.WriteHeader(code)
	_ = encoding.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reasons[code], Message: message,
	})
}

// isSelected reports whether the selectors of a request select an object: its name, and its labels.
func isSelected(r *http.Request, obj runtime.Object) bool {
	_, name, has := strings.Cut(r.URL.Query().Get("fieldSelector"), "metadata.name=")
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	object := obj.(metav1.Object)
	return err == nil && selector.Matches(labels.Set(object.GetLabels())) && (!has || object.GetName() == name)
}

func (s *server) list(w http.ResponseWriter, r *http.Request, resource string, isPage bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []runtime.Object{}
	for _, obj := range s.objects[resource] {
		if isSelected(r, obj) {
			items = append(items, obj)
		}
	}
	token := ""
	if isPage {
		items, token = items[:len(items)/2], "next"
	}
	_ = encoding.NewEncoder(w).Encode(map[string]any{
		"apiVersion": kinds[resource].GroupVersion().String(), "kind": kinds[resource].Kind + "List",
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version), "continue": token}, "items": items,
	})
}

func (s *server) watch(w http.ResponseWriter, r *http.Request, resource string) {
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		s.mu.Lock()
		log, changed := s.log, s.changed
		s.mu.Unlock()
		for _, c := range log {
			if c.version > from && c.resource == resource && isSelected(r, c.object) {
				_ = encoding.NewEncoder(w).Encode(map[string]any{"type": c.event, "object": c.object})
				from = c.version
			}
		}
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}
