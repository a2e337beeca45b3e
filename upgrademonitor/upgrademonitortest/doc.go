// Package upgrademonitortest is for tests of a daemon that reports with package upgrademonitor.
// Unlike the generated fake clientset, the clientset of [NewClientset] checks resourceVersions, the
// rules of the CRD, and the changes of conditions. [Transitions] returns the statuses that a client
// with a watch would have seen:
//
//	clientset := upgrademonitortest.NewClientset(t)
//	monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{Client: clientset, …})
//	require.NoError(t, err)
//
//	require.NoError(t, newDaemon(monitor).update(t.Context()))
//
//	require.NoError(t, monitor.Flush(t.Context()))
//	assert.Equal(t, strings.Join([]string{
//		"UpdateExecuted: False Unknown",
//		"Drained: False Unknown True",
//	}, "\n"), upgrademonitortest.Transitions(t, clientset, "worker-0"))
//
// The clientset has no authorization and no admission policies, and does not support server-side
// apply of a MachineConfigNode. Its CRD has the fields of image mode.
package upgrademonitortest
