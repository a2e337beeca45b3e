package cluster

import (
	"context"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/scope/guard"
)

const (
	daemonNamespace = "openshift-machine-config-operator"
	daemonAccount   = "machine-config-daemon"
)

// InstallGuards installs both admission policies from scope/manifests, and permits the daemon to annotate Nodes, as
// examples/daemon does. A second call changes nothing.
func (c *Cluster) InstallGuards(ctx context.Context) error {
	manifests := filepath.Join(root(), "scope", "manifests")
	for _, args := range [][]string{
		{"create", "namespace", daemonNamespace},
		{"apply", "-f", filepath.Join(manifests, "guard.yaml"), "-f", filepath.Join(manifests, "guard-transitions.yaml")},
		{"create", "clusterrole", "example-daemon", "--verb=patch", "--resource=nodes"},
		{"create", "clusterrolebinding", "example-daemon", "--clusterrole=example-daemon", "--serviceaccount=" + daemonNamespace + ":" + daemonAccount},
	} {
		if _, err := c.Kubectl(ctx, args...); err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
			return err
		}
	}
	return nil
}

// DaemonKubeconfig writes a kubeconfig file for the daemon of a node, and returns its path. The policies apply to its
// requests, as if they had the token of the daemon's Pod.
func (c *Cluster) DaemonKubeconfig(node string) (string, error) {
	config, err := clientcmd.LoadFromFile(c.Kubeconfig())
	if err != nil {
		return "", err
	}
	for _, user := range config.AuthInfos {
		user.Impersonate = "system:serviceaccount:" + daemonNamespace + ":" + daemonAccount
		user.ImpersonateGroups = []string{"system:serviceaccounts", "system:authenticated"}
		user.ImpersonateUserExtra = map[string][]string{guard.NodeNameClaim: {node}}
	}
	path := filepath.Join(c.dir, "daemon-"+node+".kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}
