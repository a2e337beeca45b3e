package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// files is a source that is read once.
type files struct {
	cli     cli
	names   []string
	at      time.Time // the value of --at; zero: the newest time that was read, and is not in the future
	newest  time.Time
	ended   time.Time // of a must-gather
	skipped map[string]int
}

func newFiles(p cli, f *sourceFlags) (*files, error) {
	at, err := parseAt(f.at, p.clock.Now())
	return &files{cli: p, names: f.files, at: at, skipped: map[string]int{}}, err
}

func (f *files) now() time.Time {
	for _, t := range []time.Time{f.at, f.ended, f.newest} {
		if !t.IsZero() {
			return t.In(f.cli.clock.Now().Location())
		}
	}
	return f.cli.clock.Now()
}

// load reads all files.
func (f *files) load(_ context.Context, s *store, t trimmer) error {
	return f.read(func(e event) error {
		f.apply(s, t, e)
		return nil
	})
}

// follow is not used: see replay.
func (f *files) follow(context.Context, *store, trimmer) error { return nil }

// replayer is a source of past changes.
type replayer interface {
	replay(*store, trimmer, func(view) (bool, error)) error
}

func isReplay(src source) bool { _, ok := src.(replayer); return ok }

// replay calls look after each change, with the times in the objects: first with the objects that a
// list has, or with which a watch begins.
func (f *files) replay(s *store, t trimmer, look func(view) (bool, error)) error {
	done, filled, changed := false, false, false
	at := f.at
	f.at = time.Time{}
	show := func() (err error) {
		if !done {
			done, err = look(s.look(f.now()))
		}
		return err
	}
	err := f.read(func(e event) error {
		if e.listed || e.added && !changed {
			f.apply(s, t, e)
			filled = true
			return nil
		}
		if !changed && filled {
			if err := show(); err != nil {
				return err
			}
		}
		changed = true
		f.apply(s, t, e)
		return show()
	})
	if err != nil {
		return err
	}
	f.at = at
	return show()
}

// apply applies one object to the store.
func (f *files) apply(s *store, t trimmer, e event) {
	if newest := newestTime(e.object, f.cli.clock.Now()); newest.After(f.newest) {
		f.newest = newest
	}
	switch o := e.object.(type) {
	case *mcfgv1.MachineConfigNode:
		if e.deleted {
			s.remove(&trimmedNode{ObjectMeta: trimMeta(o.ObjectMeta)})
			return
		}
		s.put(t.node(o))
	case *mcfgv1.MachineConfigPool:
		if e.deleted {
			s.remove(o)
			return
		}
		s.put(trimPool(o))
	}
}

// read reads all files, and handles each object. Objects of other kinds are noted once.
func (f *files) read(handle func(event) error) error {
	found := 0
	for _, name := range f.names {
		paths, err := f.paths(name)
		if err != nil {
			return err
		}
		for _, path := range paths {
			err := f.readFile(path, func(e event) error {
				if e.object == nil {
					f.skipped[e.what]++
					return nil
				}
				found++
				return handle(e)
			})
			var broken *brokenError
			switch {
			case errors.As(err, &broken) && found > 0:
				f.cli.note("%s: the rest is skipped: %v", path, broken.err)
			case errors.As(err, &broken):
				return usage("cannot read %s: %w", path, broken.err)
			case err != nil:
				return err
			}
		}
	}
	f.noteSkipped()
	if found == 0 {
		return usage("no MachineConfigNodes and no MachineConfigPools in %s", strings.Join(f.names, ", "))
	}
	return nil
}

// noteSkipped notes the kinds that were skipped, once.
func (f *files) noteSkipped() {
	var kinds []string
	for what, n := range f.skipped {
		kinds = append(kinds, fmt.Sprintf("%d %s", n, what))
	}
	slices.Sort(kinds)
	if len(kinds) > 0 {
		f.cli.note("skipped what is no MachineConfigNode or MachineConfigPool: %s", strings.Join(kinds, ", "))
	}
	clear(f.skipped)
}

func (f *files) readFile(path string, handle func(event) error) error {
	in := f.cli.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return usage("cannot read %s: %w", path, errors.Unwrap(err))
		}
		defer file.Close()
		in = file
	}
	return decode(in, handle)
}
