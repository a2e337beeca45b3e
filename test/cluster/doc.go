// Package cluster runs a real etcd and kube-apiserver for tests, with envtest of
// controller-runtime, and adds outages, which envtest lacks.
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
// make servers builds the programs from Go modules (test/binaries) into .cache/bin. With K8S=1.33
// in the environment, the API server has that Kubernetes version.
//
// A test can stop a server and start it again, with the same address and the same data.
// [Cluster.PauseAPIServer] makes requests hang, [Cluster.StopAPIServer] makes them fail at once,
// and after [Cluster.StopEtcd] the API server responds with errors.
//
// No controller, scheduler or kubelet runs: new namespaces have no service accounts, dependents are
// not deleted, and Pods do not run. The servers listen only on loopback, and end within a second
// after the process that started them.
package cluster
