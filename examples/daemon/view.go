package main

import (
	"context"
	"errors"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/openshift/upgrademonitor/scope"
)

// printer prints an object that may have changed: lines, or a table.
type printer interface {
	print(*mcfgv1.MachineConfigNode) error
}

// view prints the object as it is, and then as a watch delivers it, in the background.
type view struct {
	printer printer
	last    chan string // the resource version to stop at
	done    chan error  // why it stopped
}

// watchObject prints the object and starts to watch it, until ctx ends.
func watchObject(ctx context.Context, client *scope.Client, p printer) (*view, error) {
	object, err := client.Get(ctx, client.NodeName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot read the MachineConfigNode: %w", err)
	}
	if err := p.print(object); err != nil {
		return nil, err
	}
	// The watch is open before the next write, so that no change is missed.
	first, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: object.ResourceVersion})
	if err != nil {
		return nil, fmt.Errorf("cannot watch the MachineConfigNode: %w", err)
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, object.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			if w := first; w != nil {
				first = nil
				return w, nil
			}
			return client.Watch(ctx, opts) // after a broken connection
		},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot watch the MachineConfigNode: %w", err)
	}
	v := &view{printer: p, last: make(chan string, 1), done: make(chan error, 1)}
	go func() {
		defer watcher.Stop()
		v.done <- v.follow(watcher.ResultChan(), object.ResourceVersion)
	}()
	return v, nil
}

// until waits until the object is printed up to a version, which is the last one. It may be
// called once.
func (v *view) until(ctx context.Context, version string) error {
	v.last <- version
	select {
	case err := <-v.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the last changes are missing: the watch did not deliver them: %w", context.Cause(ctx))
	}
}

// follow prints the object of each event, up to the last version.
func (v *view) follow(events <-chan watch.Event, seen string) error {
	var last string
	for !reached(seen, last) {
		select {
		case last = <-v.last:
		case event, ok := <-events:
			if !ok {
				return errors.New("the last changes are missing: the watch has ended")
			}
			switch object := event.Object.(type) {
			case *mcfgv1.MachineConfigNode:
				if event.Type != watch.Deleted { // the next report creates it again
					if err := v.printer.print(object); err != nil {
						return err
					}
				}
				seen = object.ResourceVersion
			default:
				return fmt.Errorf("the last changes are missing: the watch has failed: %w", apierrors.FromObject(event.Object))
			}
		}
	}
	return nil
}

// reached reports whether a version is the last one or later.
func reached(seen, last string) bool {
	if last == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(seen, last)
	return err == nil && order >= 0
}
