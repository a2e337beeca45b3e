package rollout

import (
	"context"
	"sync"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
)

// imageFieldRecheck is how long images are ignored after the CRD turned out to have no configImage:
// its feature gate may be switched on, and the CRD replaced, at any time.
const imageFieldRecheck = 5 * time.Minute

// imageField is whether the CRD has the field configImage.
type imageField struct {
	log failurelog.Log

	mu      sync.Mutex // guards missing and until
	missing bool
	until   time.Time // when to try again
}

// isUsable reports whether images are to be written: the field is there, or it is time to try again.
func (f *imageField) isUsable(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.missing || !now.Before(f.until)
}

// lost records that the field is missing. It reports whether that is new, so that one worker of
// those that notice it tries again.
func (f *imageField) lost(ctx context.Context, err error, now time.Time) bool {
	f.log.Failed(ctx, err, "Ignoring the images of the nodes")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.missing && now.Before(f.until) {
		return false
	}
	f.missing, f.until = true, now.Add(imageFieldRecheck)
	return true
}

// found records that the field exists. It reports whether that is new.
func (f *imageField) found(ctx context.Context) bool {
	f.log.Recovered(ctx, "Writing the images of the nodes again")
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.missing
	f.missing = false
	return was
}
