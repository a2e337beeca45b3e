package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// failingOperator is set in the environment of a process that is an operator whose sync fails: to its kubeconfig.
const failingOperator = "COMPONENTS_FAILING_OPERATOR"

func init() {
	if kubeconfig := os.Getenv(failingOperator); kubeconfig != "" {
		fmt.Println(failForever(kubeconfig))
		os.Exit(1)
	}
}

// failForever reports the same error until the process is killed.
func failForever(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	clientset, err := operatorclientset.NewForConfig(config)
	if err != nil {
		return err
	}
	factory, clock := operatorinformers.NewSharedInformerFactory(clientset, 0), clocktesting.NewFakeClock(time.Now())
	reporter, err := components.New(components.Config{
		Client: clientset.OperatorV1().MachineConfigurations(), Lister: factory.Operator().V1().MachineConfigurations().Lister(),
		Component: components.Operator, Clock: clock,
	})
	if err != nil {
		return err
	}
	ctx := context.Background()
	factory.StartWithContext(ctx)
	(&process{Reporter: reporter}).operatorSync(errSync)
	go wait.UntilWithContext(ctx, func(context.Context) { clock.Step(30 * time.Second) }, 10*time.Millisecond)
	return reporter.Run(ctx)
}

// TestAKilledOperator leaves its error, and the next process continues: nothing is written while the
// error lasts, and the first sync that succeeds resolves it.
func TestAKilledOperator(t *testing.T) {
	c := newConfiguration(t)
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), failingOperator+"="+standard.Kubeconfig())
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	require.NoError(t, command.Start())
	eventually(t, func() bool { return c.condition(operatorDegraded).Status == metav1.ConditionTrue })
	require.NoError(t, command.Process.Kill())
	assert.ErrorContains(t, command.Wait(), "killed")
	left := c.condition(operatorDegraded)

	p := c.run(components.Operator, standard.Config())
	for range 30 {
		p.operatorSync(errSync)
		p.clock.Step(time.Minute)
	}
	assert.Equal(t, left, c.condition(operatorDegraded))
	p.operatorSync(nil)
	c.until(operatorDegraded, metav1.ConditionFalse, p)
	assert.Contains(t, c.condition(operatorDegraded).Message, "in OperatorSyncMCD: "+errSync.Error())
	assert.Equal(t, 1, p.requests.all())
	c.untouched()
}
