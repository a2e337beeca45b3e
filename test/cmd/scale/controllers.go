package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// controllersCommand is the first argument of the child process.
const controllersCommand = "controllers"

// informersParty lists and watches for both controllers.
const informersParty = "informers"

// workers is how many keys each controller syncs at a time.
const workers = 4

// controllers is what the child process runs.
type controllers struct {
	parties []*party // of the informers, then of each controller
	core    informers.SharedInformerFactory
	mcfg    mcfginformers.SharedInformerFactory
	running []runner
}

type runner interface {
	Run(ctx context.Context, workers int) error
}

func newControllers(kubeconfig string) (*controllers, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	c := &controllers{}
	for _, name := range []string{informersParty, "rollout", "pool"} {
		p, err := newParty(name, config)
		if err != nil {
			return nil, err
		}
		c.parties = append(c.parties, p)
	}
	listing, rolling, pooling := c.parties[0], c.parties[1], c.parties[2]
	// One factory for both controllers: one watch per resource.
	c.core = informers.NewSharedInformerFactoryWithOptions(listing.core, 0, informers.WithTransform(pool.Trim))
	c.mcfg = mcfginformers.NewSharedInformerFactoryWithOptions(listing.mcfg, 0, mcfginformers.WithTransform(pool.Trim))
	nodes, objects := c.core.Core().V1().Nodes(), c.mcfg.Machineconfiguration().V1()

	rollouts, err := rollout.New(rollout.Config{
		Client: rolling.mcfg, KubeClient: rolling.core,
		Nodes: nodes, Pools: objects.MachineConfigPools(), MachineConfigNodes: objects.MachineConfigNodes(),
	})
	if err != nil {
		return nil, err
	}
	pools, err := pool.New(pool.Config{
		Client: pooling.mcfg,
		Nodes:  nodes, Pools: objects.MachineConfigPools(), MachineConfigNodes: objects.MachineConfigNodes(),
	})
	if err != nil {
		return nil, err
	}
	c.running = []runner{rollouts, pools}
	return c, nil
}

// serveControllers runs the controllers until its input ends, and answers each line with
// an operatorState.
func serveControllers(ctx context.Context, kubeconfig string, questions io.Reader, answers io.Writer) error {
	c, err := newControllers(kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot create the controllers: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	c.core.StartWithContext(ctx)
	c.mcfg.StartWithContext(ctx)
	var group sync.WaitGroup
	errs := make([]error, len(c.running))
	for i, r := range c.running {
		group.Go(func() { errs[i] = r.Run(ctx, workers) })
	}
	c.core.WaitForCacheSync(ctx.Done())
	c.mcfg.WaitForCacheSync(ctx.Done())
	err = c.answer(questions, answers)
	cancel()
	group.Wait()
	c.core.Shutdown()
	c.mcfg.Shutdown()
	return errors.Join(append(errs, err)...)
}

func (c *controllers) answer(questions io.Reader, answers io.Writer) error {
	lines, encoder := bufio.NewScanner(questions), json.NewEncoder(answers)
	for lines.Scan() {
		s := operatorState{Memory: ownMemory()}
		for _, p := range c.parties {
			s.Parties = append(s.Parties, partyTally{p.name, p.tally()})
		}
		if err := encoder.Encode(s); err != nil {
			return err
		}
	}
	return lines.Err()
}
