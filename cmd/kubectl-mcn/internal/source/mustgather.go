package source

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// The files of a folder that are read, and where a must-gather has the objects that are read: it has gigabytes of others.
var (
	objectFile = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)
	gathered   = regexp.MustCompile(`(?i)(^|/)(machineconfiguration\.openshift\.io/machineconfig(node|pool)s|operator\.openshift\.io/machineconfigurations|core/nodes)[/.].*(ya?ml|json)$`)
	rendered   = regexp.MustCompile(`(^|/)machineconfiguration\.openshift\.io/machineconfigs/(rendered-[^/]+)\.(ya?ml|json)$`)
)

// entry is a file of a folder or of an archive.
type entry struct {
	name    string
	written time.Time
	isTop   bool // in the folder itself
	read    func() ([]byte, error)
}

// each reads a file, the files of a must-gather, or else the files of a folder itself, and notes when the newest
// file was written.
func (f *Files) each(name string, do func(file string, data []byte)) error {
	if name == "-" {
		data, err := io.ReadAll(f.In)
		do("stdin", data)
		return err
	}
	find := inFolder
	if strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz") {
		find = inArchive
	}
	var chosen, top []entry
	err := find(name, func(e entry) {
		switch {
		case rendered.MatchString(e.name): // they are large, and few of them are shown
			f.configs[strings.TrimSuffix(path.Base(e.name), path.Ext(e.name))] = e.read
		case gathered.MatchString(e.name):
			chosen = append(chosen, e)
		case e.isTop:
			top = append(top, e)
		}
	})
	if len(chosen) == 0 {
		chosen = top
	}
	for _, e := range chosen {
		data, readErr := e.read()
		if readErr != nil {
			return readErr
		}
		if e.written.After(f.written) {
			f.written = e.written
		}
		do(path.Base(e.name), data)
	}
	if err == nil && len(chosen) == 0 {
		err = errors.New("it is not a must-gather, and has no .yaml or .json files")
	}
	return err
}

// inFolder finds the files in a folder, or a file. Links are followed.
func inFolder(name string, found func(entry)) error {
	root, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(file)
		if err != nil || info.IsDir() {
			return err
		}
		isTop := file == root || filepath.Dir(file) == root && objectFile.MatchString(file)
		found(entry{filepath.ToSlash(file), info.ModTime(), isTop, func() ([]byte, error) { return os.ReadFile(file) }})
		return nil
	})
}

// inArchive finds the files of a must-gather in a .tar.gz.
func inArchive(name string, found func(entry)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case header.Typeflag != tar.TypeReg || !gathered.MatchString(header.Name) && !rendered.MatchString(header.Name):
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		found(entry{header.Name, header.ModTime, false, func() ([]byte, error) { return data, nil }})
	}
}
