package channel

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Derivation is one path through all stages of the cascade: the strings on its tapes, and the
// natural logarithm of the joint probability of the path and the query.
type Derivation struct {
	Source []int32
	// Hidden contains the strings between the stages: Hidden[k−1] is on the side Between(k). It is
	// empty for a cascade of one stage.
	Hidden  [][]int32
	Target  []int32
	LogProb float64
}

// Prob returns exp LogProb.
func (d Derivation) Prob() float64 { return math.Exp(d.LogProb) }

// Derivations returns up to n paths through the stages that are most probable together with the
// query, the most probable first. If several paths have the same strings on all tapes, only the
// best one is in the list. If the model has no path, Derivations returns an empty list and no
// error.
//
// The best derivation need not contain the best string, because Best sums over all paths to a
// string on one side. Suppose "kop" comes from "cop" by two paths of .2 each, and from "kop" by one
// of .3. The best source is "cop", but the best derivation begins with "kop". Derivations returns
// strings that belong together, Best the most probable string of one side. The LogProb of a
// derivation is the probability of one path, so it is at most the LogProb of any of its strings in
// Best.
//
// A branch contributes its best path, and its hidden strings are not returned. Pruned arcs are left
// out. The list may be shorter than n if more than Work paths lead to equal strings. Errors are as
// for Lattice. The time is the time of Lattice, one pass over the lattice, and at least the length
// of the paths tried.
func (p *Predictor) Derivations(q Query, n int) ([]Derivation, error) {
	t, err := p.trace(&p.pruned, q)
	if err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, nil
	}
	ways, err := graphs.UniqueBestPaths(t.lattice.WithSemiring(semiring.Viterbi{}).Graph(), t.arcs)
	if err != nil {
		return nil, nested.Errorf("channel: %w", err)
	}
	var list []Derivation
	found := map[string]bool{}
	work := cmp.Or(p.opts.Work, defaultWork)
	for _, way := range ways {
		d := t.derivation(way)
		if k := d.key(); !found[k] {
			found[k] = true
			list = append(list, d)
		}
		if work--; len(list) == n || work == 0 {
			break
		}
	}
	return list, nil
}

// defaultWork is the default of PredictorOptions.Work, the same as in nbest.Best.
const defaultWork = 100_000

// Sample draws n independent derivations given the query, each in proportion to its probability. If
// the source is known it draws targets, if the target is known it draws sources, and for an empty
// query it draws pairs. The strings on each side are then drawn from their posterior distribution.
// Sample does not prune, and does not draw the outputs of branches.
//
// The error wraps em.ErrUnderivable if the model does not allow the query, and semiring.ErrDiverges
// if the probabilities of all strings have no finite sum: an empty query needs a stage that assigns
// probabilities to sources. Otherwise errors are as for LogProb. The time is the time of LogProb
// plus the length of each derivation. Equal random numbers from src give equal derivations.
func (p *Predictor) Sample(q Query, n int, src rand.Source) ([]Derivation, error) {
	nonnil.Check("channel: Sample", "source of randomness", src)
	t, err := p.trace(&p.stages, q)
	if err != nil {
		return nil, err
	}
	sampler, err := graphs.NewSampler(t.lattice.Graph())
	if errors.Is(err, graph.ErrNoPath) {
		return nil, nested.Errorf("channel: %w of the query", em.ErrUnderivable)
	}
	if err != nil {
		return nil, nested.Errorf("channel: %w", err)
	}
	list := make([]Derivation, max(n, 0))
	for i := range list {
		list[i] = t.derivation(sampler.Sample(src))
	}
	return list, nil
}

// key returns a text that identifies the strings on all tapes.
func (d *Derivation) key() string {
	var b []byte
	for _, s := range slices.Concat([][]int32{d.Source, d.Target}, d.Hidden) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		for _, l := range s {
			b = binary.AppendUvarint(b, uint64(l))
		}
	}
	return string(b)
}

// traced is the lattice of a query that remembers the labels of all tapes. Composition drops the
// tape in the middle. Before a stage is prepended, each arc of the lattice is therefore relabeled
// with a number for the pair of its input label and its output so far.
type traced struct {
	lattice  *nbest.Lattice
	arcs     []int32 // the number of each arc, 0 for one with no label on any tape
	tapes    int
	inverted bool // the tapes are numbered from the target
	numbers  keytable.Table[uint64]
}

// trace returns the lattice of a query, composed from the observed end as in compose.
func (p *Predictor) trace(n *network, q Query) (*traced, error) {
	if err := p.check(q); err != nil {
		return nil, err
	}
	end, err := p.end(n, q)
	if err != nil {
		return nil, err
	}
	t := &traced{tapes: len(n.cascade) + 1, inverted: q.Source != nil}
	f, far := end, (*nbest.Lattice)(nil)
	stages := slices.Clone(n.cascade)
	if t.inverted {
		f, far = fromString(q.Source), end
		for i, s := range stages {
			stages[i] = s.Inverse()
		}
	} else {
		slices.Reverse(stages)
	}
	number := func(_, out int32) int32 { return t.number(out, 0) }
	for _, s := range stages {
		if f == nil { // no end was observed: this stage writes the last tape
			f, s = s, nil
		}
		if f, err = relabel(f, number); err != nil {
			return nil, nested.Errorf("channel: %w", err)
		}
		if f, err = p.join(s, f); err != nil {
			return nil, err
		}
		number = t.number
	}
	if t.lattice, err = p.join(far, f); err != nil {
		return nil, err
	}
	for e, in := range t.lattice.In() {
		t.arcs = append(t.arcs, t.number(in, t.lattice.Out()[e]))
	}
	return t, nil
}

// number returns the number of a label together with the number of the labels on the tapes beyond.
func (t *traced) number(label, beyond int32) int32 {
	if label == fst.Epsilon && beyond == 0 {
		return 0
	}
	n, _ := t.numbers.Number(keytable.Pair(label, beyond))
	return n + 1
}

// relabel returns f with other output labels.
func relabel(f *nbest.Lattice, out func(in, out int32) int32) (*nbest.Lattice, error) {
	b := machines.Scaled.NewBuilder(f.Semiring())
	b.AllowZero()
	b.AddStates(f.NumStates())
	for _, s := range f.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	var arcs []fst.Arc[semiring.ScaledFloat]
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.Final(s))
		arcs = f.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			a.Out = out(a.In, a.Out)
			b.AddArc(s, a)
		}
	}
	return b.Freeze()
}

// derivation returns the strings on the tapes of a path.
func (t *traced) derivation(way graph.Path[semiring.ScaledFloat]) Derivation {
	tapes := make([][]int32, t.tapes)
	for i := range tapes {
		tapes[i] = []int32{} // observed, if it becomes part of a query
	}
	for _, e := range way.Arcs {
		number := t.arcs[e]
		for i := 0; number != 0; i++ {
			var label int32
			if label, number = keytable.Unpair(t.numbers.Keys()[number-1]); label != fst.Epsilon {
				tapes[i] = append(tapes[i], label)
			}
		}
	}
	if t.inverted {
		slices.Reverse(tapes)
	}
	last := len(tapes) - 1
	return Derivation{Source: tapes[0], Hidden: tapes[1:last:last], Target: tapes[last], LogProb: way.Weight.Log()}
}
