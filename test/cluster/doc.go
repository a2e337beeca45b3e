// Package cluster runs a real etcd and a real kube-apiserver for tests. It uses envtest of
// controller-runtime, and adds outages.
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
// make servers builds the programs from Go modules (test/binaries) into .cache/bin. The environment
// variable K8S, for example K8S=1.33, selects the Kubernetes version of the API server.
//
// A test can stop a server and start it again with the same address and data. After
// [Cluster.PauseAPIServer], requests hang. After [Cluster.StopAPIServer], connections are refused.
// After [Cluster.StopEtcd], the API server responds with errors.
//
// No controller, scheduler or kubelet runs. So new namespaces have no service accounts, dependents
// of a deleted object are not deleted, and Pods do not run. The servers listen only on loopback.
// They exit within a second after the process that started them has exited.
package cluster
