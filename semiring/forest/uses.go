package forest

// uses is a forest by tail: node v is a tail of the edges edge[n], with head head[n],
// for n = row[v], …, row[v+1]−1, in increasing order of edges, once for each time
// that it occurs. beside[n] is the index in x (see pairs) of the product of the other
// tails.
type uses struct{ row, edge, head, beside []int32 }

func newUses(t *topology) *uses {
	nodes, p := t.numNodes(), t.pairs()
	u := &uses{
		row:    make([]int32, nodes+2),
		edge:   make([]int32, len(t.tails)),
		head:   make([]int32, len(t.tails)),
		beside: make([]int32, len(t.tails)),
	}
	// row[v+1] is the next free slot of v while the slots are filled, and then the
	// end of v, that is, the start of v+1.
	for _, v := range t.tails {
		u.row[v+2]++
	}
	for v := range nodes {
		u.row[v+2] += u.row[v+1]
	}
	add := func(v, e, head, beside int32) {
		slot := &u.row[v+1]
		u.edge[*slot], u.head[*slot], u.beside[*slot] = e, head, beside
		*slot++
	}
	wides := 0
	for v := range int32(nodes) {
		for e := t.edge[v]; e < t.edge[v+1]; e++ {
			switch tails := t.tails[t.tail[e]:t.tail[e+1]]; len(tails) {
			case 0:
			case 1, 2:
				add(tails[0], e, v, p.second[e])
				if len(tails) == 2 {
					add(tails[1], e, v, p.first[e])
				}
			default:
				for i, u := range tails {
					add(u, e, v, p.context[wides]+int32(i))
				}
				wides++
			}
		}
	}
	u.row = u.row[:nodes+1]
	return u
}
