package cluster

import (
	_ "github.com/openshift/api/machineconfiguration/v1"
	_ "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	_ "github.com/stretchr/testify/require"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/kubernetes"
)
