package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Binary returns the path of "etcd", "kube-apiserver" or "kubectl", as make servers has built it.
func Binary(name string) (string, error) {
	path := filepath.Join(root(), ".cache", "bin", name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not built, run make servers in %s: %w", name, root(), err)
	}
	return path, nil
}

// root is the folder of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
