package source

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// Cluster is a Source that reads from an API server.
type Cluster struct {
	Config         *rest.Config
	Rollout        bool // read pools and nodes
	Components     bool // read the health of the components
	Clock          clock.PassiveClock
	RequestTimeout time.Duration // limits the time until the server starts its response
}

// Now returns the time of the clock.
func (c *Cluster) Now() time.Time { return c.Clock.Now() }

// Origin returns "".
func (c *Cluster) Origin() string { return "" }

// Read lists the resources. If follow is set, it then watches them until ctx ends.
func (c *Cluster) Read(ctx context.Context, s *Store, follow bool) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	readers, err := c.readers(reader{Cluster: c, store: s, follow: follow, fail: fail})
	if err != nil {
		return Usagef("cannot use the kubeconfig: %w", err)
	}
	s.edit(func() {
		for _, r := range readers {
			s.resources[r.name] = &access{}
		}
	})
	var group sync.WaitGroup
	for _, r := range readers {
		group.Go(func() { r.read(ctx) })
	}
	nodes := func(ctx context.Context) { c.readNodes(ctx, s, readers[0].client) }
	releases := func(ctx context.Context) { c.readReleases(ctx, s, readers[0].client) }
	switch {
	case c.Rollout && follow:
		group.Go(func() { wait.UntilWithContext(ctx, nodes, nodesInterval) })
		group.Go(func() { wait.UntilWithContext(ctx, releases, releaseInterval) })
		group.Wait()
	case c.Rollout:
		group.Go(func() { nodes(ctx) })
		group.Wait()
		releases(ctx)
	default:
		group.Wait()
	}
	return context.Cause(ctx)
}

func (c *Cluster) readers(base reader) ([]reader, error) {
	var all []reader
	var errs []error
	add := func(isNeeded bool, gv schema.GroupVersion, install func(*runtime.Scheme) error, names ...string) {
		if !isNeeded {
			return
		}
		client, err := clientOf(c.Config, gv, install)
		errs = append(errs, err)
		for _, name := range names {
			r := base
			r.name, r.client = name, client
			r.server = cache.NewFilteredListWatchFromClient(client, name, metav1.NamespaceAll, func(*metav1.ListOptions) {})
			all = append(all, r)
		}
	}
	add(c.Rollout, mcfgv1.GroupVersion, mcfgv1.Install, machineConfigPools, machineConfigNodes)
	add(c.Components, operatorv1.GroupVersion, operatorv1.Install, configurations)
	return all, errors.Join(errs...)
}

func clientOf(config *rest.Config, gv schema.GroupVersion, install func(*runtime.Scheme) error) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	if err := install(scheme); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion, config.NegotiatedSerializer = "/apis", &gv, serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(config)
}

// Nodes and rendered MachineConfigs are optional: if the user may not read them, the screens omit
// the state of the Nodes and the OpenShift versions.
const (
	// nodesInterval is how often the Nodes are listed. A watch would receive each heartbeat.
	nodesInterval = 30 * time.Second
	// releaseInterval is how often the OpenShift versions of new configs are read. It also limits
	// the time of each optional request.
	releaseInterval = 2 * time.Second
)

// get reads an object or a list, as a Table or as PartialObjectMetadata.
func (c *Cluster) get(ctx context.Context, client rest.Interface, path, as string, parameters map[string]string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, min(c.RequestTimeout, releaseInterval))
	defer cancel()
	request := client.Get().AbsPath(path).SetHeader("Accept", "application/json;as="+as+";g=meta.k8s.io;v=v1")
	for name, value := range parameters {
		request.Param(name, value)
	}
	data, err := request.Do(ctx).Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// readNodes reads which Nodes are ready and which are cordoned. It reads the table that kubectl get
// prints, because a list of the Nodes has a hundred times as many bytes.
func (c *Cluster) readNodes(ctx context.Context, s *Store, client rest.Interface) {
	states := map[string]nodeState{}
	for token, isFirst := "", true; isFirst || token != ""; isFirst = false {
		var table metav1.Table
		parameters := map[string]string{"includeObject": "None", "limit": "500", "continue": token}
		if c.get(ctx, client, "/api/v1/nodes", "Table", parameters, &table) != nil || !addStates(states, table) {
			return
		}
		token = table.Continue
	}
	s.edit(func() { s.states = states })
}

// addStates adds the states of the Nodes in a table. It returns false if the table does not have
// the columns Name and Status.
func addStates(states map[string]nodeState, table metav1.Table) bool {
	column := func(name string) int {
		return slices.IndexFunc(table.ColumnDefinitions, func(c metav1.TableColumnDefinition) bool { return c.Name == name })
	}
	name, status := column("Name"), column("Status")
	for _, row := range table.Rows {
		if min(name, status) < 0 || max(name, status) >= len(row.Cells) {
			return false
		}
		node, _ := row.Cells[name].(string)
		words, _ := row.Cells[status].(string) // for example "Ready,SchedulingDisabled"
		state := strings.Split(words, ",")
		states[node] = nodeState{state[0] != "Ready", slices.Contains(state, "SchedulingDisabled")}
	}
	return true
}

// readReleases reads the OpenShift versions of the rendered configs that are not in the store yet.
func (c *Cluster) readReleases(ctx context.Context, s *Store, client rest.Interface) {
	const configs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/"
	for _, name := range s.unknownReleases() {
		var config metav1.PartialObjectMetadata
		err := c.get(ctx, client, configs+name, "PartialObjectMetadata", map[string]string{"resourceVersion": "0"}, &config)
		if err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			config.Name = name
			s.Put(&config)
		}
	}
}
