package upgrademonitor

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// read reads the object for an intent, and creates it where it is missing. For an object that was
// deleted, and created again, the status that was known of it is the base of the next write.
func (m *Monitor) read(ctx context.Context, in plan.Intent) error {
	s, err := m.writer.Read(ctx)
	if apierrors.IsNotFound(err) && apierr.Classify(err) != apierr.NoCRD {
		if err := m.refusedOnCreated(in); err != nil {
			return err
		}
		s, err = m.create(ctx)
	}
	if err != nil {
		return err
	}
	s, lost := m.store.adopt(s)
	m.observe(ctx, s, in, lost)
	return nil
}

// refusedOnCreated returns the error of an intent that an object without a status refuses, so that
// a refusal creates nothing.
func (m *Monitor) refusedOnCreated(in plan.Intent) error {
	if in == nil {
		return nil
	}
	if _, err := in.Plan(plan.State{Object: &mcfgv1.MachineConfigNode{}}, plan.Memo{}); err != nil {
		return &terminalError{m.intentRefused(in, err)}
	}
	return nil
}

// giveUpRestore leaves the object without the status that it has lost: a policy that allows one
// transition a write denies to restore it. It reports whether there was one to restore.
func (m *Monitor) giveUpRestore(ctx context.Context, denial error) bool {
	lost := m.store.giveUp()
	if lost {
		m.logFailure(ctx, m.denied(denial), "Failed to restore the status of a deleted MachineConfigNode, starting without it", "node", m.config.NodeName)
	}
	return lost
}

// restore writes the status of an object that has lost it, where no step of a plan does, and
// returns the state that it leads to.
func (m *Monitor) restore(ctx context.Context, in plan.Intent, s plan.State) (plan.State, error) {
	if !m.store.isLost() {
		return s, nil
	}
	restored, err := m.writer.Write(ctx, s, plan.Step{Kind: plan.ApplyStatus, Next: s})
	if err != nil {
		return s, fmt.Errorf("restore the status: %w", err)
	}
	m.observe(ctx, restored, in, false)
	return restored, nil
}

// recreate reads an object that was deleted, which creates it, and restores its status.
func (m *Monitor) recreate(ctx context.Context) error {
	if err := m.read(ctx, nil); err != nil {
		return err
	}
	s := m.store.state()
	_, err := m.restore(ctx, nil, s)
	if apierr.Classify(err) == apierr.Denied && m.giveUpRestore(ctx, err) {
		return m.read(ctx, nil)
	}
	return err
}

// create creates the object, for this node and owned by it.
func (m *Monitor) create(ctx context.Context) (plan.State, error) {
	node, err := m.provisionedNode()
	if err != nil {
		return plan.State{}, noNodeError{err}
	}
	spec, poolErr := m.specOf(ctx, node)
	if poolErr != nil {
		klog.FromContext(ctx).Error(poolErr, "Creating a MachineConfigNode without its pool", "node", m.config.NodeName)
	}
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: m.config.NodeName},
		Spec:       spec.Desired(mcfgv1.MachineConfigNodeSpec{}, m.store.state().NoImageField),
	}
	mcn.OwnerReferences = nodeowner.Replace(nil, spec.Owner)
	return m.writer.Create(ctx, mcn)
}

// dropImageField makes the Monitor leave out the CRD's field for images for a while.
func (m *Monitor) dropImageField(ctx context.Context, err error) {
	m.store.dropImageField()
	m.imageFailures.Failed(ctx, err, "Ignoring the images of a node: the CRD of MachineConfigNode has no configImage, as that of a feature set without ImageModeStatusReporting", "node", m.config.NodeName)
}
