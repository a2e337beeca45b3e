// Package simulate is a cluster in memory: an API server with MachineConfigPools and Nodes, the real
// controllers of packages rollout and pool, a daemon on each Node that reports its updates with the library's
// Monitor, and a node controller that rolls out the next config, pool by pool, within maxUnavailable.
// The work of an update is not done: a daemon waits for as long as a step is to take, on a fast clock.
package simulate
