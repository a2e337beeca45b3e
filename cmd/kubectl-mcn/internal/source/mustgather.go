package source

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// resourceFolders are where a must-gather has the objects that are read. The rest is gigabytes.
var resourceFolders = []string{
	"/machineconfiguration.openshift.io/" + nodesResource,
	"/machineconfiguration.openshift.io/" + poolsResource,
	"/operator.openshift.io/" + configurationsResource,
	"/core/nodes",
}

// isGathered reports whether a path of a must-gather has objects that are read.
func isGathered(path string) bool {
	path = "/" + filepath.ToSlash(path)
	for _, folder := range resourceFolders {
		if _, rest, ok := strings.Cut(path, folder); ok && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, ".")) {
			return isObjectFile(path)
		}
	}
	return false
}

func isObjectFile(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// open returns the files to read for a name, and records when the newest one was written.
func (f *Files) open(name string) ([]document, error) {
	if name == "-" {
		data, err := io.ReadAll(f.In)
		if err != nil {
			return nil, Usagef("cannot read stdin: %w", err)
		}
		return []document{{name: "stdin", data: data}}, nil
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return []document{{name: name, url: true}}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, Usagef("cannot read %s: %w", name, errors.Unwrap(err))
	case info.IsDir():
		return f.openFolder(name)
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return f.openArchive(name)
	}
	d, err := f.openFile(name, info)
	return []document{d}, err
}

func (f *Files) openFile(name string, info fs.FileInfo) (document, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return document{}, Usagef("cannot read %s: %w", name, errors.Unwrap(err))
	}
	f.written = later(f.written, info.ModTime())
	return document{name: name, data: data}, nil
}

// openFolder reads a must-gather, or else the files of a folder itself.
func (f *Files) openFolder(name string) ([]document, error) {
	var gathered, plain []document
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		inFolder := filepath.Dir(path) == filepath.Clean(name) && isObjectFile(path)
		if err != nil || entry.IsDir() || !isGathered(path) && !inFolder {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		d, err := f.openFile(path, info)
		if isGathered(path) {
			gathered = append(gathered, d)
		} else {
			plain = append(plain, d)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, Usagef("cannot read %s: %w", name, err)
	case len(gathered) > 0:
		return gathered, nil
	case len(plain) == 0:
		return nil, Usagef("%s is no must-gather, and has no .yaml or .json files", name)
	}
	return plain, nil
}

// openArchive reads a must-gather in a .tar.gz.
func (f *Files) openArchive(name string) ([]document, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, Usagef("cannot read %s: %w", name, errors.Unwrap(err))
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, Usagef("cannot read %s: %w", name, err)
	}
	var all []document
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, Usagef("cannot read %s: %w", name, err)
		}
		if header.Typeflag != tar.TypeReg || !isGathered(header.Name) {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, Usagef("cannot read %s: %w", name, err)
		}
		f.written = later(f.written, header.ModTime)
		all = append(all, document{name: name + ":" + header.Name, data: data})
	}
	if len(all) == 0 {
		return nil, Usagef("%s is no must-gather: it has no MachineConfigNodes and no MachineConfigPools", name)
	}
	return all, nil
}
