// Command etcd is the real etcd server, built from its Go module.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"

	"github.com/openshift/upgrademonitor/test/binaries/parent"
)

func main() {
	parent.ExitWith()
	etcdmain.Main(os.Args)
}
