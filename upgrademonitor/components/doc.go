// Package components reports what the operator, the controller and the daemons are doing, how they
// are, and what failed last, as conditions of MachineConfiguration/cluster.
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
// Conditions report what lasts: an error that is not resolved, a step that takes long or hangs. A
// healthy process writes nothing, because each write is sent to every daemon of the cluster.
//
// A process cannot report that it does not run: the operator and the controller report each other's
// [Deployment], and the operator reports the daemons, which never write this object ([Daemons]).
//
// Readers need only the conditions: [HealthOf], [Overall] and [MostRecentError] are pure functions.
package components
