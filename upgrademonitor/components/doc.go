// Package components reports what the operator, the controller and the daemons are doing, their health,
// and their last error, as conditions of MachineConfiguration/cluster.
//
//	Begin, End ──► tracker ────┐
//	Judge ───────► judgements ─┼──► desired ──► limiter ──► one apply
//	Lister ──────► published ──┘    conditions
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
// Conditions report what lasts: an error that persists, a step that takes long. What changes with
// each sync is passed to an [Observer], for metrics. A healthy process thus writes nothing, as the API
// server sends each write to every daemon of the cluster.
//
// A process cannot report that it is not running: the operator and the controller judge each other by
// their Leases ([LeaseWatch]), and the operator judges the daemons, which never write this object
// ([Daemons]).
//
// Readers need none of these: [HealthOf], [Overall] and [MostRecentError] are functions of the conditions.
//
// It never creates the object, owns no field but its conditions, and keeps no history.
// docs/components.md has the table of the conditions, and the steps before an integration.
package components
