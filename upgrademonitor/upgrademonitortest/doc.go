// Package upgrademonitortest is for tests of a daemon that reports with package upgrademonitor.
// Unlike the generated fake clientset, the clientset of [NewClientset] checks resourceVersions,
// rules of the CRD and transitions. [Transitions] returns the statuses that a watcher would see:
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
// The clientset does not model authorization, admission (see package scope/guard for the policies),
// server-side apply of a MachineConfigNode, or a CRD without the field configImage.
package upgrademonitortest
