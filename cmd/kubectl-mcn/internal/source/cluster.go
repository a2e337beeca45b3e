package source

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
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
	Rollout        bool   // read pools and nodes
	Components     bool   // read the health of the components
	MachineConfig  string // read the MachineConfig of this name; "" is none
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
			s.resources[r.name] = &access{names: map[string]bool{}}
		}
	})
	var group sync.WaitGroup
	for _, r := range readers {
		group.Go(func() { r.read(ctx) })
	}
	details := func(ctx context.Context) {
		c.readConfigs(ctx, s, readers[0].client)
		c.readPods(ctx, s, readers[0].client)
	}
	if follow {
		group.Go(func() { wait.UntilWithContext(ctx, details, detailsInterval) })
	}
	group.Wait()
	if !follow {
		details(ctx)
	}
	return context.Cause(ctx)
}

func (c *Cluster) readers(base reader) ([]reader, error) {
	var all []reader
	var errs []error
	only := map[string]string{machineConfigs: c.MachineConfig, clusterVersions: "version", clusterOperators: ownOperator}
	add := func(isNeeded bool, path string, gv schema.GroupVersion, install func(*runtime.Scheme) error, names ...string) {
		if !isNeeded {
			return
		}
		client, err := clientOf(c.Config, path, gv, install)
		errs = append(errs, err)
		for _, name := range names {
			r := base
			r.name, r.client = name, client
			r.server = cache.NewFilteredListWatchFromClient(client, name, metav1.NamespaceAll, func(o *metav1.ListOptions) {
				if object, isOne := only[name]; isOne {
					o.FieldSelector = "metadata.name=" + object
				}
			})
			all = append(all, r)
		}
	}
	add(c.Rollout, "/apis", mcfgv1.GroupVersion, mcfgv1.Install, machineConfigPools, machineConfigNodes)
	add(c.MachineConfig != "", "/apis", mcfgv1.GroupVersion, mcfgv1.Install, machineConfigs)
	add(c.Rollout, "/api", corev1.SchemeGroupVersion, corev1.AddToScheme, coreNodes)
	add(c.Components, "/apis", operatorv1.GroupVersion, operatorv1.Install, configurations)
	add(c.Rollout && c.Components, "/apis", configv1.GroupVersion, configv1.Install, clusterVersions, clusterOperators)
	return all, errors.Join(errs...)
}

func clientOf(
	config *rest.Config, path string, gv schema.GroupVersion, install func(*runtime.Scheme) error,
) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	if err := install(scheme); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.APIPath = path
	config.GroupVersion = &gv
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	if gv == corev1.SchemeGroupVersion { // custom resources have no protobuf
		config.ContentType = runtime.ContentTypeProtobuf
		config.AcceptContentTypes = runtime.ContentTypeProtobuf + ",application/json"
	}
	return rest.RESTClientFor(config)
}

// detailsInterval is the interval at which optional objects are read, and the maximum time of each of
// these requests.
const detailsInterval = 2 * time.Second

const configsPath = "/apis/machineconfiguration.openshift.io/v1/machineconfigs"

// readConfigs reads the metadata of the rendered configs that are not in the store yet, and of the
// MachineConfigs of each new target. If the user may not read them, the screens omit the OpenShift versions, the
// time when the target of a paused pool was created, and who changed which MachineConfig.
func (c *Cluster) readConfigs(ctx context.Context, s *Store, client rest.Interface) {
	for _, name := range s.unknownConfigs() {
		config := &metav1.PartialObjectMetadata{}
		err := c.getJSON(ctx, client.Get().AbsPath(configsPath, name), config)
		if err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			config.Name = name
			s.Put(config)
		}
	}
	for target, selector := range s.newTargets() {
		list := &metav1.PartialObjectMetadataList{}
		if c.getJSON(ctx, client.Get().AbsPath(configsPath).Param("labelSelector", selector), list) == nil {
			s.putSources(target, list.Items, c.MachineConfig)
		}
	}
}

// getJSON reads an object or a list.
func (c *Cluster) getJSON(ctx context.Context, request *rest.Request, into any) error {
	ctx, cancel := context.WithTimeout(ctx, min(c.RequestTimeout, detailsInterval))
	defer cancel()
	switch into.(type) {
	case *metav1.PartialObjectMetadata:
		request.Param("resourceVersion", "0").SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
	case *metav1.PartialObjectMetadataList:
		request.Param("resourceVersion", "0").SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	}
	data, err := request.Do(ctx).Raw()
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}
