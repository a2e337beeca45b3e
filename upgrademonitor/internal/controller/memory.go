package controller

import "sync"

// Memory keeps one value for each name. The zero value is empty. It is safe for concurrent use,
// and must not be copied.
type Memory[V any] struct {
	values sync.Map
}

// Get returns the value of a name, and whether there is one.
func (m *Memory[V]) Get(name string) (value V, ok bool) {
	stored, ok := m.values.Load(name)
	if ok {
		value = stored.(V)
	}
	return value, ok
}

// Set replaces the value of a name.
func (m *Memory[V]) Set(name string, value V) { m.values.Store(name, value) }

// Delete removes the value of a name.
func (m *Memory[V]) Delete(name string) { m.values.Delete(name) }
