package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	// gatheredPods matches the Pods in a must-gather, and those that oc adm inspect was asked for. They are large,
	// and few of them matter.
	gatheredPods = regexp.MustCompile(`(?i)/namespaces/[^/]+/(core/pods(/[^/]+)?|pods/[^/]+/[^/]+)\.ya?ml$`)
	// archiveFile matches the names of archives.
	archiveFile = regexp.MustCompile(`(?i)\.(tar|tgz|gz|zip|xz|bz2|zst)$`)
	// isStdin and isDescriptor match the names of open files of this process.
	isStdin      = regexp.MustCompile(`^(/dev/stdin|/dev/fd/0|/proc/self/fd/0)$`)
	isDescriptor = regexp.MustCompile(`^(/dev/fd|/proc/[^/]+/fd)/\d+$`)
	// kindOf maps the name of a folder to the kind of the objects in it. It is needed because the
	// Nodes in an insights archive have no field kind.
	kindOf = map[string]string{"node": "Node", "nodes": "Node"}
)

// Files is a Source that reads files, folders, must-gathers and pipes.
type Files struct {
	Names []string
	In    io.Reader
	At    time.Time // the value of --at, or zero
	Clock func() time.Time
	Note  func(format string, args ...any)

	mu sync.Mutex // guards written
	// written is the result of Now if At is zero and the files have been read: their newest modification time,
	// or the newest time of the conditions if this time is more than maxAge earlier.
	written time.Time

	// Only Read uses the fields below.
	newest time.Time // the newest modification time so far
	failed []error   // the files that cannot be read, or are damaged
	pods   []string  // the files with the Pods of a must-gather
}

// Origin returns the names of the files.
func (f *Files) Origin() string {
	var names []string
	for _, name := range f.Names {
		switch {
		case name == "-", isStdin.MatchString(name):
			name = "stdin"
		case isDescriptor.MatchString(name): // a shell passes <(oc get ...) like this
			name = "a pipe"
		}
		names = append(names, filepath.Base(name))
	}
	return strings.Join(names, ", ")
}

// Now returns the time of --at or of the files.
func (f *Files) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.Clock()
	return cmp.Or(f.At, f.written, now).In(now.Location())
}

// Read reads all files. If two objects have the same kind and name, it keeps the newer object.
func (f *Files) Read(_ context.Context, s *Store, _ bool) error {
	d := decoder{}
	for _, name := range f.Names {
		if err := f.each(name, d.decode); err != nil {
			return Usagef("cannot read %s: %w", name, err)
		}
	}
	if len(f.failed) > 0 && len(d.objects) == 0 {
		return Usagef("%w", f.failed[0])
	}
	if err := d.check(f.Origin()); err != nil {
		return err
	}
	slices.SortStableFunc(d.objects, func(a, b dated) int { return a.newest.Compare(b.newest) })
	// If the file is a copy, its modification time is too new.
	written, newest := cmp.Or(f.newest, f.Clock()), d.objects[len(d.objects)-1].newest
	if f.At.IsZero() && !newest.IsZero() && newest.Before(written.Add(-maxAge)) {
		written = newest
		f.Note("ages are computed at %s, the newest time in %s: --at sets another time",
			newest.UTC().Format(time.RFC3339), f.Origin())
	}
	f.mu.Lock()
	f.written = written
	f.mu.Unlock()
	// Put all objects in one edit, because a pool could look done without some of its objects.
	s.edit(func() {
		s.facts.Older = d.older()
		for _, o := range d.objects {
			s.put(o.Object)
		}
		f.readPods(s)
	})
	if more := len(f.failed) - 1; more > 0 {
		f.Note("%v; %d more cannot be read; all other objects are shown", f.failed[0], more)
	} else if more == 0 {
		f.Note("%v; all other objects are shown", f.failed[0])
	}
	return nil
}

// readPods reads the Pods of a must-gather in the namespaces of the pods that the errors of drains name. The caller
// holds the lock of the Store.
func (f *Files) readPods(s *Store) {
	d := decoder{}
	for _, pod := range s.namedPods() {
		for _, file := range f.pods {
			if strings.Contains(filepath.ToSlash(file), "/namespaces/"+pod.Namespace+"/") {
				f.read(file, d.decode)
			}
		}
		f.pods = slices.DeleteFunc(f.pods, func(file string) bool {
			return strings.Contains(filepath.ToSlash(file), "/namespaces/"+pod.Namespace+"/")
		})
	}
	for _, o := range d.objects {
		s.put(o.Object)
	}
}

// each calls do for a file, or for the files of a folder.
func (f *Files) each(name string, do func(name, kind string, data []byte) error) error {
	if name == "-" {
		data, err := io.ReadAll(f.In)
		if err == nil {
			f.keepError(do("stdin", "", data))
		}
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() { // also a pipe: its time says nothing about the objects
		data, err := os.ReadFile(name)
		if info.Mode().IsRegular() {
			f.newest = mco.Latest(f.newest, info.ModTime())
		}
		if err == nil {
			f.keepError(do((&Files{Names: []string{name}}).Origin(), "", data))
		}
		return err
	}
	for _, file := range f.find(name) {
		f.read(file, do)
	}
	return nil
}

// keepError keeps an error for the line that Read writes at its end.
func (f *Files) keepError(err error) {
	if err != nil {
		f.failed = append(f.failed, err)
	}
}

// read calls do for a file of a folder, unless it is no regular file: to read a FIFO would take for ever.
func (f *Files) read(file string, do func(name, kind string, data []byte) error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		return
	}
	var data []byte
	if err == nil {
		f.newest = mco.Latest(f.newest, info.ModTime())
		data, err = os.ReadFile(file)
	}
	if err != nil {
		f.keepError(fmt.Errorf("cannot read %s: %w", filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file)), errors.Unwrap(err)))
		return
	}
	f.keepError(do(filepath.Base(file), kindOf[filepath.Base(filepath.Dir(file))], data))
}

// find returns the files of a folder to read, sorted. In a must-gather or an insights archive, find chooses the
// files that gathered matches, and the YAML and JSON files directly in the folder. In any other folder, it
// chooses all YAML and JSON files. It follows symbolic links to files.
func (f *Files) find(name string) []string {
	root, _ := filepath.EvalSymlinks(name)
	var chosen, top, all, pods, archives []string
	_ = filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
		path := filepath.ToSlash(file)
		switch {
		case err != nil:
			f.keepError(fmt.Errorf("cannot read the folder %s: %w", filepath.Base(file), errors.Unwrap(err)))
		case gathered.MatchString(path):
			chosen = append(chosen, file)
		case gatheredPods.MatchString(path):
			pods = append(pods, file)
		case filepath.Dir(file) == root && objectFile.MatchString(file):
			top = append(top, file)
		case objectFile.MatchString(file):
			all = append(all, file)
		case archiveFile.MatchString(file):
			archives = append(archives, filepath.Base(file))
		}
		return nil
	})
	if len(chosen) == 0 {
		chosen, pods = append(all, pods...), nil
	}
	f.pods = append(f.pods, pods...)
	chosen = append(chosen, top...)
	if len(chosen) == 0 {
		err := fmt.Errorf("cannot read %s: the folder has no .yaml or .json files", name)
		if len(archives) > 0 {
			err = fmt.Errorf("%w, and %s is an archive: unpack it", err, archives[0])
		}
		f.keepError(err)
	}
	slices.Sort(chosen)
	return chosen
}
