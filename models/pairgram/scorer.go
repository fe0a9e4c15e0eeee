package pairgram

import (
	"slices"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// scorer computes probabilities of pairs; it is not safe for concurrent use.
type scorer struct {
	reader    *reader
	expansion expansion
	steps     steps
	targets   targetTree
}

func newScorer(m *Model) *scorer {
	return &scorer{reader: newReader(m.chunks.sizes), steps: steps{history: history{m.grams}}}
}

func (s *scorer) logProb(m *Model, x, y []int32) (float64, error) {
	if tooLong(x, y) {
		return 0, nested.Errorf("pairgram: %w: strings of %d and %d symbols", semiring.ErrLimit, len(x), len(y))
	}
	l := m.chunks.lattice(s.reader, x, y)
	if m.reversed {
		l = l.reversed()
	}
	g, err := s.expansion.expand(l, &s.steps)
	if err != nil {
		return 0, nested.Errorf("pairgram: %w", err)
	}
	sum, err := graphs.PathSum(g)
	if err != nil {
		return 0, nested.Errorf("pairgram: %w", err)
	}
	return clamp.LogProb(sum.Log(), len(x)+len(y)), nil
}

// maxShared is the greatest number of states of a lattice of several targets. Targets of longer
// strings are scored one by one, to save memory.
const maxShared = 1 << 14

// logProbs returns logProb of x with each of ys.
func (s *scorer) logProbs(m *Model, x []int32, ys [][]int32) ([]float64, error) {
	t := &s.targets
	t.set(m, ys)
	all := make([]float64, len(ys))
	if (len(x)+1)*t.tree.len() > maxShared {
		for i, y := range ys {
			var err error
			if all[i], err = s.logProb(m, x, y); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	l := t.lattice(m, s.reader, x)
	g, err := s.expansion.expand(l, &s.steps)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	alpha, err := graphs.Forward(g)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	sums := make([]semiring.ScaledFloat, t.tree.len())
	last := int32(len(x) * t.tree.len()) // the first state that has read x
	for state, key := range s.expansion.states.Keys() {
		if at, context := keytable.Unpair(key); at >= last {
			sum := &sums[at-last]
			*sum = sum.Add(alpha[state].Mul(s.steps.End(context)))
		}
	}
	for i, node := range t.ends {
		all[i] = clamp.LogProb(sums[node].Log(), len(x)+len(ys[i]))
	}
	return all, nil
}

// targetTree contains the targets of a source as a tree.
type targetTree struct {
	tree  trie    // of the targets in the order of the model
	ends  []int32 // per target: its node
	row   []int32 // the pieces of node n are row[n] … row[n+1]−1
	piece []piece
	next  []int32
}

// piece is a piece of a target: it leads from a node to another one.
type piece struct {
	size, to int32
	number   int32 // in the inventory, −1 for an unknown piece
}

// set makes t the tree of ys.
func (t *targetTree) set(m *Model, ys [][]int32) {
	t.tree.steps.Reset()
	t.ends = t.ends[:0]
	for _, y := range ys {
		node := int32(0)
		for i := range y {
			node = t.tree.add(node, m.symbol(y, i))
		}
		t.ends = append(t.ends, node)
	}
}

// fill sets the pieces of up to most symbols.
func (t *targetTree) fill(m *Model, most int) {
	nodes := t.tree.len()
	t.row = append(t.row[:0], make([]int32, nodes+1)...)
	each := func(yield func(from, to int32, symbols []int32)) {
		var storage [maxSize]int32
		for to := range int32(nodes) {
			from := to
			yield(from, to, nil)
			for n := 1; n <= most && from > 0; n++ {
				before, symbol := keytable.Unpair(t.tree.steps.Keys()[from-1])
				from, storage[maxSize-n] = before, symbol
				yield(from, to, storage[maxSize-n:])
			}
		}
	}
	each(func(from, _ int32, _ []int32) { t.row[from+1]++ })
	for n := range nodes {
		t.row[n+1] += t.row[n]
	}
	t.next = append(t.next[:0], t.row...)
	t.piece = slices.Grow(t.piece[:0], int(t.row[nodes]))[:t.row[nodes]]
	each(func(from, to int32, symbols []int32) {
		number := int32(0)
		for i := 0; i < len(symbols) && number >= 0; i++ {
			number = m.chunks.target.find(number, m.symbol(symbols, i))
		}
		t.piece[t.next[from]] = piece{int32(len(symbols)), to, number}
		t.next[from]++
	})
}

// lattice returns all divisions of x and each target into chunks, in the order of the model. Its
// states are pairs of a position in x and a node of the tree, row by row.
func (t *targetTree) lattice(m *Model, r *reader, x []int32) *lattice {
	t.fill(m, r.y.reach)
	r.x.read(x, m.chunks.source.find)
	nodes := int32(t.tree.len())
	l := &lattice{row: make([]int32, 1, (len(x)+1)*int(nodes)+1)}
	for i := range len(x) + 1 {
		for node := range nodes {
			pieces := t.piece[t.row[node]:t.row[node+1]]
			for _, size := range m.chunks.sizes {
				if i+size.Source > len(x) {
					continue
				}
				from := i
				if m.reversed {
					from = len(x) - i - size.Source
				}
				source := r.x.at(from, size.Source)
				for _, p := range pieces {
					if int(p.size) != size.Target {
						continue
					}
					if n := m.chunks.number.get(source, p.number); n > 0 {
						l.to = append(l.to, int32(i+size.Source)*nodes+p.to)
						l.chunk = append(l.chunk, n)
					}
				}
			}
			l.row = append(l.row, int32(len(l.to)))
		}
	}
	return l
}

// steps is history, but keeps the latest results of steps in a table of fixed size. The same
// contexts and chunks occur in many sequences.
type steps struct {
	history
	latest []step
}

// step is the result of a step; key is 0 in an empty cell.
type step struct {
	key    uint64 // the pair of a context and a chunk
	weight semiring.ScaledFloat
	next   int32
}

// numSteps is the number of cells of the table of steps, a power of two. They take half a megabyte.
const numSteps = 1 << 14

func (s *steps) Step(context, chunk int32) (int32, semiring.ScaledFloat) {
	if s.latest == nil {
		s.latest = make([]step, numSteps)
	}
	key := keytable.Pair(context, chunk)
	cell := &s.latest[mix(kindGrams, key)%numSteps]
	if cell.key != key {
		cell.key = key
		cell.next, cell.weight = s.history.Step(context, chunk)
	}
	return cell.next, cell.weight
}
