package grammar

import (
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// Start is the initialization of the DMV.
type Start int

const (
	// Likeliest combines all others: Fit trains from each and keeps the result with the greatest
	// objective. This does not require known structures.
	Likeliest Start = iota
	// HarmonicCounts counts each word as an argument of all others, in inverse
	// proportion to its distance from them, and makes stops agree with these counts
	// (Klein and Manning 2004; it gives the results they report).
	HarmonicCounts
	// HarmonicTrees counts in random dependency trees, where an arc between words at a distance d
	// has weight 1/(d+2).
	HarmonicTrees
	// SplitUniform counts in random binary trees with the distribution of the CCM's start; either
	// part of a constituent is its head with equal weight.
	SplitUniform
)

var startNames = []string{"likeliest", "harmonic-counts", "harmonic-trees", "split-uniform"}

// Starts returns the names of all starts.
func Starts() []string { return slices.Clone(startNames) }

// String returns "likeliest", "harmonic-counts", "harmonic-trees" or "split-uniform".
func (s Start) String() string {
	if !s.valid() {
		return fmt.Sprintf("Start(%d)", int(s))
	}
	return startNames[s]
}

// ParseStart returns the start with this name. The error wraps ErrInvalid.
func ParseStart(name string) (Start, error) {
	if s := slices.Index(startNames, name); s >= 0 {
		return Start(s), nil
	}
	return 0, nested.Errorf("grammar: %w: unknown start %s", ErrInvalid, text.Quote(name))
}

func (s Start) valid() bool { return s >= Likeliest && s <= SplitUniform }

// start computes the starts and sets Theta to the first of them.
func (m *Model) start(data [][]int32, s Start) error {
	starts := []Start{s}
	if s == Likeliest {
		starts = []Start{HarmonicCounts}
		if m.kind.hasHeads() {
			starts = append(starts, HarmonicTrees, SplitUniform)
		}
	}
	for _, s := range starts {
		theta := m.Params.Start()
		if err := m.startAt(theta, data, s); err != nil {
			return err
		}
		m.starts = append(m.starts, theta)
	}
	m.Theta = slices.Clone(m.starts[0])
	return nil
}

// startAt sets theta by an M step from counts.
func (m *Model) startAt(theta []float64, data [][]int32, s Start) error {
	counts := make([]float64, m.Params.Len())
	var err error
	if m.kind.hasHeads() {
		switch s {
		case HarmonicCounts:
			m.dmv.harmonicCounts(data, counts)
		case HarmonicTrees:
			err = m.expect(DMV, data, harmonic, counts)
		case SplitUniform:
			err = m.expect(Product, data, split, counts)
		}
		for _, g := range m.dmv.groups() { // all outcomes stay possible
			for i := range g.In(counts) {
				g.In(counts)[i] += startSmoothing
			}
		}
	}
	if m.kind.hasContext() && err == nil {
		err = m.expectSplits(data, counts)
	}
	if err != nil {
		return nested.Errorf("grammar: start: %w", err)
	}
	for _, g := range m.Params.Groups() {
		if err := g.Law().Maximize(g.In(theta), g.In(counts)); err != nil {
			return nested.Errorf("grammar: start: %w", err)
		}
	}
	return nil
}

// startSmoothing is added to the DMV's counts.
const startSmoothing = .1

// harmonic returns about the inverse of the length of an arc.
func harmonic(p part) float64 {
	if p.what == attach {
		return 1 / float64(max(p.x-p.y, p.y-p.x)+2)
	}
	return 1
}

// split weighs constituents by the inverse of the number of their split points: the weight of a
// tree is its probability under uniform splits.
func split(p part) float64 {
	if p.what == yieldRatio {
		return 1 / float64(p.y-p.x-1)
	}
	return 1
}

// expect adds to counts the expected uses of the parameters in random trees of a kind, given the
// weights of their parts, which depend on the length of a sentence only. Parts without a weight in
// the model are ignored.
func (m *Model) expect(k Kind, data [][]int32, weight func(part) float64, counts []float64) error {
	type expected struct {
		*chart
		uses []float64
	}
	known := map[int]expected{}
	var scratch batch.Scratch
	var uses []float64 // by handle
	for _, tags := range data {
		n := len(tags)
		if n == 1 && k != DMV {
			continue
		}
		if _, ok := known[n]; !ok {
			c, err := newChart(k, n)
			if err != nil {
				return err
			}
			found, err := c.expect(weight, &scratch)
			if err != nil {
				return err
			}
			known[n] = expected{c, found}
		}
		for i, p := range known[n].parts {
			w, ok := m.weight(p, tags)
			if !ok {
				continue
			}
			if int(w) >= len(uses) {
				uses = append(uses, make([]float64, int(w)+1)...)
			}
			uses[w] += known[n].uses[i]
		}
	}
	space := m.Params.Space()
	uses = append(uses, make([]float64, max(0, space.Len()-len(uses)))...)
	space.Backpropagate(make([]semiring.ScaledFloat, space.Len()), uses[:space.Len()], counts)
	return nil
}

// expectSplits is expect for the CCM and uniformly split trees.
func (m *Model) expectSplits(data [][]int32, counts []float64) error {
	own := make([]float64, len(counts))
	if err := m.expect(CCM, data, split, own); err != nil {
		return err
	}
	for _, g := range m.ccm.groups() {
		copy(g.In(counts), g.In(own))
	}
	return nil
}

// weight returns the weight of a part in a sentence, or false if the model has no weight for it.
func (m *Model) weight(p part, tags []int32) (expr.W, bool) {
	switch {
	case p.what.ofHeads() && m.dmv != nil:
		return m.dmv.weight(p, tags), true
	case !p.what.ofHeads() && m.ccm != nil:
		return m.ccm.weight(p, tags), true
	}
	return expr.Zero, false
}

// expect returns the expected uses of the parts in a random tree, given their weights.
func (c *chart) expect(weight func(part) float64, s *batch.Scratch) ([]float64, error) {
	values := make([]semiring.ScaledFloat, 2, c.space.Len())
	values[expr.One] = semiring.NewScaled(1)
	for _, p := range c.parts {
		values = append(values, semiring.NewScaled(weight(p)))
	}
	return c.uses(values, s)
}

// uses returns the expected uses of the parts, given values of the first expressions, which include
// the parts.
func (c *chart) uses(values []semiring.ScaledFloat, s *batch.Scratch) ([]float64, error) {
	values, err := c.space.Evaluate(values, nil)
	if err != nil {
		return nil, err
	}
	count, uses := make([]float64, len(values)), make([]float64, len(c.parts))
	if _, err := c.batch.Counts(0, values, 1, count, s); err != nil {
		return nil, err
	}
	c.space.Backpropagate(values, count, uses)
	return uses, nil
}

// harmonicCounts adds the counts of HarmonicCounts. A word has one head, or is the root with
// probability 1/n. A word with a positive expected number of arguments on a side does not always
// stop there immediately. Probability of stopping is therefore moved from the first choice to later
// ones, nine tenths of the amount that the counts of all words of that tag allow.
func (d *dmv) harmonicCounts(data [][]int32, counts []float64) {
	add := func(g *em.Group, i int, x float64) { g.In(counts)[i] += x }
	moved := make([][2]float64, len(d.arguments)) // by head and side
	for _, tags := range data {
		n := len(tags)
		arguments := make([][2]float64, n)
		for c := range n {
			add(d.root, int(tags[c]), 1/float64(n))
			sum := 0.0
			for h := range n {
				if h != c {
					sum += 1 / float64(max(h-c, c-h))
				}
			}
			for h := range n {
				if h == c {
					continue
				}
				w := float64(n-1) / float64(n) / float64(max(h-c, c-h)) / sum
				side := 0
				if c > h {
					side = 1
				}
				arguments[h][side] += w
				add(d.arguments[tags[h]][side], int(tags[c]), w)
			}
		}
		for h, tag := range tags {
			for side, x := range arguments[h] {
				add(d.choice(tag, side, true), stopping, 1)
				if x > 0 {
					add(d.choice(tag, side, false), going, x)
					moved[tag][side]++
				}
			}
		}
	}
	for tag := range moved {
		for side, n := range moved[tag] {
			d.move(counts, int32(tag), side, n)
		}
	}
}

// move moves stopping counts of a tag on a side from the first choice to later ones, and going
// counts back; n words have arguments there.
func (d *dmv) move(counts []float64, tag int32, side int, n float64) {
	if n == 0 {
		return
	}
	first, later := d.choice(tag, side, true).In(counts), d.choice(tag, side, false).In(counts)
	share := .9 * min(1, first[stopping]/n, later[going]/n)
	first[stopping] -= share * n
	first[going] += share * n
	later[stopping] += share * n
	later[going] -= share * n
}
