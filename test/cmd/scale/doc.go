// Command scale measures, on a real API server, the cost of reporting the updates of many nodes.
//
//	go run ./cmd/scale                          # all of it, about half an hour
//	go run ./cmd/scale --nodes 500 --compare 0  # one row
//
//	                 this process                              a child process
//	  ┌───────────────┬────────────────┐          ┌───────────┬─────────┬──────┐
//	  │ daemons,      │ node patches   │          │ informers │ rollout │ pool │
//	  │ C at a time   │ (the operator) │          │           │         │      │
//	  └──────┬────────┴───────┬────────┘          └─────┬─────┴────┬────┴──┬───┘
//	         └────────────────┴─ one connection each ───┴──────────┴───────┘
//	                            kube-apiserver ──► etcd
//
// Each daemon takes its node through one standard update with a drain and a reboot, as fast as it
// can. Requests are counted at the transport, bytes at the TCP connection, processor time is that
// of the API server as the kernel counts it.
//
// There are two measurements. In the comparison, daemons with this library and daemons that read
// and apply everything at each report take turns on one server, without controllers. The growth
// uses one cluster for each number of nodes, with the rollout and the pool controller in a process
// of their own.
//
// Limits: nodes send no heartbeats and run no Pods; all daemons share one connection,
// so that handshakes are not measured; and no daemon waits as long as a drain or a reboot takes.
package main
