package agree

import (
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Features describes the features of the derivations of a corpus, and their use of its
// parameters. The value of a feature in a derivation is the number of times that its mark is a
// factor of the derivation's weight. An arc from state i at position t has the mark of "i at t".
type Features struct {
	// Marks has a parameter for each feature, the same in all submodels. Its law is em.Fixed and
	// its values are 1, so that marks do not change weights. Weights of arcs and edges are
	// products with marks, Marks.Weight(k). Sums must not contain marks.
	Marks *em.Group
	// Number returns the number of features of example i, at most the number of marks. The
	// features of the example are 0 to Number(i)−1. If Number is nil, each example has all
	// features.
	Number func(i int) int
	// Shared are the groups whose uses the features determine; all others are private. A submodel
	// may have no shared groups.
	Shared []*em.Group
	// Potential returns the shared parameters that example i uses each time that it has feature
	// k: an expression of the Params' Space such as Shared[0].Weight(3), or expr.One if it uses
	// none. The weights in the corpus have the same factors. Marked calls Potential once for all
	// features of all examples. After that, several goroutines call it at once; it must return
	// the same expressions again. If Potential is nil, there are no shared parameters.
	Potential func(i, k int) expr.W
}

// Marked returns the submodel of a corpus whose weights contain marks of features: the corpus of
// a cascade.Problem (see cascade.Problem.Corpus), or of graphs and forests
// (cascade.Derivations.Corpus).
//
// An E step takes the time of an E step of the corpus's likelihood and, for each shard, three
// passes over the expressions of the Params' Space. Each goroutine needs 24 bytes per expression
// and per parameter. The E step returns an error that wraps em.ErrInvalid if an example has a
// mark beyond its Number, or if the uses of shared parameters differ from the features and
// potentials. Errors of Marked wrap em.ErrInvalid, too: a group outside the Params, marks of
// another value than 1, a potential that is not an expression.
func Marked(c *cascade.Corpus, f Features) (Submodel, error) {
	nonnil.Check("agree: Marked", "corpus", c, "marks", f.Marks)
	m := &marked{Corpus: c, of: f, shared: make([]bool, c.Params().Len()), potentials: c.Params().Space().NewSubset()}
	if err := m.check(); err != nil {
		return nil, nested.Errorf("agree: %w: %w", em.ErrInvalid, err)
	}
	for _, g := range f.Shared {
		for k := range g.Len() {
			m.shared[g.First()+k] = true
		}
	}
	for k := range f.Marks.Len() {
		w := int(f.Marks.Weight(k))
		for len(m.mark) <= w {
			m.mark = append(m.mark, -1)
		}
		m.mark[w] = int32(k)
	}
	return m, nil
}

// marked is a Submodel.
type marked struct {
	*cascade.Corpus
	of     Features
	mark   []int32 // per expression: the feature that it marks, or −1
	shared []bool  // per parameter
	// potentials are expressions that the corpus need not use; values are their values at the
	// last Begin.
	potentials *expr.Subset
	values     []semiring.ScaledFloat
}

// check returns an error if the features are invalid.
func (m *marked) check() error {
	groups := m.Params().Groups()
	for n, g := range append([]*em.Group{m.of.Marks}, m.of.Shared...) {
		switch {
		case g == nil || !slices.Contains(groups, g):
			return fmt.Errorf("a group of marks or of shared parameters is not one of the Params")
		case n > 0 && g == m.of.Marks:
			return fmt.Errorf("the marks are among the shared parameters")
		}
	}
	if _, ok := m.of.Marks.Law().(em.Fixed); !ok {
		return fmt.Errorf("marks have the law %T, want em.Fixed", m.of.Marks.Law())
	}
	if len(m.of.Shared) > 0 && m.of.Potential == nil {
		return fmt.Errorf("parameters are shared, but Potential is nil")
	}
	for i := range m.Examples() {
		x := m.Example(i)
		if x.Weight == 0 {
			continue
		}
		n := m.number(i)
		if n < 0 || n > m.of.Marks.Len() {
			return fmt.Errorf("%v has %d features, there are %d marks", x, n, m.of.Marks.Len())
		}
		for k := 0; k < n && m.of.Potential != nil; k++ {
			if w := m.of.Potential(i, k); w <= expr.Zero || int(w) >= m.Params().Space().Len() {
				return fmt.Errorf("%v: the potential of feature %d is not an expression of the Params' Space", x, k)
			} else {
				m.potentials.Add(w)
			}
		}
	}
	return nil
}

func (m *marked) number(i int) int {
	if m.of.Number == nil {
		return m.of.Marks.Len()
	}
	return m.of.Number(i)
}

// Begin begins an E step.
func (m *marked) Begin(q em.Query) error {
	for k, x := range m.of.Marks.In(q.Theta) {
		if x != 1 {
			return fmt.Errorf("%w: the mark of feature %d has the value %g, want 1", em.ErrInvalid, k, x)
		}
	}
	if err := m.Corpus.Begin(q); err != nil || m.of.Potential == nil {
		return err
	}
	q, err := q.Complete(m)
	if err != nil {
		return err
	}
	if m.values, err = m.potentials.Evaluate(m.values[:0], m.Params().Values(q.Theta), q.Temperature); err != nil {
		return nested.Errorf("agree: potentials: %w", err)
	}
	return nil
}

// Fingerprint writes the corpus, the marks and the potentials.
func (m *marked) Fingerprint(w io.Writer) {
	m.Corpus.Fingerprint(w)
	fmt.Fprintln(w, "marks", m.of.Marks.First(), m.of.Marks.Len())
	for _, g := range m.of.Shared {
		fmt.Fprintln(w, g.First(), g.Len())
	}
	var potentials []expr.W
	for i := range m.Examples() {
		if m.of.Potential == nil || m.Example(i).Weight == 0 {
			continue
		}
		for k := range m.number(i) {
			potentials = append(potentials, m.of.Potential(i, k))
		}
	}
	rows, place := m.Params().Space().FormatRows(potentials)
	fmt.Fprintln(w, rows, place)
}

// Infer returns a new inference.
func (m *marked) Infer() Inference {
	n := m.Params().Len()
	return &marking{marked: m, visitor: m.Visitor(), marks: make([]float64, m.of.Marks.Len()),
		private: make([]float64, n), combined: make([]float64, n), expected: make([]float64, n)}
}

// marking is an Inference of a marked corpus. It counts the uses of weights and potentials. Drain
// converts them to counts of parameters.
type marking struct {
	*marked
	visitor  *cascade.Visitor
	example  int
	uses     cascade.Uses // in the example of the last Posterior or Tilt
	features []float64    // of the same example

	// Since the last Drain, multiplied by the weights of the examples:
	space      *expr.Space // of the latest examples; nil before the first one
	values     []semiring.ScaledFloat
	weights    []float64 // per expression of space: its uses
	potentials []float64 // per expression of the Params' Space: uses by the combined features
	own        []float64 // the same by this submodel's own features
	marks      []float64 // per mark: expected value of this submodel's own feature

	// Of the example last tilted: its weights, and the powers of marks that are factors of each.
	tilted     int
	tiltedBy   *expr.Space
	factored   []expr.W
	factorRow  []int32
	factorMark []power
	factors    []float64

	private, combined, expected []float64 // scratch, per parameter: zero between calls
	err                         error
}

// power is a power of a mark.
type power struct {
	mark int32
	of   float64
}

// Posterior returns the expected features of example i.
func (f *marking) Posterior(i int) (Posterior, error) {
	uses, err := f.visitor.Visit(i)
	if err != nil {
		return Posterior{}, err
	}
	f.factorRow = nil
	return f.posterior(i, uses)
}

// posterior returns the expected features of example i with the given uses.
func (f *marking) posterior(i int, uses cascade.Uses) (Posterior, error) {
	f.example, f.uses = i, uses
	n := f.number(i)
	f.features = slices.Grow(f.features[:0], n)[:n]
	clear(f.features)
	for at, of := range f.uses.Space.Factors(f.uses.Weights) {
		if int(of.Of) >= len(f.mark) || f.mark[of.Of] < 0 {
			continue
		}
		k := int(f.mark[of.Of])
		if k >= n {
			return Posterior{}, fmt.Errorf("%w: it has the mark of feature %d, want one below %d", em.ErrInvalid, k, n)
		}
		f.features[k] += float64(of.Power) * f.uses.Counts[at]
	}
	return Posterior{Features: f.features, Total: f.uses.Total, Arcs: f.uses.Arcs}, nil
}

// Tilt returns the expected features of example i, with each derivation multiplied by exp(Σ
// field[k]·feature k).
func (f *marking) Tilt(i int, field []float64) (Posterior, error) {
	if f.tilted != i || f.tiltedBy != f.uses.Space || f.factorRow == nil {
		f.tilted, f.tiltedBy = i, f.uses.Space
		f.factored, f.factorRow = append(f.factored[:0], f.uses.Weights...), append(f.factorRow[:0], 0)
		f.factorMark = f.factorMark[:0]
		at := 0
		for k, of := range f.uses.Space.Factors(f.factored) {
			for ; at < k; at++ {
				f.factorRow = append(f.factorRow, int32(len(f.factorMark)))
			}
			if int(of.Of) < len(f.mark) && f.mark[of.Of] >= 0 {
				f.factorMark = append(f.factorMark, power{f.mark[of.Of], float64(of.Power)})
			}
		}
		for ; at < len(f.factored); at++ {
			f.factorRow = append(f.factorRow, int32(len(f.factorMark)))
		}
	}
	f.factors = f.factors[:0]
	for k := range f.factored {
		x := 0.0
		for _, p := range f.factorMark[f.factorRow[k]:f.factorRow[k+1]] {
			x += p.of * field[p.mark]
		}
		f.factors = append(f.factors, x)
	}
	uses, err := f.visitor.VisitTilted(i, f.factored, f.factors)
	if err != nil {
		return Posterior{}, err
	}
	return f.posterior(i, uses)
}

// Count counts the weights of the example by its own posterior, and the potentials of
// its features by mu.
func (f *marking) Count(mu []float64, weight float64) {
	if f.space != f.uses.Space {
		f.leave()
		f.space, f.values = f.uses.Space, append(f.values[:0], f.uses.Values...)
		f.weights = longer(f.weights, len(f.values))
	}
	for at, w := range f.uses.Weights {
		f.weights[w] += weight * f.uses.Counts[at]
	}
	for k, x := range f.features {
		f.marks[k] += weight * x
		if f.of.Potential == nil || x == 0 && mu[k] == 0 {
			continue
		}
		w := int(f.of.Potential(f.example, k))
		f.potentials, f.own = longer(f.potentials, w+1), longer(f.own, w+1)
		f.potentials[w] += weight * mu[k]
		f.own[w] += weight * x
	}
}

// longer returns s, extended with zeros to a length of at least n.
func longer(s []float64, n int) []float64 {
	if len(s) >= n {
		return s
	}
	return append(s, make([]float64, n-len(s))...)
}

// leave converts the counts of expressions that only space contains to counts of expressions of
// the Params' Space.
func (f *marking) leave() {
	if f.space != nil {
		f.space.Backpropagate(f.values, f.weights, nil)
		f.space = nil
	}
}

// Drain moves the counts of parameters to t: of shared ones by the potentials, of private
// ones by the submodel's own posterior.
func (f *marking) Drain(t *em.Tally) {
	f.err = nil
	if f.space == nil { // no example was counted
		return
	}
	f.leave()
	base := f.Params().Space()
	n := base.Len()
	for _, c := range []struct {
		weights, params *[]float64
		values          []semiring.ScaledFloat
	}{{&f.weights, &f.private, f.Values()}, {&f.potentials, &f.combined, f.marked.values}, {&f.own, &f.expected, f.marked.values}} {
		if len(*c.weights) == 0 {
			continue
		}
		*c.weights = longer(*c.weights, n)
		base.Backpropagate(c.values, (*c.weights)[:n], *c.params)
	}
	f.err = f.compare()
	for p, shared := range f.shared {
		x := f.private[p]
		if shared {
			x = f.combined[p]
		}
		if k := p - f.of.Marks.First(); x != 0 && (k < 0 || k >= len(f.marks)) {
			t.Put(int32(p), x)
		}
	}
	clear(f.private)
	clear(f.combined)
	clear(f.expected)
	clear(f.marks)
}

// Err returns the error in the counts last drained, or nil.
func (f *marking) Err() error { return f.err }

// compare returns an error unless the features account for the uses of shared parameters and
// marks by the submodel's own posterior.
func (f *marking) compare() error {
	scale := 0.0
	for _, x := range f.private {
		scale = max(scale, math.Abs(x))
	}
	const tolerance = 1e-8
	for p, shared := range f.shared {
		if shared && !(math.Abs(f.private[p]-f.expected[p]) <= tolerance*scale) {
			return fmt.Errorf("%w: %s is used %g times, by the potentials of the features %g times",
				em.ErrInvalid, f.Params().Name(int32(p)), f.private[p], f.expected[p])
		}
	}
	for k, x := range f.marks {
		if p := f.of.Marks.First() + k; !(math.Abs(f.private[p]-x) <= tolerance*scale) {
			return fmt.Errorf("%w: the mark of feature %d is used %g times, as a factor of weights %g times: it is inside of a sum",
				em.ErrInvalid, k, f.private[p], x)
		}
	}
	return nil
}
