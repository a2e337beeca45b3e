// Command kubectl-mcn shows how far the nodes of a cluster are updated, which nodes are stuck,
// since when and why, and which command to run next. If the binary is in the PATH, kubectl and oc
// run it as kubectl mcn and oc mcn. The command changes nothing in the cluster.
package main

import (
	"os"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/command"
)

func main() { os.Exit(command.New().Main()) }
