package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Binary returns the path of "etcd", "kube-apiserver" or "kubectl", as built by make servers. The
// kube-apiserver has the Kubernetes version that Version returns.
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

// Version returns the value of the environment variable K8S, a Kubernetes version such as 1.33. If
// the variable is empty, the API server has the version in the go.mod file of test/binaries.
func Version() string { return os.Getenv("K8S") }

// root returns the folder of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
