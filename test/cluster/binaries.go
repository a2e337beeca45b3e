package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Binary returns the path of "etcd", "kube-apiserver" or "kubectl", built by make servers. The
// kube-apiserver has the version that Version returns.
func Binary(name string) (string, error) {
	version := ""
	if name == "kube-apiserver" && Version() != "" {
		name, version = name+"-"+Version(), " K8S="+Version()
	}
	path := filepath.Join(root(), ".cache", "bin", name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not built, run make servers%s in %s: %w", name, version, root(), err)
	}
	return path, nil
}

// Version returns the Kubernetes version in the environment variable K8S, for example 1.33. If the
// variable is empty, the API server has the version in test/binaries.
func Version() string { return os.Getenv("K8S") }

// root is the folder of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
