// Package components reports the activity, the health and the last error of the
// machine-config-operator, the machine-config-controller and the machine-config-daemons, as
// conditions of MachineConfiguration/cluster.
//
//	Begin, end ──────────► tracker ──► conditions ──► one apply
//	SetPeerConditions ───────┘              ▲
//	Lister ─────────────────────────────────┘
//
// A process (the operator or the controller) creates one [Reporter], and reports each step of its
// work. A step has a [State], which is its name:
//
//	reporter, err := components.New(components.Config{
//		Client:    clientset.OperatorV1().MachineConfigurations(),
//		Lister:    factory.Operator().V1().MachineConfigurations().Lister(),
//		Component: components.Operator,
//	})
//	go reporter.Run(ctx)
//	err = reporter.Track(ctx, components.OperatorSyncMCD, "", syncDaemons)
//
// Writes are rare, because the API server sends each write to every daemon of the cluster: after the
// bootstrap, an error or a step that lasts less than two minutes causes none.
//
// A process cannot report that it is down. So the operator and the controller report whether the
// [Deployment] of the other process is available, and the operator reports the health of the
// [Daemons], which do not write the object.
//
// [HealthOf], [Overall] and [MostRecentError] are pure functions for readers of the conditions.
package components
