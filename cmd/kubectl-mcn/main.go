// Command kubectl-mcn shows the progress of the updates of a cluster's nodes: each pool, the stuck nodes,
// since when, why, and what to do next. In the PATH it is kubectl mcn and oc mcn. It writes nothing.
package main

import (
	"os"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/command"
)

func main() { os.Exit(command.New().Main()) }
