package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// moduleDir is the folder of the module that this package belongs to: the one that holds binaries/.
//
// It is next to this source file. In a build with -trimpath that file's name is not a path; the
// folder is then looked for from the working directory upwards.
func moduleDir() (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if dir := filepath.Dir(filepath.Dir(file)); isModuleDir(dir) {
			return dir, nil
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		for _, candidate := range []string{dir, filepath.Join(dir, "test")} {
			if isModuleDir(candidate) {
				return candidate, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("cannot find the sources of the servers (test/binaries): run this inside the repository")
		}
	}
}

func isModuleDir(dir string) bool {
	for _, name := range []string{"go.mod", "binaries/go.mod", "cluster/paths.go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// cacheDir is the repository's folder for files that can be rebuilt; git ignores it.
func cacheDir() (string, error) {
	dir, err := moduleDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(dir), ".cache"), nil
}
