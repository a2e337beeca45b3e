package writer

import (
	"errors"
	"fmt"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// ErrReadRequired means that a state lacks what is needed for a write: the object is to be read,
// and the step to be planned again. No request was made.
var ErrReadRequired error = readRequired{}

type readRequired struct{}

func (readRequired) Error() string { return "the object must be read first" }

// Outcome is that of a conflict: what the step was planned on is not what is needed.
func (readRequired) Outcome() apierr.Outcome { return apierr.Conflict }

// ErrUnexpectedResponse means that a response is not one of the API server about this object, as a
// broken proxy gives it. Whether the request took effect is not known: the object is to be read.
var ErrUnexpectedResponse = errors.New("unexpected response to the request")

// wrap names the object and the request that failed.
func (w Writer) wrap(request string, err error) error {
	return fmt.Errorf("MachineConfigNode %s: %s: %w", w.client.NodeName(), request, err)
}
