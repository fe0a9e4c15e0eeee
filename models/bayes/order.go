package bayes

import (
	"maps"
	"slices"
)

// order is an order in which to eliminate variables.
type order struct {
	variables []int
	messages  [][]int // per step: the variables that its message depends on, ascending
	entries   float64 // of all tables
	widest    int     // the step of the largest table
}

// cheap bounds the entries of an order that is used without trying others.
const cheap = 1 << 12

// order returns an order in which to eliminate the hidden variables and, after all of these, the
// variables of last. It tries greedy orders by min-fill, weighted min-fill and table size, unless
// the first is cheap, and returns the first one with the fewest entries.
func (q *question) order() order {
	best := q.greedy(minFill)
	for _, less := range []func(a, b price) bool{weightedMinFill, minEntries} {
		if best.entries <= cheap {
			break
		}
		if o := q.greedy(less); o.entries < best.entries {
			best = o
		}
	}
	return best
}

// price contains the costs of eliminating a variable.
type price struct {
	fill    int     // the number of its pairs of neighbours that are not neighbours of each other
	weight  float64 // the sum over these pairs of the product of their sizes
	entries float64 // of its table
}

// minFill prefers the variable with the fewest new pairs and, in case of ties, the smallest table.
func minFill(a, b price) bool {
	return a.fill < b.fill || a.fill == b.fill && a.entries < b.entries
}

// weightedMinFill is minFill with the entries of the new pairs in place of their number.
func weightedMinFill(a, b price) bool {
	return a.weight < b.weight || a.weight == b.weight && a.entries < b.entries
}

// minEntries prefers the variable with the smallest table and, in case of ties, the fewest new
// pairs.
func minEntries(a, b price) bool {
	return a.entries < b.entries || a.entries == b.entries && a.fill < b.fill
}

// greedy returns the order that eliminates the least variable in each step, the first in case of
// ties.
func (q *question) greedy(less func(a, b price) bool) order {
	neighbours := q.moral()
	prices := make(map[int]price, len(neighbours))
	for v := range neighbours {
		prices[v] = q.price(neighbours, v)
	}
	var o order
	largest := 0.
	for _, group := range [][]int{q.hidden, q.last} {
		left := slices.Clone(group)
		for len(left) > 0 {
			best := 0
			for i, v := range left {
				if less(prices[v], prices[left[best]]) {
					best = i
				}
			}
			v := left[best]
			left = slices.Delete(left, best, best+1)
			if entries := prices[v].entries; entries > largest {
				largest, o.widest = entries, len(o.variables)
			}
			o.entries += prices[v].entries
			scope := slices.Sorted(maps.Keys(neighbours[v]))
			o.variables, o.messages = append(o.variables, v), append(o.messages, scope)
			for _, u := range connect(neighbours, v, scope) {
				prices[u] = q.price(neighbours, u)
			}
		}
	}
	return o
}

// connect removes v from the neighbours, makes all neighbours of v neighbours of each other, and
// returns the variables whose prices may have changed.
func connect(neighbours map[int]map[int]bool, v int, scope []int) []int {
	changed := slices.Clone(scope)
	for _, u := range scope {
		delete(neighbours[u], v)
	}
	for i, u := range scope {
		for _, w := range scope[:i] {
			if neighbours[u][w] {
				continue
			}
			neighbours[u][w], neighbours[w][u] = true, true
			for x := range neighbours[u] { // the pair may have been missing among its neighbours
				if neighbours[w][x] {
					changed = append(changed, x)
				}
			}
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}

// price returns the price of v.
func (q *question) price(neighbours map[int]map[int]bool, v int) price {
	p := price{entries: float64(q.size(v))}
	for u := range neighbours[v] {
		p.entries *= float64(q.size(u)) // sizes are integers: the order does not matter below 2⁵³
		for w := range neighbours[v] {
			if u < w && !neighbours[u][w] {
				p.fill++
				p.weight += float64(q.size(u) * q.size(w))
			}
		}
	}
	return p
}

// moral returns the neighbours of each eliminated variable: the eliminated variables with which it
// shares a function.
func (q *question) moral() map[int]map[int]bool {
	neighbours := make(map[int]map[int]bool, len(q.hidden)+len(q.last))
	for _, group := range [][]int{q.hidden, q.last} {
		for _, v := range group {
			neighbours[v] = make(map[int]bool)
		}
	}
	for _, f := range q.functions {
		scope := q.scopes[f].variables
		for _, u := range scope {
			for _, v := range scope {
				if neighbours[u] != nil && neighbours[v] != nil && u != v {
					neighbours[u][v] = true
				}
			}
		}
	}
	return neighbours
}
