// Package progress reports how a rollout is progressing: the step of each node, which ones are
// stuck, since when and why, and how long it will take.
//
// A snapshot of the objects is enough:
//
//	MachineConfigNode ──► Node ─────────┐
//	MachineConfigPool ──────────────────┼──► Pools ──► Pool: counts, stuck nodes, time left
//	time, Limits ───────────────────────┘
//
// A watch adds what the objects lose when an update ends:
//
//	MachineConfigNode, each version ──► History.Observe ──► History.Spans: the timeline
//	                                                   └──► Pools: what each step typically takes
//
// In short:
//
//	nodes := make([]progress.Node, 0, len(list.Items))
//	for i := range list.Items {
//		nodes = append(nodes, progress.FromMachineConfigNode(&list.Items[i]))
//	}
//	for _, pool := range progress.Pools(pools, nodes, nil, time.Now(), progress.Limits{}) {
//		fmt.Printf("%s: %d of %d nodes are done\n", pool.Name, pool.Done, pool.Total())
//		for _, stuck := range pool.StuckNodes() {
//			fmt.Printf("%s: %s for %s: %s\n", stuck.Name, stuck.Step, stuck.For, stuck.Message)
//		}
//	}
//
// The states of a node in a rollout:
//
//	Unreported   Waiting ──► Updating ──► Done
//	                          │    ▲
//	                          ▼    │
//	                          Stuck
//
// It reads the objects of any daemon that reports these conditions, also if it changes their times with
// each message and omits steps. What is not known is left empty, and never guessed.
//
// The package is pure: no I/O, no clock, no logging. Everything but a History is safe for
// concurrent use.
//
// It does not read Nodes, Pods and disruption budgets, and formats nothing: messages are those of
// the objects, of any length and with any characters.
package progress
