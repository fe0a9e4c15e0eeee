package pairgram

import (
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// window is the acceptor of histories with the contexts of features: the previous chunks, the last
// chunks with a target, and the number of source symbols read. It also tracks whether the output is
// a prefix of a right target.
type window struct {
	model  *Model
	right  trie // of the right targets, in the order of the model
	wanted []int32
	// parts numbers the beginnings of outlooks: a pair of chunks, then the number of such a
	// beginning and the next element. An outlook is a beginning and its target.
	parts, number keytable.Table[uint64]
	all           []outlook
}

// outlook is a state of a window.
type outlook struct {
	last   [order - 1]int32 // the previous chunks, the last one first, 0 for the beginning
	said   [order - 1]int32 // the last chunks with a target, in the same order
	read   int32            // number of source symbols read
	target int32            // in window.right, −1 if it is not a prefix
}

// set makes w the window of m for these right targets.
func (w *window) set(m *Model, ys [][]int32) {
	w.model, w.wanted = m, w.wanted[:0]
	w.right.steps.Reset()
	for _, y := range ys {
		node := int32(0)
		for i := range y {
			node = w.right.add(node, m.symbol(y, i))
		}
		w.wanted = append(w.wanted, node)
	}
	w.parts.Reset()
	w.number.Reset()
	w.all = w.all[:0]
}

// Start, Step and End implement histories. End as a chunk does not change the context.
func (w *window) Start() int32 { return w.enter(outlook{}) }

func (w *window) Step(context, chunk int32) (int32, semiring.ScaledFloat) {
	one := semiring.NewScaled(1)
	if chunk == ngram.End {
		return context, one
	}
	next, c := w.all[context], w.model.chunks.chunk(chunk)
	copy(next.last[1:], next.last[:])
	next.last[0] = chunk
	if len(c.Target) > 0 {
		copy(next.said[1:], next.said[:])
		next.said[0] = chunk
	}
	next.read += int32(len(c.Source))
	for i := 0; i < len(c.Target) && next.target >= 0; i++ {
		next.target = w.right.find(next.target, w.model.symbol(c.Target, i))
	}
	return w.enter(next), one
}

func (w *window) End(int32) semiring.ScaledFloat { return semiring.NewScaled(1) }

func (w *window) enter(o outlook) int32 {
	k := o.last[0]
	for _, part := range [...]int32{o.last[1], o.last[2], o.said[0], o.said[1], o.said[2], o.read} {
		k, _ = w.parts.Number(keytable.Pair(k, part))
	}
	n, fresh := w.number.Number(keytable.Pair(k, o.target))
	if fresh {
		w.all = append(w.all, o)
	}
	return n
}

// outlooks contains the sequences of chunks in the lattice of a source, with the outlook at each
// state: the composition of the lattice and a window (see expansion).
type outlooks struct {
	window
	expansion
	lattice lattice
	logp    []float64 // per arc of lattice
	divider divider

	// Storage of Conditional.instantiate.
	arcs    []arc
	chances []float64
	bundles [chains]bundles
	scores  scores
}

// set makes o the sequences of chunks in part without improbable arcs: it removes an arc if its
// posterior probability is below least. An arc whose chunk is ngram.End ends each sequence. It
// reports whether there is a sequence.
func (o *outlooks) set(m *Model, part *graph.Expansion[semiring.ScaledFloat], least float64, ys [][]int32) (bool, error) {
	pruned, err := graphs.PrunePosterior(part.Graph, least)
	if err != nil {
		return false, err
	}
	g := pruned.Graph
	end := int32(g.NumStates())
	if end == 0 {
		return false, nil
	}
	l := &o.lattice
	l.row, l.to, l.chunk, o.logp = append(l.row[:0], 0), l.to[:0], l.chunk[:0], o.logp[:0]
	for s, final := range g.Finals() {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			l.to, l.chunk = append(l.to, g.To()[e]), append(l.chunk, part.Out[pruned.Arc[e]])
			o.logp = append(o.logp, g.Weights()[e].Log())
		}
		if !final.IsZero() {
			l.to, l.chunk, o.logp = append(l.to, end), append(l.chunk, ngram.End), append(o.logp, final.Log())
		}
		l.row = append(l.row, int32(len(l.to)))
	}
	l.row = append(l.row, int32(len(l.to)))
	o.window.set(m, ys)
	_, err = o.expand(l, &o.window)
	return err == nil, err
}

// isRight reports whether state s is the end of sequences that write a right target.
func (o *outlooks) isRight(s int) bool {
	return o.isEnd(s) && slices.Contains(o.wanted, o.targetOf(int32(s)))
}

// targetOf returns the output of sequences to state s, in the trie of the right targets.
func (o *outlooks) targetOf(s int32) int32 {
	_, context := o.states.place(s)
	return o.all[context].target
}

// isEnd reports whether state s is the end of sequences.
func (o *outlooks) isEnd(s int) bool {
	at, _ := o.states.place(int32(s))
	return int(at) == o.lattice.numStates()-1
}

// appendArcs appends the context of the features of each arc, in order, and ln p of its chunk. The
// source, in the order of the model and with padding, begins at base in sources.
func (o *outlooks) appendArcs(dst []arc, logp []float64, names names, base int) ([]arc, []float64) {
	for s, key := range o.states.Keys() {
		at, context := keytable.Unpair(key)
		look := &o.all[context]
		for e := o.row[s]; e < o.row[s+1]; e++ {
			a := arc{after: int32(base+reach) + look.read}
			a.names[0], a.target = names.chunk[o.chunk[e]], names.target[o.chunk[e]]
			if n := o.chunk[e]; n != ngram.End {
				a.size = int32(len(o.model.chunks.chunk(n).Source))
				a.after += a.size
			}
			for i, n := range look.last {
				if a.names[i+1] = names.chunk[n]; n == 0 {
					a.names[i+1] = beginning
				}
			}
			for i, n := range look.said {
				if a.said[i] = names.target[n]; n == 0 {
					a.said[i] = beginning
				}
			}
			dst, logp = append(dst, a), append(logp, o.logp[o.lattice.row[at]+e-o.row[s]])
		}
	}
	return dst, logp
}

// appendSource appends x in the order of the model, padded.
func (m *Model) appendSource(dst, x []int32) []int32 {
	var pad [reach]int32
	dst = append(append(dst, pad[:]...), x...)
	if m.reversed {
		slices.Reverse(dst[len(dst)-len(x):])
	}
	return append(dst, pad[:]...)
}

// errSequences is the error for a lattice of source x.
func errSequences(x []int32, err error) error {
	return nested.Errorf("pairgram: sequences of chunks for %v: %w", x, err)
}
