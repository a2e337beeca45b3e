// Package handlers connects a controller to shared informers: typed event handlers, and a set
// of registrations that ends with the controller, where the informers live on.
//
//	var set handlers.Set
//	defer set.Remove()
//	err := set.Add(ctx, nodes.Informer(), handlers.Funcs[*corev1.Node]{Add: enqueue, Update: onUpdate, Delete: enqueue})
//	…
//	if !cache.WaitFor(ctx, "", set.Synced()...) {
//		return
//	}
package handlers
