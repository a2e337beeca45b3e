package progress

import "cmp"

// compareNodes orders nodes by name. Those of the same name are ordered, too: the order of the input must not matter.
func compareNodes(a, b Node) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.State, b.State),
		compareTargets(a.Desired, b.Desired),
		compareTargets(a.Current, b.Current),
		a.Since.Compare(b.Since),
		a.Ordered.Compare(b.Ordered),
		a.Ended.Compare(b.Ended),
		a.Degraded.Compare(b.Degraded),
		cmp.Compare(a.Step, b.Step),
		cmp.Compare(a.Message, b.Message),
	)
}

func compareTargets(a, b Target) int {
	return cmp.Or(cmp.Compare(a.Config, b.Config), cmp.Compare(a.Image, b.Image))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
