package fst

import (
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// gallic is the weight of a transducer's arcs when the output is part of the weight.
type gallic[W any] = semiring.Pair[semiring.Word, W]

// toGallic returns f as an acceptor of its input, with outputs in the weights.
func toGallic[W any](f *FST[W]) *FST[gallic[W]] {
	ring := semiring.Gallic(f.ring)
	words := map[int32]semiring.Word{Epsilon: semiring.NewWord()}
	d := &draft[gallic[W]]{row: f.labels.row[:f.NumStates():f.NumStates()]}
	d.arcs = arcs[gallic[W]]{f.arcs.in, f.arcs.in, f.arcs.to, make([]gallic[W], f.NumArcs())}
	for e, label := range f.arcs.out {
		word, ok := words[label]
		if !ok {
			word = semiring.NewWord(label)
			words[label] = word
		}
		d.arcs.w[e] = gallic[W]{First: word, Second: f.arcs.w[e]}
	}
	for _, s := range f.starts {
		d.start(s.State, gallic[W]{First: words[Epsilon], Second: s.Weight})
	}
	for _, w := range f.final {
		pair := ring.Zero()
		if !f.ring.IsZero(w) {
			pair = gallic[W]{First: words[Epsilon], Second: w}
		}
		d.final = append(d.final, pair)
	}
	g, err := d.freeze(ring)
	if err != nil {
		panic(err.Error()) // it is as large as f
	}
	g.inSymbols, g.outSymbols = f.inSymbols, f.outSymbols
	return g
}

// functional is the arithmetic of functional transducers: outputs are delayed until
// they are certain, and paths that meet must have written the same.
func functional[W any](ring semiring.Semiring[W]) residuals[gallic[W]] {
	return residuals[gallic[W]]{
		merge: func(a, b gallic[W]) (gallic[W], bool) {
			return gallic[W]{First: a.First, Second: ring.Plus(a.Second, b.Second)}, a.First == b.First
		},
		common: semiring.Gallic(ring).Plus,
		cycle: func(w gallic[W]) gallic[W] { // a string may be the other's, turned
			return gallic[W]{First: semiring.NewWord(int32(w.First.Len())), Second: w.Second}
		},
	}
}

// best is the arithmetic that keeps the best of the paths that meet.
func best[W any](ring semiring.Semiring[W], order semiring.Ordered[W]) residuals[gallic[W]] {
	r := functional(ring)
	r.merge = func(a, b gallic[W]) (gallic[W], bool) {
		if order.Compare(b.Second, a.Second) < 0 {
			a = b
		}
		return a, true
	}
	return r
}

// fromGallic returns the transducer of f with the ring of like: words of several labels
// become chains of arcs that read ε, shared where they end alike.
func fromGallic[W any](f *FST[gallic[W]], like *FST[W]) (*FST[W], error) {
	x := &unrolling[W]{like: like, first: int32(f.NumStates()), final: -1}
	d := new(draft[W])
	end := func(to int32, w gallic[W]) (label, state int32, weight W) {
		label, state = x.chain(w.First, to)
		return label, state, w.Second
	}
	for s, w := range f.final {
		empty := w.First.Len() == 0 // or infinite
		if empty {
			d.state(w.Second)
		} else {
			d.state(like.ring.Zero())
		}
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			out, to, weight := end(f.arcs.to[e], f.arcs.w[e])
			d.arcs.add(f.arcs.in[e], out, to, weight)
		}
		if !empty {
			out, to, weight := end(x.finalState(), w)
			d.arcs.add(Epsilon, out, to, weight)
		}
	}
	for _, s := range f.starts {
		out, to, weight := end(s.State, s.Weight)
		if out == Epsilon {
			d.start(to, weight)
			continue
		}
		d.start(x.link(out, to), weight)
	}
	x.append(d)
	return d.freezeLike(like)
}

// unrolling makes states of one arc each that read ε and write one label.
type unrolling[W any] struct {
	like  *FST[W]
	first int32                  // number of the first of them
	table keytable.Table[uint64] // label and target
	final int32                  // the state that is final and has no arc, −1 if there is none
}

// link returns the state with an arc ε:label to state to.
func (x *unrolling[W]) link(label, to int32) int32 {
	n, _ := x.table.Number(keytable.Pair(label, to))
	return x.first + n
}

// chain returns the first label of word, ε if it is empty, and the state from which the
// others are written on the way to state to.
func (x *unrolling[W]) chain(word semiring.Word, to int32) (label, state int32) {
	if word.Len() == 0 {
		return Epsilon, to
	}
	labels := word.Labels()
	for i := len(labels) - 1; i > 0; i-- {
		to = x.link(labels[i], to)
	}
	return labels[0], to
}

// finalState returns the state that is final and has no arc. Among the keys it has one
// that no link has.
func (x *unrolling[W]) finalState() int32 {
	if x.final < 0 {
		n, _ := x.table.Number(finalKey)
		x.final = x.first + n
	}
	return x.final
}

const finalKey = 1<<64 - 1

// append adds the states to d.
func (x *unrolling[W]) append(d *draft[W]) {
	ring := x.like.ring
	for _, key := range x.table.Keys() {
		if key == finalKey {
			d.state(ring.One())
			continue
		}
		d.state(ring.Zero())
		label, to := keytable.Unpair(key)
		d.arcs.add(Epsilon, label, to, ring.One())
	}
}
