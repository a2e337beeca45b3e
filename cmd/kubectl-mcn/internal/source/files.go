package source

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// maxAge is how old the newest time in a file may be for ages to run to the time of the file: a copy, or
// a mail, changes that.
const maxAge = 24 * time.Hour

// Files is a source of files: lists and single objects, folders and must-gathers.
type Files struct {
	Names []string
	In    io.Reader
	At    time.Time // zero: when the files were written, else now
	Clock func() time.Time
	Note  func(format string, args ...any)

	written time.Time
	decoder decoder
	configs map[string]func() ([]byte, error) // the rendered configs of must-gathers, by name
}

// Origin returns the names of the files.
func (f *Files) Origin() string {
	var names []string
	for _, name := range f.Names {
		if name == "-" {
			name = "stdin"
		}
		names = append(names, filepath.Base(name))
	}
	return strings.Join(names, ", ")
}

// Now returns the time to which ages are measured.
func (f *Files) Now() time.Time {
	now := f.Clock()
	for _, t := range []time.Time{f.At, f.written} {
		if !t.IsZero() {
			return t.In(now.Location())
		}
	}
	return now
}

// Read reads all files.
func (f *Files) Read(_ context.Context, s *Store, _ bool) error {
	d := &f.decoder
	d.skipped = map[string]int{}
	f.configs = map[string]func() ([]byte, error){}
	for _, name := range f.Names {
		if strings.Contains(name, "://") {
			return Usagef("%s is a URL: download it first", name)
		}
		var failed error
		err := f.each(name, func(file string, data []byte) {
			if err := d.decode(file, data); err != nil && failed == nil {
				failed = err
			}
		})
		switch {
		case err != nil:
			return Usagef("cannot read %s: %w", name, err)
		case failed != nil && len(d.objects) == 0:
			return failed
		case failed != nil:
			f.Note("%v; the rest is shown", failed)
		}
	}
	f.put(s)
	var skipped []string
	for _, what := range slices.Sorted(maps.Keys(d.skipped)) {
		skipped = append(skipped, fmt.Sprintf("%d %s", d.skipped[what], what))
	}
	has := strings.Join(skipped, ", ")
	switch {
	case len(s.nodes)+len(s.pools) == 0 && s.config == nil && has != "":
		return Usagef("no MachineConfigNodes and no MachineConfigPools in %s, but %s: %s", f.Origin(), has, getThem)
	case len(s.nodes)+len(s.pools) == 0 && s.config == nil:
		return Usagef("no MachineConfigNodes and no MachineConfigPools in %s: %s", f.Origin(), getThem)
	case has != "":
		f.Note("skipped what is not shown: %s", has)
	}
	f.readReleases(s)
	f.setTime(d.objects[len(d.objects)-1].newest)
	return nil
}

// setTime lets ages run to the newest time in the files if they were copied long after they were written.
func (f *Files) setTime(newest time.Time) {
	if f.At.IsZero() && !newest.IsZero() && newest.Before(f.Now().Add(-maxAge)) {
		f.written = newest
		f.Note("ages run to %s, the newest time in %s: --at sets another time", newest.UTC().Format(time.RFC3339), f.Origin())
	}
}

// put stores the objects. Of two objects of one name the newer object is shown.
func (f *Files) put(s *Store) {
	slices.SortStableFunc(f.decoder.objects, func(a, b dated) int { return a.newest.Compare(b.newest) })
	seen, again := map[string]bool{}, []string{}
	s.edit(func() {
		for _, o := range f.decoder.objects {
			key := fmt.Sprintf("%T %s", o.Object, o.GetName())
			if seen[key] {
				again = append(again, o.GetName())
			}
			seen[key] = true
			s.put(o.Object)
		}
	})
	if len(again) > 0 {
		f.Note("there are several objects of one name (%s): the newest is shown", strings.Join(again[:min(len(again), 3)], ", "))
	}
}

// readReleases reads only those of the rendered configs of must-gathers that are shown: they are large.
func (f *Files) readReleases(s *Store) {
	for _, name := range s.unknownReleases() {
		var config metav1.PartialObjectMetadata
		if read, ok := f.configs[name]; ok {
			if text, err := read(); err == nil && yaml.Unmarshal(text, &config) == nil {
				s.setRelease(name, config.Annotations)
			}
		}
	}
}
