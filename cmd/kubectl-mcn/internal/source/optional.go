package source

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// What a user may not read of Nodes and rendered MachineConfigs is not shown.

const (
	// nodesInterval is how often the state of the Nodes is read. A watch would receive each heartbeat.
	nodesInterval = 30 * time.Second
	// releaseInterval is how often releases of new configs are read, and how long a screen waits for them.
	releaseInterval = 2 * time.Second
)

// get reads an object, or a list, in another form.
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

// readNodes reads whether the Nodes are ready and cordoned, as the table that kubectl get prints: it has a
// hundredth of their bytes.
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

// addStates adds the states in a table of Nodes, and reports whether it has these columns.
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
		words, _ := row.Cells[status].(string) // Ready,SchedulingDisabled
		state := strings.Split(words, ",")
		states[node] = nodeState{state[0] != "Ready", slices.Contains(state, "SchedulingDisabled")}
	}
	return true
}

// readReleases reads the OpenShift version of each rendered config that has none yet.
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
