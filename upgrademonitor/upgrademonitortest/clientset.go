package upgrademonitortest

import (
	"net/http"
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

// NewClientset returns a fake clientset that contains the objects. It handles writes of
// MachineConfigNodes as the API server does:
//
//  1. A create drops the status, and sets UID, resourceVersion, generation and creationTimestamp.
//     The objects that are passed to NewClientset keep their status, and get only missing metadata.
//  2. A write of the status subresource changes only the status. Any other write does not change the
//     status. A change of the spec increments the generation.
//  3. If the resourceVersion in a write is not the resourceVersion of the object, the error is a
//     Conflict. A write that changes nothing does not change the resourceVersion.
//  4. If the object breaks a rule of the CRD, the error is Invalid.
//  5. If a write changes the status of a condition in a way that package phases does not allow, the
//     write succeeds, but the test fails.
//
// Otherwise the clientset behaves like fake.NewClientset: it records actions, a prepended reactor
// can fail requests, and lists and watches work. Writes through its Tracker are not checked. The
// clientset is safe for concurrent use, and works in a bubble of testing/synctest.
func NewClientset(t testing.TB, objects ...runtime.Object) *fake.Clientset {
	t.Helper()
	c := fake.NewClientset()
	s := &server{t: t, tracker: c.Tracker(), histories: map[string]*history{}}
	for _, object := range objects {
		if mcn, ok := object.(*mcfgv1.MachineConfigNode); ok {
			object = s.completed(mcn)
		}
		if err := c.Tracker().Add(object); err != nil {
			t.Fatalf("Failed to add %T to the clientset: %v", object, err)
		}
	}
	c.ReactionChain = append([]clienttesting.Reactor{s}, c.ReactionChain...)
	return c
}

// server handles creations, updates and patches of MachineConfigNodes. The clientset calls React
// under a lock.
type server struct {
	t         testing.TB
	tracker   clienttesting.ObjectTracker
	revision  int64               // the highest resourceVersion so far
	histories map[string]*history // the keys are the names of objects
}

// completed returns an object that was passed to NewClientset, with complete metadata.
func (s *server) completed(mcn *mcfgv1.MachineConfigNode) *mcfgv1.MachineConfigNode {
	mcn = mcn.DeepCopy()
	s.raiseRevision(mcn)
	apiserver.Complete(&mcn.ObjectMeta, s.next(), clock.RealClock{}.Now())
	s.historyOf(mcn.Name).add(mcn.Status.Conditions)
	return mcn
}

// raiseRevision makes sure that the next resourceVersion is higher than that of an object.
func (s *server) raiseRevision(mcn *mcfgv1.MachineConfigNode) {
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

// React implements clienttesting.Reactor. It handles creations, updates and patches. The tracker
// handles other actions, for example deletions.
func (s *server) React(action clienttesting.Action) (bool, runtime.Object, error) {
	var written *mcfgv1.MachineConfigNode
	var err error
	switch a := action.(type) {
	case clienttesting.CreateActionImpl:
		written, err = s.create(a.GetObject())
	case clienttesting.UpdateActionImpl:
		mcn := a.GetObject().(*mcfgv1.MachineConfigNode)
		written, err = s.write(mcn.Name, func(o apiserver.StoredObject) (apiserver.StoredObject, error) {
			return o.Update(mcn, a.GetSubresource(), s.next())
		})
	case clienttesting.PatchActionImpl:
		if a.GetPatchType() != types.MergePatchType {
			const message = "upgrademonitortest supports only merge patches"
			return true, nil, apierrors.NewGenericServerResponse(
				http.StatusUnsupportedMediaType, "patch", nodes.GroupResource(), a.GetName(), message, 0, true)
		}
		written, err = s.write(a.GetName(), func(o apiserver.StoredObject) (apiserver.StoredObject, error) {
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

func (s *server) write(
	name string, change func(apiserver.StoredObject) (apiserver.StoredObject, error),
) (*mcfgv1.MachineConfigNode, error) {
	object, err := s.tracker.Get(nodes, "", name)
	if err != nil {
		return nil, err
	}
	before := object.(*mcfgv1.MachineConfigNode)
	s.raiseRevision(before)
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
		s.t.Errorf("A write of MachineConfigNode %s makes an invalid transition: %v", name, err)
	}
	return after, s.tracker.Update(nodes, after, "")
}
