package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// TestMCNScale prints the cost of a first screen with MCN_NODES nodes: see make scale-kubectl.
func TestMCNScale(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("MCN_NODES"))
	if err != nil {
		t.Skip("MCN_NODES is not set to a number of nodes")
	}
	kubectlMCN := buildMCN(t)
	newMCNPool(t, "mcn-scale", newConfig)
	client := nodesOf(t, standard.Config())
	var failed atomic.Value
	workqueue.ParallelizeUntil(t.Context(), 16, n, func(i int) {
		if err := createMidway(t.Context(), client, i); err != nil {
			failed.Store(err)
		}
	})
	require.Nil(t, failed.Load())

	table := fmt.Sprintf("| %d nodes | first output s | MB received | peak RSS MB | CPU s |\n|---|---:|---:|---:|---:|\n", n)
	for _, args := range [][]string{nil, {"-o", "json"}, {"wait"}} {
		var received atomic.Int64
		kubeconfig := front(t, func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				response, err := next.RoundTrip(r)
				if err == nil {
					response.Body = counted{response.Body, &received}
				}
				return response, err
			})
		})
		cmd := kubectlMCN("admin", append(args, "mcn-scale")...)
		cmd.Args, cmd.Env = append(cmd.Args, "--as-group", "system:masters"), append(cmd.Env, "KUBECONFIG="+kubeconfig)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		cmd.Stderr = os.Stderr
		start := time.Now()
		require.NoError(t, cmd.Start())
		_, err = out.Read(make([]byte, 1))
		require.NoError(t, err)
		took := time.Since(start)
		if len(args) > 0 && args[0] == "wait" {
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		table += fmt.Sprintf("| `%s` | %.2f | %.1f | %d | %.2f |\n", strings.Join(append([]string{"kubectl mcn"}, args...), " "),
			took.Seconds(), float64(received.Load())/1e6, usage.Maxrss/1024, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	}
	t.Logf("\n%s", table)
}

// createMidway creates the object of a node that is updating, waiting for its update, or done.
func createMidway(ctx context.Context, client nodes, i int) error {
	name := fmt.Sprintf("mcn-scale-%05d", i)
	mcn := bareObject(name)
	mcn.Spec.Pool.Name, mcn.Spec.ConfigVersion.Desired = "mcn-scale", newConfig
	mcn, err := client.Create(ctx, mcn, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: newConfig, Desired: newConfig}
	now := metav1.Now()
	mcn.Status.Conditions = conditions.Complete(nil, false, now)
	reports := []conditions.Report{{Phase: phases.Updated, Status: metav1.ConditionTrue}}
	if i%10 == 0 {
		mcn.Status.ConfigVersion.Current = oldConfig
		reports = append(reports, conditions.Report{Phase: phases.Updated, Status: metav1.ConditionFalse},
			conditions.Report{Phase: phases.UpdatePrepared, Status: metav1.ConditionTrue}, conditions.Report{Phase: phases.Drained, Status: metav1.ConditionUnknown})
	}
	for _, r := range reports {
		r.Reason, r.Message, r.Time = string(r.Phase), "about "+string(r.Phase)+" of "+name, now
		lists, err := conditions.Next(mcn.Status.Conditions, false, r, conditions.Cycle{Name: newConfig})
		if err != nil {
			return err
		}
		if len(lists) > 0 {
			mcn.Status.Conditions = lists[len(lists)-1]
		}
	}
	_, err = client.UpdateStatus(ctx, mcn, metav1.UpdateOptions{})
	return err
}

// counted is the body of a response whose bytes are counted.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n.Add(int64(n))
	return n, err
}
