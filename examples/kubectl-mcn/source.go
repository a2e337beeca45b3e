package main

import (
	"context"
	"time"
)

// source provides the objects: a cluster, a simulated one, or files.
type source interface {
	// load fills a store once.
	load(context.Context, *store, trimmer) error
	// follow keeps a store up to date until the context ends. It returns an error if it never
	// can.
	follow(context.Context, *store, trimmer) error
	// now is the time to which ages are measured.
	now() time.Time
}

// open returns the source that the flags select, for one view or for many.
func (f *sourceFlags) open(ctx context.Context, p cli, once bool) (source, error) {
	if f.simulate.asked() {
		if len(f.files) > 0 {
			return nil, usage("--simulate and -f exclude each other")
		}
		return newSimulated(ctx, p, f.simulate, once)
	}
	if len(f.files) > 0 {
		return newFiles(p, f)
	}
	if f.at != "" {
		return nil, usage("--at requires -f")
	}
	return connect(p, &f.cluster)
}
