package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// paths returns the files to read for a name: for a folder, those with the objects.
func (f *files) paths(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, usage("cannot read %s: %w", name, errors.Unwrap(err))
	case !info.IsDir():
		return []string{name}, nil
	}
	var paths []string
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case entry.Name() == "timestamp":
			f.ended = later(f.ended, gathered(path))
		case isObjectFile(name, path):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, usage("cannot read %s: %w", name, err)
	}
	if len(paths) == 0 {
		return nil, usage("%s has no objects of %s: name a must-gather folder, or the files", name, mcfgv1.GroupName)
	}
	return paths, nil
}

// isObjectFile reports whether a file of a folder may contain the objects: it is in the folder
// itself, or where a must-gather has the objects of the group. The rest of a must-gather is
// gigabytes.
func isObjectFile(folder, path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
	default:
		return false
	}
	if filepath.Dir(path) == filepath.Clean(folder) {
		return true
	}
	slashed := filepath.ToSlash(path)
	return strings.Contains(slashed, "/"+mcfgv1.GroupName+"/"+nodesResource) || strings.Contains(slashed, "/"+mcfgv1.GroupName+"/"+poolsResource)
}

// gathered returns when a must-gather ended: the last time in its timestamp file.
func gathered(path string) time.Time {
	var ended time.Time
	file, err := os.Open(path)
	if err != nil {
		return ended
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		text, _, _ := strings.Cut(lines.Text(), " m=") // Go's monotonic clock
		fields := strings.Fields(text)
		if len(fields) < 3 {
			continue
		}
		if t, err := time.Parse("2006-01-02 15:04:05 -0700", strings.Join(fields[:3], " ")); err == nil {
			ended = later(ended, t)
		}
	}
	return ended
}
