package align

import (
	"encoding/binary"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// direction is one direction of a Model in training, as a submodel whose features are the links of
// a sentence, E×F. The directions can share the translation probabilities; NULL and positions are
// private.
type direction struct {
	number  int
	model   *Model
	cells   *cells
	prior   *prior
	step    EStep
	counted []int // the directions whose translations it counts
	machine *machine
}

func (d *direction) Params() *em.Params { return d.model.table.params }

func (d *direction) Examples() int { return d.cells.corpus.Len() }

// Example returns an empty name; stage.Expect sets the names of skipped sentences.
func (d *direction) Example(i int) em.Skipped { return em.Skipped{Index: i, Weight: 1} }

// Cut returns the division of the corpus into shards.
func (d *direction) Cut() em.Cut { return d.cells.corpus.Cut() }

func (d *direction) Begin(q em.Query) error {
	switch {
	case q.EStep != em.Marginal:
		return nested.Errorf("align: %w: an E step other than %v", semiring.ErrCapability, em.Marginal)
	case q.Temperature != 1:
		return nested.Errorf("align: %w: a temperature other than 1", semiring.ErrCapability)
	}
	d.machine = d.model.machine(d.step, q.Theta)
	return nil
}

func (d *direction) Infer() agree.Inference {
	return &inference{of: d, aligner: newAligner(d.number, true)}
}

// Fingerprint writes the inputs of a direction. Direction ef also writes the inputs common to both.
func (d *direction) Fingerprint(w io.Writer) {
	m, c := d.model, d.cells.corpus
	fmt.Fprintf(w, "align %d %d %+v %v %g %g %v\n", d.number, m.kind, d.step, d.counted, m.floor, m.null, m.sides[d.number].classes)
	if d.number == fe {
		return
	}
	fmt.Fprintf(w, "pruned by %g\n", c.least)
	binary.Write(w, binary.LittleEndian, d.prior.pair)
	for side := range c.text {
		fmt.Fprintf(w, "%q\n", c.words[side].words)
		binary.Write(w, binary.LittleEndian, c.text[side].words)
		binary.Write(w, binary.LittleEndian, c.text[side].first)
		for _, b := range d.prior.backs {
			fmt.Fprintf(w, "classes of strength %g\n", b.strength)
			binary.Write(w, binary.LittleEndian, b.of[side])
		}
	}
}

// inference is the state of one goroutine in the E steps of a direction.
type inference struct {
	of *direction
	*aligner
	slots    []int32
	seen     []int32 // words
	features []float64

	// The counts that are not yet drained: the parameters of links and of words given NULL, with
	// their counts, and the counts of positions.
	links, fromNone list
	positions       []float64
}

func (x *inference) Posterior(i int) (agree.Posterior, error) {
	c := x.of.cells.corpus
	words := [2][]int32{c.text[0].sentence(i), c.text[1].sentence(i)}
	x.slots = x.of.cells.slots(x.slots[:0], i)
	x.seen = words[1-x.direction]
	total, arcs, err := x.visit(x.of.machine, x.of.machine, x.slots, words)
	if err != nil || total.IsZero() {
		return agree.Posterior{Total: total, Arcs: int64(arcs)}, err
	}
	x.features = resized(x.features, len(x.slots))
	x.posteriors(x.features, x.direction)
	return agree.Posterior{Features: x.features, Total: total, Arcs: int64(arcs)}, nil
}

func (x *inference) Count(mu []float64, weight float64) {
	t := x.of.model.table
	if d := x.of.counted; len(d) > 0 {
		first := int32(t.translations.First() + d[0])
		from, counts := x.links.grow(len(x.slots))
		mu = mu[:len(from)]
		for k, slot := range x.slots {
			from[k], counts[k] = first+2*slot, weight*mu[k]
		}
		if x.of.cells.corpus.least > 0 {
			x.links.drop(len(x.slots), first+2*unknown)
		}
	}
	null := int32(t.null[x.direction].First())
	from, counts := x.fromNone.grow(len(x.seen))
	for j, w := range x.seen {
		from[j], counts[j] = null+w, weight*x.fromNull[j]
	}
	p := x.of.machine.positions[x.direction]
	if n := p.size(); len(x.positions) != n {
		x.positions = make([]float64, n)
	}
	p.count(x.positions, &x.view, x.scratch, weight)
}

func (x *inference) Drain(t *em.Tally) {
	if n := len(x.of.counted); n > 0 { // the translations of a pair are adjacent
		x.links.drain(t, n)
	}
	x.fromNone.drain(t, 1)
	if len(x.positions) == 0 {
		return
	}
	first := int32(x.of.model.table.positions[x.direction][x.of.model.kind].First())
	for lo, hi := nextRun(x.positions, 0); lo < hi; lo, hi = nextRun(x.positions, hi) {
		run := x.positions[lo:hi]
		t.Run(first+int32(lo), run, nil)
		clear(run)
	}
}

// nextRun returns the first run of counts from an index on. A run begins and ends with a count ≠ 0.
// It may include a few zeros at a time, which cost less than another run. It is empty if all counts
// are 0.
func nextRun(counts []float64, from int) (lo, hi int) {
	const few = 8
	lo = from
	for lo < len(counts) && counts[lo] == 0 {
		lo++
	}
	hi = lo
	for i := lo; i < len(counts) && i <= hi+few; i++ {
		if counts[i] != 0 {
			hi = i + 1
		}
	}
	return lo, hi
}

// list contains counts and the indices of their parameters.
type list struct {
	from   []int32
	counts []float64
}

// grow makes room for n more counts and returns it. The lists are long, so the capacity doubles.
func (l *list) grow(n int) (from []int32, counts []float64) {
	lo := len(l.from)
	if need := lo + n; need > min(cap(l.from), cap(l.counts)) {
		l.from, l.counts = append(make([]int32, 0, 2*need), l.from...), append(make([]float64, 0, 2*need), l.counts...)
	}
	l.from, l.counts = l.from[:lo+n], l.counts[:lo+n]
	return l.from[lo:][:n], l.counts[lo:][:n]
}

// drop removes the counts of a parameter from the last n.
func (l *list) drop(n int, parameter int32) {
	kept := len(l.from) - n
	for k := kept; k < len(l.from); k++ {
		if l.from[k] != parameter {
			l.from[kept], l.counts[kept] = l.from[k], l.counts[k]
			kept++
		}
	}
	l.from, l.counts = l.from[:kept], l.counts[:kept]
}

// drain moves the counts to t. Each count is for width parameters, beginning with its own.
func (l *list) drain(t *em.Tally, width int) {
	l.from, l.counts = t.PutUniform(l.from, width, l.counts)
}

// machine is a model of both directions at fixed parameters, ready for inference. Goroutines share
// it.
type machine struct {
	lexicon      *lexicon
	translations []float64    // two per slot
	null         [2][]float64 // per word seen
	classes      [2][]int32   // per observed word
	rare         [2]int32     // of words that are unknown
	floor        float64
	step         EStep
	positions    [2]positions
}

// potentials replace the probabilities of pairs in the inference of a direction.
type potentials interface {
	// gather sets dst to the potentials of direction d, given the slots of a sentence's pairs.
	gather(dst []float64, slots []int32, d int)
}

// aligner performs inference in one direction, sentence by sentence. It is not safe for concurrent
// use.
type aligner struct {
	direction int
	view
	scratch    *scratch
	class      [2][]int32 // storage
	potentials []float64  // E×F
}

func newAligner(direction int, counts bool) *aligner {
	return &aligner{direction: direction, scratch: newScratch(counts)}
}

// visit computes the posteriors of a sentence, given its potentials, the slots of its pairs and its
// words, and returns the path sum and the number of arcs.
func (a *aligner) visit(m *machine, from potentials, slots []int32, words [2][]int32) (weight, int, error) {
	a.potentials = resized(a.potentials, len(slots))
	from.gather(a.potentials, slots, a.direction)
	hidden, seen := words[a.direction], words[1-a.direction]
	p := m.positions[a.direction]
	a.resize(p, len(hidden), len(seen))
	a.view.class, a.view.classSeen = a.classes(m, a.direction, hidden), a.classes(m, 1-a.direction, seen)
	a.emissions(a.potentials, a.direction)
	for j, w := range seen {
		a.null[j] = m.floor
		if w >= 0 {
			a.null[j] = m.null[a.direction][w]
		}
	}
	return p.visit(&a.view, a.scratch)
}

// classes returns the classes of the words of one side of a sentence, nil for one class.
func (a *aligner) classes(m *machine, side int, words []int32) []int32 {
	of := m.classes[side]
	if of == nil {
		return nil
	}
	a.class[side] = classesOf(a.class[side][:0], of, m.rare[side], words)
	return a.class[side]
}

// gather copies probabilities from the lexicon or, in a Joint E step, their products. Pairs outside
// the lexicon have the probability floor.
func (m *machine) gather(dst []float64, slots []int32, d int) {
	dst = dst[:len(slots)]
	t := m.translations
	joint, unseen := m.step == Joint, m.floor
	if joint {
		unseen *= m.floor
	}
	for n, slot := range slots {
		dst[n] = unseen
		if slot < 0 {
			continue
		}
		dst[n] = t[2*int(slot)+d]
		if joint {
			dst[n] *= t[2*int(slot)+1-d]
		}
	}
}
