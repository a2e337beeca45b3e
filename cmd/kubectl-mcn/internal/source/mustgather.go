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

// The files of a folder that are read, and where a must-gather has the objects that are read: the rest is gigabytes.
var (
	objectFile = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)
	gathered   = regexp.MustCompile(`(?i)(^|/)(machineconfiguration\.openshift\.io/machineconfig(node|pool)s|operator\.openshift\.io/machineconfigurations|core/nodes)[/.].*(ya?ml|json)$`)
	rendered   = regexp.MustCompile(`(^|/)machineconfiguration\.openshift\.io/machineconfigs/(rendered-[^/]+)\.(ya?ml|json)$`)
)

// each reads a file, the files of a folder or of a must-gather, and notes when the newest file was written.
func (f *Files) each(name string, do func(file string, data []byte)) error {
	switch {
	case name == "-":
		data, err := io.ReadAll(f.In)
		do("stdin", data)
		return err
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return f.eachInArchive(name, do)
	}
	files, err := f.find(name)
	for _, file := range files {
		data, readErr := os.ReadFile(file)
		if readErr != nil {
			return readErr
		}
		do(filepath.Base(file), data)
	}
	return err
}

func (f *Files) wrote(t time.Time) {
	if t.After(f.written) {
		f.written = t
	}
}

// addConfig records how the rendered config of a file is read, if it is one.
func (f *Files) addConfig(file string, read func() ([]byte, error)) bool {
	if !rendered.MatchString(file) {
		return false
	}
	f.configs[strings.TrimSuffix(path.Base(file), path.Ext(file))] = read
	return true
}

// find returns the files of a must-gather, or else those of a folder itself, or a file. Links are followed.
func (f *Files) find(name string) ([]string, error) {
	root, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	var all [2][]string
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		kind := 0
		switch {
		case f.addConfig(filepath.ToSlash(file), func() ([]byte, error) { return os.ReadFile(file) }):
			return nil
		case gathered.MatchString(filepath.ToSlash(file)):
			kind = 1
		case file != root && (filepath.Dir(file) != root || !objectFile.MatchString(file)):
			return nil
		}
		info, err := os.Stat(file)
		if err != nil || info.IsDir() {
			return err
		}
		all[kind] = append(all[kind], file)
		return nil
	})
	for _, files := range [][]string{all[1], all[0]} {
		for _, file := range files {
			if info, err := os.Stat(file); err == nil {
				f.wrote(info.ModTime())
			}
		}
		if len(files) > 0 {
			return files, err
		}
	}
	if err == nil {
		err = errors.New("it is not a must-gather, and has no .yaml or .json files")
	}
	return nil, err
}

// eachInArchive reads the files of a must-gather in a .tar.gz.
func (f *Files) eachInArchive(name string, do func(file string, data []byte)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	found := false
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && !found:
			return errors.New("it is not a must-gather: it has no MachineConfigNodes and no MachineConfigPools")
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
		if f.addConfig(header.Name, func() ([]byte, error) { return data, nil }) {
			continue
		}
		found = true
		f.wrote(header.ModTime)
		do(path.Base(header.Name), data)
	}
}
