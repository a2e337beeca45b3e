package cluster

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Config is how an administrator reaches the API server: a client certificate in the group
// system:masters and no limit on the request rate (QPS -1; a daemon of its own has client-go's 5
// a second). It is a fresh copy: change it at will. For another identity, take
// rest.AnonymousClientConfig of it and set a token.
func (c *Cluster) Config() *rest.Config {
	config := rest.CopyConfig(c.config)
	// CopyConfig shares these.
	config.CAData = bytes.Clone(config.CAData)
	config.CertData = bytes.Clone(config.CertData)
	config.KeyData = bytes.Clone(config.KeyData)
	return config
}

// Kubeconfig is the path of a kubeconfig file for the same administrator. Stop removes it, unless
// Options.Dir was set.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, kubeconfig) }

// loadConfig makes the administrator's configuration from the files of a cluster.
func loadConfig(dir string, port int) (*rest.Config, error) {
	config := &rest.Config{Host: "https://" + loopback(port), QPS: -1}
	for name, target := range map[string]*[]byte{
		caCert:    &config.CAData,
		adminCert: &config.CertData,
		adminKey:  &config.KeyData,
	} {
		content, err := os.ReadFile(filepath.Join(dir, pkiDir, name))
		if err != nil {
			return nil, fmt.Errorf("the certificates of the cluster are missing: %w", err)
		}
		*target = content
	}
	return config, nil
}

// writeKubeconfig writes the configuration in the form that kubectl reads.
func writeKubeconfig(path string, config *rest.Config) error {
	const name = "test"
	content := clientcmdapi.NewConfig()
	content.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		CertificateAuthorityData: config.CAData,
	}
	content.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
	}
	content.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	content.CurrentContext = name
	if err := clientcmd.WriteToFile(*content, path); err != nil {
		return fmt.Errorf("cannot write the kubeconfig file: %w", err)
	}
	return nil
}
