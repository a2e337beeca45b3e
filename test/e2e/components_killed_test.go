package e2e

import (
	"context"
	"encoding/json"
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
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// failingOperator is set in the environment of a process that is an operator whose sync fails: to its client.
const failingOperator = "COMPONENTS_FAILING_OPERATOR"

type client struct {
	Host string
	TLS  rest.TLSClientConfig
}

func init() {
	if config := os.Getenv(failingOperator); config != "" {
		fmt.Println(failForever(config))
		os.Exit(1)
	}
}

// failForever reports the same error until the process is killed.
func failForever(encoded string) error {
	var c client
	if err := json.Unmarshal([]byte(encoded), &c); err != nil {
		return err
	}
	clientset, err := operatorclientset.NewForConfig(&rest.Config{Host: c.Host, TLSClientConfig: c.TLS})
	if err != nil {
		return err
	}
	factory := operatorinformers.NewSharedInformerFactory(clientset, 0)
	informer := factory.Operator().V1().MachineConfigurations()
	reporter, err := components.New(components.Config{
		Client: clientset.OperatorV1().MachineConfigurations(), Lister: informer.Lister(), Component: components.Operator,
		DegradedInertia: 50 * time.Millisecond, MinInterval: 10 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	if _, err := informer.Informer().AddEventHandler(reporter.Handler()); err != nil {
		return err
	}
	ctx := context.Background()
	factory.StartWithContext(ctx)
	(&process{Reporter: reporter}).operatorSync(errSync)
	return reporter.Run(ctx)
}

// TestAKilledOperator leaves its error, and the next process continues: nothing is written while the error
// lasts, and the first sync that succeeds resolves it.
func TestAKilledOperator(t *testing.T) {
	c := newConfiguration(t)
	config := standard.Config()
	require.Empty(t, config.BearerToken, "the client is a certificate")
	encoded, err := json.Marshal(client{config.Host, config.TLSClientConfig})
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), failingOperator+"="+string(encoded))
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	require.NoError(t, command.Start())
	c.eventually(operatorDegraded, "True")
	require.NoError(t, command.Process.Kill())
	assert.ErrorContains(t, command.Wait(), "killed")
	left := c.condition(operatorDegraded)

	p := c.run(components.Operator, standard.Config())
	for range 3 {
		p.operatorSync(errSync)
		p.quiet(t)
	}
	assert.Equal(t, left, c.condition(operatorDegraded))
	assert.Zero(t, p.requests.all())
	p.operatorSync(nil)
	c.eventually(operatorDegraded, metav1.ConditionFalse)
	assert.Contains(t, c.condition(operatorDegraded).Message, "in OperatorSyncMCD: "+errSync.Error())
	c.untouched()
}
