// Package kubeconfig reads kubeconfig files for the examples.
package kubeconfig

import (
	"fmt"
	"time"

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

// TimeoutError returns the error of an API server that does not answer within a timeout.
func TimeoutError(config *rest.Config, timeout time.Duration) error {
	return fmt.Errorf("the API server %s does not answer within %s: is it up, and reachable from here?", config.Host, timeout)
}
