package forest

// pairs presents every edge as one of two tails, so that a node costs one kernel call
// whatever the arities of its edges are. The sums run over a vector x that holds more
// than the inside weights of the n nodes:
//
//	x[v]        the inside weight of node v < n
//	x[n]        One, the tail that an edge of fewer than two lacks
//	x[n+1], …   for every edge of m > 2 tails, a wide one, m contexts: the products,
//	            in order, of all tails but the first, all but the second, …
//
// The first context makes a wide edge one of two tails; the others are for outside
// weights only.
type pairs struct {
	first, second []int32 // indices in x, per edge
	width         []width // per node, that of its widest edge
	widest        width
	wide          []int32 // the wide edges, in increasing order
	wideRow       []int32 // those of node v are wide[wideRow[v]:wideRow[v+1]]
	context       []int32 // where the contexts of a wide edge begin in x; one more: its end
}

// width is a class of arities.
type width uint8

const (
	none   width = iota // no edge
	unary               // at most one tail
	binary              // two
	wide                // more
)

func newPairs(t *topology) *pairs {
	nodes, edges := int32(t.numNodes()), len(t.tail)-1
	p := &pairs{
		first:   make([]int32, edges),
		second:  make([]int32, edges),
		width:   make([]width, nodes),
		wideRow: make([]int32, nodes+1),
	}
	end := nodes + 1
	for v := range nodes {
		for e := t.edge[v]; e < t.edge[v+1]; e++ {
			tails := t.tails[t.tail[e]:t.tail[e+1]]
			p.first[e], p.second[e] = nodes, nodes
			w := unary
			if len(tails) > 0 {
				p.first[e] = tails[0]
			}
			if len(tails) == 2 {
				p.second[e] = tails[1]
				w = binary
			}
			if len(tails) > 2 {
				p.wide, p.context = append(p.wide, e), append(p.context, end)
				p.second[e] = end
				end += int32(len(tails))
				w = wide
			}
			p.width[v] = max(p.width[v], w)
		}
		p.wideRow[v+1] = int32(len(p.wide))
		p.widest = max(p.widest, p.width[v])
	}
	p.context = append(p.context, end)
	return p
}

// size returns the length of x.
func (p *pairs) size() int { return int(p.context[len(p.wide)]) }
