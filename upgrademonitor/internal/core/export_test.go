package core

// Version returns the known version of the object, and whether the Lister has shown the object.
func (c *Core) Version() (resourceVersion string, listed bool) {
	return c.object.ResourceVersion, c.listed
}
