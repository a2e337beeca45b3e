package progress_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	yes     = metav1.ConditionTrue

	configA = mcntest.ConfigA
	configB = mcntest.ConfigB
)

var (
	at          = mcntest.At
	mcn         = mcntest.Object
	is          = mcntest.Is
	withDesired = mcntest.Desires
	newNode     = mcntest.Node
)

func target(config string) progress.Target { return progress.Target{Config: config} }
