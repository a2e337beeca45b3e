package source

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// nodesInterval is how often the state of the Nodes is read. A watch would receive each heartbeat.
const nodesInterval = 30 * time.Second

// readNodes reads whether the Nodes are ready and cordoned, if that is allowed: as the table that kubectl
// get prints, which has a hundredth of their bytes.
func (c *Cluster) readNodes(ctx context.Context, s *Store, follow bool) {
	client, err := clientOf(c.Config, schema.GroupVersion{Version: "v1"}, func(*runtime.Scheme) error { return nil })
	if err != nil || !c.Rollout {
		return
	}
	read := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, min(c.Patience, releaseInterval))
		defer cancel()
		states := map[string]nodeState{}
		for token, isFirst := "", true; isFirst || token != ""; isFirst = false {
			request := client.Get().AbsPath("/api/v1/nodes").SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
			data, err := request.Param("includeObject", "None").Param("limit", "500").Param("continue", token).Do(ctx).Raw()
			var table metav1.Table
			if err != nil || json.Unmarshal(data, &table) != nil || !addStates(states, table) {
				return
			}
			token = table.Continue
		}
		s.edit(func() { s.states = states })
	}
	if follow {
		wait.UntilWithContext(ctx, read, nodesInterval)
	} else {
		read(ctx)
	}
}

// addStates adds the states in a table of Nodes, and reports whether it is one.
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
