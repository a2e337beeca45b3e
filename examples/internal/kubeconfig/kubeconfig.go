// Package kubeconfig reads kubeconfig files for the examples, and explains why the API server of
// one cannot be used.
package kubeconfig

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Load reads a file. Its errors name the file. Warnings of the API server are not logged: they
// would appear between the lines that a program prints.
func Load(file, userAgent string) (*rest.Config, error) {
	kubeconfig, err := clientcmd.LoadFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read kubeconfig %s: %w", file, err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*kubeconfig, nil).ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, fmt.Errorf("cannot use kubeconfig %s: it names no cluster", file)
	case err != nil:
		return nil, fmt.Errorf("cannot use kubeconfig %s: %w", file, err)
	}
	config.UserAgent = userAgent
	config.WarningHandlerWithContext = rest.NoWarnings{}
	return config, nil
}
