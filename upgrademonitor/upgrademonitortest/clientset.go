package upgrademonitortest

import (
	"strconv"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

var nodes = mcfgv1.GroupVersion.WithResource("machineconfignodes")

// NewClientset returns a fake clientset with the objects, which handles MachineConfigNodes as the
// API server does:
//
//  1. The status of an object that is created is dropped. UID, resourceVersion, generation and
//     creationTimestamp are set, for the given objects too, where they have none.
//  2. A write of the object leaves the status alone, a write of the status everything else. The
//     generation counts the changes of the spec.
//  3. A write whose resourceVersion is not that of the object is a Conflict. One that changes
//     nothing is no write.
//  4. What the CRD rejects is Invalid.
//  5. A status that skips or takes back a step (see phases.Path) fails the test, and is written.
//
// Everything else is as with fake.NewClientset: actions are recorded, a reactor that is prepended
// can fail requests, lists and watches work. A write by the Tracker is not checked. The clientset
// may be used from any number of goroutines and in a bubble of testing/synctest.
func NewClientset(t testing.TB, objects ...runtime.Object) *fake.Clientset {
	t.Helper()
	c := fake.NewClientset()
	s := &server{t: t, tracker: c.Tracker(), histories: map[string]*history{}}
	for _, object := range objects {
		if mcn, ok := object.(*mcfgv1.MachineConfigNode); ok {
			object = s.given(mcn)
		}
		if err := c.Tracker().Add(object); err != nil {
			t.Fatalf("Failed to add %T to the clientset: %v", object, err)
		}
	}
	c.ReactionChain = append([]clienttesting.Reactor{s}, c.ReactionChain...)
	return c
}

// server reacts to writes of MachineConfigNodes. The clientset calls it under a lock.
type server struct {
	t         testing.TB
	tracker   clienttesting.ObjectTracker
	revision  int64
	histories map[string]*history // by the name of the object
}

// given completes an object that is there from the beginning.
func (s *server) given(mcn *mcfgv1.MachineConfigNode) *mcfgv1.MachineConfigNode {
	mcn = mcn.DeepCopy()
	s.pass(mcn)
	apiserver.Complete(&mcn.ObjectMeta, s.next(), clock.RealClock{}.Now())
	s.historyOf(mcn.Name).add(mcn.Status.Conditions)
	return mcn
}

// pass makes the next revision a later one than that of an object.
func (s *server) pass(mcn *mcfgv1.MachineConfigNode) {
	if number, err := strconv.ParseInt(mcn.ResourceVersion, 10, 64); err == nil {
		s.revision = max(s.revision, number)
	}
}

func (s *server) next() int64 {
	s.revision++
	return s.revision
}

func (s *server) historyOf(name string) *history {
	if s.histories[name] == nil {
		s.histories[name] = &history{}
	}
	return s.histories[name]
}

// Handles implements clienttesting.Reactor.
func (s *server) Handles(action clienttesting.Action) bool { return action.GetResource() == nodes }

// React implements clienttesting.Reactor. What is no write is left to the tracker.
func (s *server) React(action clienttesting.Action) (bool, runtime.Object, error) {
	var written *mcfgv1.MachineConfigNode
	var err error
	switch a := action.(type) {
	case clienttesting.CreateActionImpl:
		written, err = s.create(a.GetObject())
	case clienttesting.UpdateActionImpl:
		mcn := a.GetObject().(*mcfgv1.MachineConfigNode)
		written, err = s.write(mcn.Name, func(o apiserver.Object) (apiserver.Object, error) {
			return o.Update(mcn, a.GetSubresource(), s.next())
		})
	case clienttesting.PatchActionImpl:
		if a.GetPatchType() != types.MergePatchType {
			return true, nil, apierrors.NewGenericServerResponse(415, "patch", nodes.GroupResource(), a.GetName(), "upgrademonitortest knows merge patches only", 0, true)
		}
		written, err = s.write(a.GetName(), func(o apiserver.Object) (apiserver.Object, error) {
			return o.Patch(a.GetPatch(), a.GetSubresource(), s.next())
		})
	default:
		return false, nil, nil
	}
	if err != nil {
		return true, nil, err
	}
	return true, written, nil
}

func (s *server) create(object runtime.Object) (*mcfgv1.MachineConfigNode, error) {
	created, err := apiserver.Create(object, s.next(), clock.RealClock{}.Now())
	if err != nil {
		return nil, err
	}
	mcn, err := created.Typed()
	if err != nil {
		return nil, err
	}
	if err := s.tracker.Create(nodes, mcn, ""); err != nil {
		return nil, err
	}
	s.historyOf(mcn.Name).created()
	return mcn, nil
}

func (s *server) write(name string, change func(apiserver.Object) (apiserver.Object, error)) (*mcfgv1.MachineConfigNode, error) {
	object, err := s.tracker.Get(nodes, "", name)
	if err != nil {
		return nil, err
	}
	before := object.(*mcfgv1.MachineConfigNode)
	s.pass(before)
	stored, err := apiserver.FromTyped(before)
	if err != nil {
		return nil, err
	}
	changed, err := change(stored)
	if err != nil {
		return nil, err
	}
	after, err := changed.Typed()
	if err != nil || after.ResourceVersion == before.ResourceVersion {
		return before, err
	}
	if err := s.historyOf(name).write(before.Status.Conditions, after.Status.Conditions); err != nil {
		s.t.Errorf("A write of MachineConfigNode %s shows what never happens: %v", name, err)
	}
	return after, s.tracker.Update(nodes, after, "")
}
