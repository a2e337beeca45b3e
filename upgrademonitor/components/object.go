package components

import (
	"errors"
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// object is MachineConfiguration/cluster as known to this process. It is not safe for concurrent use.
type object struct {
	config Config

	adopted   bool
	published []metav1.Condition // own ones, as last read or written
	attempted []metav1.Condition // the last attempt to write them
	version   string             // the resource version of the last write, "" before the first
	limiter   limiter
	missing   *missing             // nil unless the last write did not find the object
	removal   time.Time            // of the last attempt to remove conditions; zero before the first
	cleared   bool                 // nothing is written any more
	health    map[Component]Health // as notified to the Observer
}

func newObject(config Config) object {
	return object{
		config:  config,
		limiter: limiter{min: config.MinInterval, max: config.MaxInterval},
		health:  map[Component]Health{},
	}
}

// satisfied reports whether the object has exactly the desired conditions of this process, or others
// that may not be removed yet. An informer that is behind the last write is ignored.
func (o *object) satisfied(mc *operatorv1.MachineConfiguration, list []metav1.Condition, now time.Time) bool {
	same := func(has []metav1.Condition) bool {
		if !o.mayRemove(now) {
			has = slices.DeleteFunc(slices.Clone(has), func(c metav1.Condition) bool { return find(list, c.Type) == nil })
		}
		return equal(has, list)
	}
	return same(o.published) && (o.behind(mc) || same(own(mc.Status.Conditions, o.config.Component)))
}

// behind reports whether an object is older than the last write.
func (o *object) behind(mc *operatorv1.MachineConfiguration) bool {
	if o.version == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(mc.ResourceVersion, o.version)
	return err == nil && order < 0
}

// get returns the object from the informer.
func (o *object) get() (*operatorv1.MachineConfiguration, error) {
	mc, err := o.config.Lister.Get(ObjectName)
	if err == nil && mc == nil {
		err = errors.New("the Lister has returned no object, and no error")
	}
	if apierrors.IsNotFound(err) && o.missing != nil {
		o.missing.gone = true
	}
	return mc, err
}

// observeHealth notifies the Observer of changes of health.
func (o *object) observeHealth(mc *operatorv1.MachineConfiguration) {
	if o.config.Observer == nil {
		return
	}
	list := slices.Concat(o.published, mc.Status.Conditions) // the own ones are found first
	for _, c := range withHealth {
		if h := HealthOf(list, c); o.health[c] != h {
			o.health[c] = h
			o.config.Observer.HealthChanged(c, h)
		}
	}
}
