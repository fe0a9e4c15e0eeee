package bayes

import (
	"maps"
	"slices"
)

// eliminationOrder returns an order in which to sum over the hidden variables, and with
// each the variables that its messages depend on, in ascending order. In each step it
// takes the variable whose neighbours lack the fewest edges among each other (min-fill);
// of equals the one with the smallest table, and of those the first.
func (n *Network) eliminationOrder(hidden []int) (order []int, messages [][]int) {
	neighbours := n.moral(hidden)
	price := make(map[int]price, len(hidden))
	for _, v := range hidden {
		price[v] = n.price(neighbours, v)
	}
	left := slices.Clone(hidden)
	for len(left) > 0 {
		best := 0
		for i, v := range left {
			if price[v].less(price[left[best]]) {
				best = i
			}
		}
		v := left[best]
		left = slices.Delete(left, best, best+1)
		scope := slices.Sorted(maps.Keys(neighbours[v]))
		for _, u := range scope {
			delete(neighbours[u], v)
		}
		changed := slices.Clone(scope)
		if price[v].fill > 0 {
			for _, u := range scope {
				changed = slices.AppendSeq(changed, maps.Keys(neighbours[u]))
				for _, w := range scope {
					if u != w {
						neighbours[u][w] = true
					}
				}
			}
			slices.Sort(changed)
			changed = slices.Compact(changed)
		}
		for _, u := range changed {
			price[u] = n.price(neighbours, u)
		}
		order, messages = append(order, v), append(messages, scope)
	}
	return order, messages
}

// price is what it takes to eliminate a variable: the edges that its neighbours lack, and
// the entries of its table.
type price struct {
	fill    int
	entries float64
}

func (p price) less(q price) bool {
	return p.fill < q.fill || p.fill == q.fill && p.entries < q.entries
}

func (n *Network) price(neighbours map[int]map[int]bool, v int) price {
	p := price{entries: float64(n.size(v))}
	for u := range neighbours[v] {
		p.entries *= float64(n.size(u)) // sizes are whole: the order does not matter below 2⁵³
		for w := range neighbours[v] {
			if u < w && !neighbours[u][w] {
				p.fill++
			}
		}
	}
	return p
}

// moral returns the neighbours of each hidden variable: those that it shares a family
// with.
func (n *Network) moral(hidden []int) map[int]map[int]bool {
	neighbours := make(map[int]map[int]bool, len(hidden))
	for _, v := range hidden {
		neighbours[v] = make(map[int]bool)
	}
	for _, s := range n.scopes {
		for _, u := range s.variables {
			for _, v := range s.variables {
				if neighbours[u] != nil && neighbours[v] != nil && u != v {
					neighbours[u][v] = true
				}
			}
		}
	}
	return neighbours
}
