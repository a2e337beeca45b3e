// Package upgrademonitortest is for the tests of a daemon that reports with package upgrademonitor.
// The generated fake clientset checks no resourceVersion, no rule of the CRD and no transition;
// that of [NewClientset] does, and [Transitions] returns what someone who watches the object has
// seen:
//
//	clientset := upgrademonitortest.NewClientset(t)
//	monitor, err := upgrademonitor.New(upgrademonitor.Config{Client: clientset, …})
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
// What is not modelled: authorization, admission (see package scope/guard for the policies),
// server-side apply of a MachineConfigNode, and a CRD without images.
package upgrademonitortest
