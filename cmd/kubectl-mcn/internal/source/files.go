package source

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// maxAge limits the time from the newest condition to the modification of the file. If the limit is
// exceeded, the file is probably a copy, and Now returns the time of the newest condition.
const maxAge = 24 * time.Hour

var (
	// objectFile matches the files to read in a folder.
	objectFile = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)
	// gathered matches the files to read in a must-gather or an insights archive, which have many
	// other files.
	gathered = regexp.MustCompile(`(?i)(^|/)(` +
		`machineconfiguration\.openshift\.io/machineconfig((node|pool)s|s/.*)|` +
		`operator\.openshift\.io/machineconfigurations|` +
		`config\.openshift\.io/cluster(version|operator)s|` +
		`core/nodes|policy/poddisruptionbudgets|` +
		`config/(node|machineconfig((node|pool)s|s/rendered-.*))|` +
		`hypershift\.openshift\.io/.*` +
		`)[/.].*(ya?ml|json)$`)
	// kindOf maps the name of a folder to the kind of the objects in it. It is needed because the
	// Nodes in an insights archive have no field kind.
	kindOf = map[string]string{"node": "Node", "nodes": "Node"}
)

// Files is a Source that reads files, folders and must-gathers.
type Files struct {
	Names []string
	In    io.Reader
	At    time.Time // the value of --at, or zero
	Clock func() time.Time
	Note  func(format string, args ...any)

	// written is the result of Now if At is zero: the newest modification time of the files, or the
	// newest time of the conditions if this time is more than maxAge earlier.
	written time.Time
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

// Now returns the time of --at or of the files.
func (f *Files) Now() time.Time {
	now := f.Clock()
	return cmp.Or(f.At, f.written, now).In(now.Location())
}

// Read reads all files. If two objects have the same kind and name, it keeps the newer object.
func (f *Files) Read(_ context.Context, s *Store, _ bool) error {
	d := decoder{}
	var failed error // the first error of a damaged file
	for _, name := range f.Names {
		err := f.each(name, func(file string, data []byte) {
			kind := kindOf[filepath.Base(filepath.Dir(file))]
			failed = cmp.Or(failed, d.decode(filepath.Base(file), kind, data))
		})
		if err != nil {
			return Usagef("cannot read %s: %w", name, err)
		}
	}
	switch {
	case failed != nil && len(d.objects) == 0:
		return failed
	case failed != nil:
		f.Note("%v; all other objects are shown", failed)
	}
	if err := d.check(f.Origin()); err != nil {
		return err
	}
	slices.SortStableFunc(d.objects, func(a, b dated) int { return a.newest.Compare(b.newest) })
	// If the file is a copy, its modification time is too new.
	newest := d.objects[len(d.objects)-1].newest
	if f.At.IsZero() && !newest.IsZero() && newest.Before(f.Now().Add(-maxAge)) {
		f.written = newest
		f.Note("ages are computed at %s, the newest time in %s: --at sets another time",
			newest.UTC().Format(time.RFC3339), f.Origin())
	}
	s.facts.Older = d.older()
	// Put all objects in one edit, because a pool could look done without some of its objects.
	s.edit(func() {
		for _, o := range d.objects {
			s.put(o.Object)
		}
	})
	return nil
}

// each calls do for a file, or for the files of a folder. It keeps the newest modification time in
// f.written.
func (f *Files) each(name string, do func(file string, data []byte)) error {
	if name == "-" {
		data, err := io.ReadAll(f.In)
		do("stdin", data)
		return err
	}
	files, err := find(name)
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return err
		case info.IsDir(): // a link to a folder
			continue
		}
		f.written = mco.Later(f.written, info.ModTime())
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		do(file, data)
	}
	return nil
}

// find returns the files to read, sorted. name is a file or a folder. In a must-gather or an insights
// archive, find chooses the files that gathered matches, and the YAML and JSON files directly in the
// folder. In any other folder, it chooses all YAML and JSON files. It follows symbolic links to files.
func find(name string) ([]string, error) {
	root, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	var chosen, top, all []string
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
			return err
		case gathered.MatchString(filepath.ToSlash(file)):
			chosen = append(chosen, file)
		case file == root || filepath.Dir(file) == root && objectFile.MatchString(file):
			top = append(top, file)
		case objectFile.MatchString(file):
			all = append(all, file)
		}
		return nil
	})
	if len(chosen) == 0 {
		chosen = all
	}
	chosen = append(chosen, top...)
	if err == nil && len(chosen) == 0 {
		err = errors.New("the folder has no .yaml or .json files")
	}
	slices.Sort(chosen)
	return chosen, err
}
