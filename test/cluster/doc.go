// Package cluster runs a real etcd and kube-apiserver for tests, with envtest of
// controller-runtime, and adds what envtest lacks: outages.
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
// The programs are built from Go modules (test/binaries) by make servers, into .cache/bin. With
// K8S=1.33 in the environment the API server is of that version of Kubernetes.
//
// A test can take a server away and bring it back, on the same address and with the same data:
// [Cluster.PauseAPIServer] makes requests hang, [Cluster.StopAPIServer] makes them fail at once,
// [Cluster.StopEtcd] leaves an API server that answers with errors.
//
// No controller, scheduler or kubelet runs: nothing creates service accounts in new namespaces,
// deletes dependents or makes a Pod run. The servers listen on loopback only and end within a
// second after the process that started them.
package cluster
