// Command kubectl-mcn shows the progress of the updates of a cluster's nodes: each pool, the
// stuck nodes, since when and why, and the nodes in flight. Installed, it is kubectl mcn and
// oc mcn:
//
//	go install github.com/openshift/upgrademonitor/examples/kubectl-mcn@latest
//
//	kubectl mcn                                # the progress of all pools
//	kubectl mcn worker infra -w                # two pools, redrawn as they change
//	kubectl mcn --state stuck -o json          # what needs an administrator, for a script
//	kubectl mcn -f must-gather.local.123/      # another cluster, at an earlier time
//	kubectl mcn timeline -o svg > update.svg   # when each node did what
//	kubectl mcn components                     # the health of the operator, the controller and the daemons
//
// It reads machineconfignodes and machineconfigpools (get, list and watch, as cluster-reader
// may), components also machineconfigurations (get), and writes nothing.
//
// # Watching
//
// With -w a terminal is redrawn at most four times a second. Other outputs get one line for each
// change or, with -o json, one JSON object:
//
//	14:14:11 worker 3/6 worker-3 Files and OS done in 84s, Rebooting
//
// While the server is unreachable, the last screen stays, with the time of its last response.
//
// # Waiting
//
// kubectl mcn wait exits with 0 when pools are done, with 1 when a node is stuck or degraded for
// longer than --tolerate, with 2 if there is nothing to wait for, and with 3 after --timeout.
// Before an update begins, a pool is done, too; with --from, the config that it is updated from,
// only another target counts:
//
//	from=$(oc get mcp worker -o jsonpath='{.spec.configuration.name}')
//	oc apply -f machineconfig.yaml
//	kubectl mcn wait worker --from "$from" --timeout 1h
//
// # From files
//
// With -f it reads a must-gather folder, lists, single objects and recorded watches (oc get
// machineconfignodes -w -o json --output-watch-events), in JSON or YAML. Times are measured to
// when the must-gather ended, or to the newest time in the files that is not in the future; --at
// sets another one. A recorded watch with the pools after it is a whole rollout:
//
//	oc get machineconfignodes -w -o json --output-watch-events > rollout.json # until Ctrl-C
//	oc get machineconfigpools -o json >> rollout.json
//	kubectl mcn timeline -f rollout.json
//
// # What is not known
//
// An object contains the active update, and of the last one only when it was ordered and ended.
// The chart of a timeline thus has = for updates that were not watched; a recorded watch has their
// steps. Nothing is estimated before three nodes of a pool are done.
package main
