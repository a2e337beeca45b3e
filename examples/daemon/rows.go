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

// rows prints the object as it is, and then as a watch delivers it, in the background.
type rows struct {
	table *table
	last  chan string // the resource version to stop at
	done  chan error  // why it stopped
}

// watchRows prints the first row and begins to watch, until ctx ends.
func watchRows(ctx context.Context, client *scope.Client, t *table) (*rows, error) {
	object, err := client.Get(ctx, client.NodeName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot read what was written: %w", err)
	}
	if err := t.print(object); err != nil {
		return nil, err
	}
	// The watch is open before the next write, so that no change goes unseen.
	first, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: object.ResourceVersion})
	if err != nil {
		return nil, fmt.Errorf("cannot watch what is written: %w", err)
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, object.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			if w := first; w != nil {
				first = nil
				return w, nil
			}
			return client.Watch(ctx, opts) // again, where the connection broke
		},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot watch what is written: %w", err)
	}
	r := &rows{table: t, last: make(chan string, 1), done: make(chan error, 1)}
	go func() {
		defer watcher.Stop()
		r.done <- r.print(watcher.ResultChan(), object.ResourceVersion)
	}()
	return r, nil
}

// until waits until the rows up to a version of the object are printed; no more follow. It
// may be called once.
func (r *rows) until(ctx context.Context, version string) error {
	r.last <- version
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the last rows are missing: the watch did not deliver them: %w", context.Cause(ctx))
	}
}

// print prints a row for each event, until it has seen the last version.
func (r *rows) print(events <-chan watch.Event, seen string) error {
	var last string
	for !reached(seen, last) {
		select {
		case last = <-r.last:
		case event, ok := <-events:
			if !ok {
				return errors.New("the last rows are missing: the watch has ended")
			}
			switch object := event.Object.(type) {
			case *mcfgv1.MachineConfigNode:
				if event.Type != watch.Deleted { // else the next report makes it anew
					if err := r.table.print(object); err != nil {
						return err
					}
				}
				seen = object.ResourceVersion
			default:
				return fmt.Errorf("the last rows are missing: the watch has failed: %w", apierrors.FromObject(event.Object))
			}
		}
	}
	return nil
}

// reached reports whether a version is the last one, or a later one.
func reached(seen, last string) bool {
	if last == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(seen, last)
	return err == nil && order >= 0
}
