// Package cluster runs a real etcd and a real kube-apiserver for tests and for developers.
//
//	test process ──► kube-apiserver ──► etcd
//	                 127.0.0.1:port     127.0.0.1:port
//	                 TLS, RBAC          data in a temporary folder
//
// The two servers, and kubectl, are built from Go modules (the nested module test/binaries)
// the first time they are needed, which takes about four minutes on a small machine, and are kept
// in the repository's .cache folder after that. A start then takes a few seconds:
//
//	c, err := cluster.Start(ctx, cluster.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Stop()
//
//	client, err := kubernetes.NewForConfig(c.Config())
//	...
//	table, err := c.Kubectl(ctx, "get", "machineconfignodes")
//
// # Outages
//
// A test can stop a server and start it again: [Cluster.PauseAPIServer] makes requests hang,
// [Cluster.StopAPIServer] makes them fail at once, [Cluster.StopEtcd] leaves an API server that
// answers with errors. Address, certificates and data stay the same.
//
// # What stops the servers
//
// [Cluster.Stop] does. On Linux the kernel also kills them when the process that called [Start]
// dies in any way, a test timeout or SIGKILL included. [Up] is for a developer: its servers stay
// until [Down].
//
// # What it does not do
//
// No controllers, no scheduler and no kubelet run: nothing creates service accounts in new
// namespaces, deletes dependents or makes a Pod run. The API server is reachable from this machine
// only. The port of etcd has no authentication, so this is not for a machine whose
// local users do not trust each other. Needs a Unix system and the go command.
package cluster
