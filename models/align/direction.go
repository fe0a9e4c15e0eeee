package align

import (
	"encoding/binary"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/semiring"
)

// direction is one direction of a Model in training, as a submodel whose features are the
// links of a sentence, E×F. The translation probabilities are what the directions can
// share; NULL and positions are private.
type direction struct {
	number  int
	model   *Model
	cells   *cells
	prior   *prior
	step    EStep
	both    bool // counts are of both directions' translations
	machine *machine
}

func (d *direction) Params() *em.Params { return d.model.table.params }

func (d *direction) Examples() int { return d.cells.corpus.Len() }

// Example returns no name, which stage.Expect gives to those that are skipped.
func (d *direction) Example(i int) em.Skipped { return em.Skipped{Index: i, Weight: 1} }

// Cut returns how the corpus is cut.
func (d *direction) Cut() em.Cut { return d.cells.corpus.Cut() }

func (d *direction) Begin(q em.Query) error {
	switch {
	case q.EStep != em.Marginal:
		return fmt.Errorf("align: %w: an E step other than %v", semiring.ErrCapability, em.Marginal)
	case q.Temperature != 1:
		return fmt.Errorf("align: %w: a temperature other than 1", semiring.ErrCapability)
	}
	d.machine = d.model.machine(d.step, q.Theta)
	return nil
}

func (d *direction) Infer() agree.Inference {
	return &inference{of: d, aligner: newAligner(d.number, true)}
}

// Fingerprint writes what a direction is a function of. What both have in common, direction
// ef writes.
func (d *direction) Fingerprint(w io.Writer) {
	m, c := d.model, d.cells.corpus
	fmt.Fprintf(w, "align %d %d %+v %v %g %g %v\n", d.number, m.kind, d.step, d.both, m.floor, m.null, m.classes[d.number])
	if d.number == fe {
		return
	}
	fmt.Fprintf(w, "prior of strength %g\n", d.prior.strength)
	binary.Write(w, binary.LittleEndian, d.prior.pair)
	for side := range c.text {
		fmt.Fprintf(w, "%q\n", c.words[side].words)
		binary.Write(w, binary.LittleEndian, c.text[side].words)
		binary.Write(w, binary.LittleEndian, c.text[side].first)
		if s := d.prior.stems; s != nil {
			binary.Write(w, binary.LittleEndian, s.of[side])
		}
	}
}

// inference is one goroutine's part in the E steps of a direction.
type inference struct {
	of *direction
	*aligner
	slots    []int32
	seen     []int32 // words
	features []float64

	// What was counted and not yet drained: numbers of parameters, with counts, and the
	// counts of positions.
	from      []int32
	counts    []float64
	positions []float64
}

func (x *inference) Posterior(i int) (agree.Posterior, error) {
	c := x.of.cells.corpus
	words := [2][]int32{c.text[0].sentence(i), c.text[1].sentence(i)}
	x.slots = x.of.cells.slots(x.slots[:0], i)
	x.seen = words[1-x.direction]
	total, arcs, err := x.visit(x.of.machine, x.slots, words)
	if err != nil || total.IsZero() {
		return agree.Posterior{Total: total, Arcs: int64(arcs)}, err
	}
	x.features = resized(x.features, len(x.slots))
	x.posteriors(x.features, x.direction)
	return agree.Posterior{Features: x.features, Total: total, Arcs: int64(arcs)}, nil
}

func (x *inference) Count(mu []float64, weight float64) {
	t := x.of.model.table
	first := int32(t.translations.First())
	x.count(first+int32(x.direction), mu, weight)
	if x.of.both {
		x.count(first+int32(1-x.direction), mu, weight)
	}
	null := int32(t.null[x.direction].First())
	from, counts := x.grow(len(x.seen))
	for j, w := range x.seen {
		from[j], counts[j] = null+w, weight*x.fromNull[j]
	}
	p := x.of.machine.positions[x.direction]
	if n := p.size(); len(x.positions) != n {
		x.positions = make([]float64, n)
	}
	p.count(x.positions, &x.view, x.scratch, weight)
}

// count counts the links, whose parameters are first and those twice the slots after it.
func (x *inference) count(first int32, mu []float64, weight float64) {
	from, counts := x.grow(len(x.slots))
	mu = mu[:len(from)]
	for k, slot := range x.slots {
		from[k] = first + 2*slot
		counts[k] = weight * mu[k]
	}
}

// grow makes room for n counts more and returns it. There is much of it, so it doubles.
func (x *inference) grow(n int) (from []int32, counts []float64) {
	lo := len(x.from)
	if need := lo + n; need > min(cap(x.from), cap(x.counts)) {
		x.from, x.counts = append(make([]int32, 0, 2*need), x.from...), append(make([]float64, 0, 2*need), x.counts...)
	}
	x.from, x.counts = x.from[:lo+n], x.counts[:lo+n]
	return x.from[lo:][:n], x.counts[lo:][:n]
}

func (x *inference) Drain(t *em.Tally) {
	t.PutAll(x.from, x.counts)
	x.from, x.counts = x.from[:0], x.counts[:0]
	group := x.of.model.positionsGroup(x.direction)
	for i, c := range x.positions {
		if c != 0 {
			t.Put(int32(group.First()+i), c)
		}
	}
	clear(x.positions)
}

// positionsGroup returns the parameters of the positions in a direction, nil if there are
// none.
func (m *Model) positionsGroup(d int) *em.Group {
	switch m.kind {
	case Model2:
		return m.table.free[d]
	case Diagonal:
		return m.table.tension[d]
	case HMM:
		return m.table.jumps[d]
	}
	return nil
}
