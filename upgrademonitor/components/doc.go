// Package components reports the activity, the health and the last error of the operator, the
// controller and the daemons, as conditions of MachineConfiguration/cluster.
//
//	Begin, end ──────────► tracker ──► conditions ──► one apply
//	SetPeerConditions ───────┘              ▲
//	Lister ─────────────────────────────────┘
//
// A process creates one [Reporter], and reports each step of its work:
//
//	reporter, err := components.New(components.Config{
//		Client:    clientset.OperatorV1().MachineConfigurations(),
//		Lister:    factory.Operator().V1().MachineConfigurations().Lister(),
//		Component: components.Operator,
//	})
//	go reporter.Run(ctx)
//	err = reporter.Track(ctx, components.OperatorSyncMCD, "", syncDaemons)
//
// Conditions report only what lasts: an unresolved error, or a step that takes long or hangs. A
// healthy process writes nothing, because each write is sent to every daemon of the cluster.
//
// A process cannot report that it is down, so the operator and the controller report each other's
// [Deployment], and the operator reports the daemons, which never write this object ([Daemons]).
//
// Readers need only the conditions: [HealthOf], [Overall] and [MostRecentError] are pure functions.
package components
