// Command kube-apiserver is the real Kubernetes API server, built from its Go module.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/openshift/upgrademonitor/test/binaries/parent"
)

func main() {
	parent.ExitWith()
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
