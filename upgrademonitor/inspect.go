package upgrademonitor

import "github.com/openshift/upgrademonitor/internal/inspect"

// inspect shows a test what is known of the object.
func (m *Monitor) inspect() {
	if m.inspector == nil {
		return
	}
	s, known, lost := m.store.inspect()
	if !known {
		return
	}
	m.inspector.Inspect(inspect.State{
		Object:       s.Object,
		Conditions:   s.Unowned.Conditions,
		ImageSets:    s.Unowned.ImageSets,
		Verbatim:     s.Unowned.Verbatim,
		Exact:        s.Unowned.Exact,
		StatusLost:   lost,
		NoImageField: s.NoImageField,
		UpdateTarget: s.Update.Target.Config,
	})
}
