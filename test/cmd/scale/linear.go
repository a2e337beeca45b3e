package main

// point is what something costs at a number of nodes.
type point struct {
	nodes int
	cost  float64
}

// perNode is the cost of one node.
func (p point) perNode() float64 { return p.cost / float64(p.nodes) }

// spread is the cost of a node in the row where it is highest, divided by that where it is
// lowest: 1 for a cost that grows as the number of nodes does, 10 for one that grows as its
// square from 500 to 5,000. It is 0 where nothing can be compared.
func spread(points []point) float64 {
	if len(points) < 2 {
		return 0
	}
	low, high := points[0].perNode(), points[0].perNode()
	for _, p := range points {
		low, high = min(low, p.perNode()), max(high, p.perNode())
	}
	if low <= 0 {
		return 0
	}
	return high / low
}
