package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Kubectl runs kubectl as the administrator and returns its standard output. The first call of all
// builds it, see [Binary].
//
// The error of a kubectl that fails wraps an *exec.ExitError and holds its standard error; what it
// had printed before is returned too. kubectl is killed when ctx ends. Several may run at once.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	path, err := Binary(ctx, "kubectl")
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	// The usual cache is in the home folder and knows a server by its port, which other clusters
	// had before.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig(), "KUBECACHEDIR="+filepath.Join(c.dir, kubectlCache))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
