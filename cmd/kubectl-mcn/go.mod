module github.com/openshift/upgrademonitor/cmd/kubectl-mcn

go 1.26.0

require (
	github.com/creack/pty v1.1.24
	github.com/mattn/go-runewidth v0.0.19
	github.com/openshift/api v0.0.0-20260810132456-8f52beb625b5
	github.com/openshift/client-go v0.0.0-20260715172546-dac61734e0ec
	github.com/openshift/upgrademonitor v0.0.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.10
	github.com/stretchr/testify v1.11.1
	golang.org/x/term v0.40.0
	k8s.io/api v0.36.2
	k8s.io/apimachinery v0.36.2
	k8s.io/cli-runtime v0.36.2
	k8s.io/client-go v0.36.2
	k8s.io/klog/v2 v2.140.0
	k8s.io/utils v0.0.0-20260210185600-b8788abfbbc2
	sigs.k8s.io/yaml v1.6.0
)

replace github.com/openshift/upgrademonitor => ../..
