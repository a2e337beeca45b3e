// Package rollout keeps one MachineConfigNode (MCN) for each Node: the operator's half of
// what package upgrademonitor is the daemon's half of.
//
//	Nodes ──────────────┐                        owner, spec
//	MachineConfigPools ─┼─► informers ─► queue ─► apply ─────► MachineConfigNode
//	MachineConfigNodes ─┘
//
// The host has shared informers and starts them; leader election is the host's too:
//
//	core := informers.NewSharedInformerFactoryWithOptions(kubeClient, 0, informers.WithTransform(pool.Trim))
//	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(client, 0, mcfginformers.WithTransform(pool.Trim))
//	controller, err := rollout.New(rollout.Config{
//		Client: client, KubeClient: kubeClient,
//		Nodes:              core.Core().V1().Nodes(),
//		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
//		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
//	})
//	…
//	core.Start(ctx.Done())
//	mcfg.Start(ctx.Done())
//	err = controller.Run(ctx, 4)
//
// What is guaranteed:
//
//  1. A Node has an object as soon as it is acknowledged, which is when it is neither
//     Pending nor Provisioning. Windows nodes have none.
//  2. The object's owner is the Node, its pool is the node's primary pool (pool.Primary),
//     its desired config and image are what the node's annotations say. What changes is
//     carried into it at once; NotYetSet stands for what nobody has said.
//     A node that no pool wants any more keeps the pool that it had.
//  3. A pool that cannot be told, because two custom pools want the node, is left as it is,
//     and is a warning event of the Node. The rest of the object goes on following.
//  4. A Node that was made anew under the same name has a new object, unless its daemon has
//     made it the owner of the old one before the controller saw either.
//  5. The object of a Node that is gone is deleted after Config.OrphanGrace, if no garbage
//     collector has taken it by then.
//  6. What is right is not written, after a restart neither. A write is computed from a Node
//     that was read after the object, and has the object's resource version as its
//     precondition: it never undoes what the daemon knows already. An object that the cache
//     does not have is applied without force: where somebody else has made it meanwhile, and
//     it says something else, that is a conflict.
//  7. The status is never written.
//
// # Who owns which field
//
// The objects are written by server-side apply with a field manager of the controller's own,
// Config.FieldManager. Both sides derive the spec from the Node by the same function,
// upgrademonitor.Desired, so that whoever comes second finds nothing to do.
//
//	field                            applied by          also written by
//	metadata.ownerReferences[Node]   rollout             the daemon's spec call
//	spec.node, spec.pool,
//	spec.configVersion.desired,
//	spec.configImage.desiredImage    rollout             the daemon's spec call, where it differs
//	status                           the daemon          –
//	everything else                  –                   whoever wants to: it is not touched
//
// The pool is the one thing that the daemon has to be told. Where this controller runs, leave
// upgrademonitor.Config.Pool unset, or have it go by pool.Primary: two answers would be written
// in turn.
//
// # What it costs
//
// A new node: one read of the Node, one apply. A change of its pool or its desired config: the
// same, or nothing where the daemon was faster. Besides, three watches, which list as the
// client-go of the host does, as a stream where the API server can. The client's rate limit
// applies: client-go's default of 5 requests a second makes 5,000 new nodes wait for a quarter
// of an hour.
//
// scope.Operator describes the RBAC objects that it needs.
package rollout
