package main

// point is a cost at a number of nodes.
type point struct {
	nodes int
	cost  float64
}

// perNode is the cost of one node.
func (p point) perNode() float64 { return p.cost / float64(p.nodes) }

// spread is the highest cost per node of all rows, divided by the lowest: 1 for a cost that is
// proportional to the number of nodes, 10 for a quadratic one from 500 to 5,000 nodes. It is 0 if
// nothing can be compared.
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
