// Package components reports what the operator, the controller and the daemons are doing, how healthy
// they are, and their last error, as conditions of MachineConfiguration/cluster.
//
//	Begin, End ───────────► running, faults ─┐
//	SetPeerConditions ────► peers ───────────┼──► conditions ──► one apply
//	Lister ───────────────► published ───────┘
//
// A process creates one [Reporter], and reports each step of its work to it:
//
//	reporter, err := components.New(components.Config{
//		Client:    clientset.OperatorV1().MachineConfigurations(),
//		Lister:    factory.Operator().V1().MachineConfigurations().Lister(),
//		Component: components.Operator,
//	})
//	…
//	go reporter.Run(ctx)
//	…
//	err = reporter.Track(ctx, components.OperatorSyncMCD, "", syncDaemons)
//
// Conditions report what lasts: an error that is not resolved, a step that takes long. What changes with
// each sync is passed to an [Observer], for metrics. A healthy process writes nothing, as the API server
// sends each write to every daemon of the cluster.
//
// A process cannot report that it is not running: the operator and the controller watch each other's
// Lease ([LeaseWatch]), and the operator reports the daemons, which never write this object ([Daemons]).
//
// Readers need none of these: [HealthOf], [Overall] and [MostRecentError] are functions of the conditions.
//
// It never creates the object, owns no field but its conditions, and keeps no history.
package components
