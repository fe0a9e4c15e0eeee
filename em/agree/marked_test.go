package agree_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Representations of the submodels of a chain.
const (
	composed = iota
	drawn
	ways
)

// features returns the features of submodel m of a chain, which marks represent: the state at
// each position.
func (c *chain) features(marks *em.Group, m int) agree.Features {
	return agree.Features{Marks: marks, Shared: c.emissions[m], Potential: func(x, k int) expr.W {
		return c.emissions[m][k%c.states].Weight(c.seen[x][m][k/c.states])
	}}
}

// marked returns submodel m, over the sequences that all submodels of support allow, as a corpus
// of machines or of graphs.
func (c *chain) marked(marks *em.Group, m int, support []int, way int, cache int64) agree.Submodel {
	corpus := must(c.composed(marks, m, support, cache))
	if way == drawn {
		graphs := c.drawn(marks, m, support)
		graphs.CacheBytes = cache
		corpus = must(graphs.Corpus(c.params))
	}
	return must(agree.Marked(corpus, c.features(marks, m)))
}

// composed returns machines: the string of states is marked on the unobserved side, and the
// observation is on a branch.
func (c *chain) composed(marks *em.Group, m int, support []int, cache int64) (*cascade.Corpus, error) {
	b := fst.NewBuilder(c.params.Space())
	here := b.AddState()
	b.AddStart(here, expr.One)
	for t := range c.length {
		next := b.AddState()
		for i := range c.states {
			b.AddArc(here, fst.Arc[expr.W]{In: int32(i + 1), Out: int32(i + 1), Weight: marks.Weight(t*c.states + i), To: next})
		}
		here = next
	}
	b.SetFinal(here, expr.One)
	positions := must(b.Freeze())
	p := cascade.Problem{Params: c.params, Stages: []cascade.Stage{c.transitions(m, (*em.Group).Weight)}}
	for _, other := range support {
		p.Stages = append(p.Stages, c.transitions(other, func(*em.Group, int) expr.W { return expr.One }))
	}
	p.Branches = [][]cascade.Stage{{c.channel(m)}}
	data := cascade.Data{CacheBytes: cache}
	for x, weight := range c.weight {
		var labels []int32
		for _, o := range c.seen[x][m] {
			labels = append(labels, int32(o+1))
		}
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Set(positions), Branches: []cascade.Side{cascade.Labels(labels...)}, Weight: em.Times(weight)})
	}
	return p.Corpus(data)
}

// drawn returns graphs whose states are pairs of a position and a state of the chain.
func (c *chain) drawn(marks *em.Group, m int, support []int) cascade.Derivations {
	n, space := c.states, c.params.Space()
	times := func(ws ...expr.W) expr.W {
		product := expr.One
		for _, w := range ws {
			product = space.Times(product, w)
		}
		return product
	}
	draw := func(x int) *graph.Graph[expr.W] {
		row, to, weights := []int32{0}, []int32{}, []expr.W{}
		node := func(t, i int) expr.W {
			return times(marks.Weight(t*n+i), c.emissions[m][i].Weight(c.seen[x][m][t]))
		}
		for i := range n {
			to, weights = append(to, int32(1+i)), append(weights, times(c.initial[m].Weight(i), node(0, i)))
		}
		row = append(row, int32(len(to)))
		final := []expr.W{expr.Zero}
		for t := range c.length {
			for i := range n {
				final = append(final, expr.Zero)
				for j := 0; j < n && t+1 < c.length; j++ {
					ok := true
					for _, other := range support {
						ok = ok && c.allowed[other][i*n+j]
					}
					if ok {
						to = append(to, int32(1+(t+1)*n+j))
						weights = append(weights, times(c.rows[m][i].Weight(j), node(t+1, j)))
					}
				}
				if t+1 == c.length {
					final[1+t*n+i] = expr.One
				}
				row = append(row, int32(len(to)))
			}
		}
		return must(graph.New(space, row, to, weights, []graph.Start[expr.W]{{State: 0, Weight: expr.One}}, final))
	}
	var graphs []*graph.Graph[expr.W]
	for x := range c.weight {
		graphs = append(graphs, draw(x))
	}
	return cascade.Derivations{
		Examples: len(graphs),
		Weight:   func(x int) float64 { return c.weight[x] },
		Graph:    func(x int) (*graph.Graph[expr.W], error) { return graphs[x], nil },
	}
}

// TestMarkedChains compares E steps of marked machines and graphs with sums over all sequences,
// also if expressions are made between E steps.
func TestMarkedChains(t *testing.T) {
	for seed := range trials.Seeds(60) {
		for way := range ways {
			rng := rand.New(rand.NewPCG(seed, 7))
			c := newChain(rng)
			marks := c.params.Group("marks", c.length*c.states, em.Fixed{})
			for _, algorithm := range []string{"independent", "average", "product"} {
				var submodels []agree.Submodel
				var terms []em.Likelihood
				for m := range c.submodels() {
					support := []int{m}
					if algorithm == "average" {
						support = nil
						for other := range c.submodels() {
							support = append(support, other)
						}
					}
					submodels = append(submodels, c.marked(marks, m, support, way, 0))
					terms = append(terms, must(agree.Likelihood(em.Fail, submodels[m])))
				}
				l := must(agree.Independent(terms...))
				switch algorithm {
				case "average":
					l = must(agree.Averaged(em.Fail, submodels...))
				case "product":
					l = must(agree.ProductOfPosteriors(em.Fail, submodels...))
				}
				for range 2 {
					compare(t, fmt.Sprintf("seed %d, way %d, %s", seed, way, algorithm), l, c.space, algorithm, c.params.Random(rng))
					expressions := c.params.Space()
					for range 5 {
						expressions.Times(expr.W(rng.IntN(expressions.Len())), expr.W(rng.IntN(expressions.Len())))
					}
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// brackets returns the submodels of a bracketing as forests with marks. If shared, they share one
// template.
func (b *bracketing) brackets(marks *em.Group, shared bool) (submodels []agree.Submodel) {
	for m := range b.submodels() {
		class := func(x, span int) expr.W {
			return b.params.Space().Param(int32(b.use[m][x][span][0]))
		}
		marked := func(x, span int) expr.W { return b.params.Space().Times(marks.Weight(span), class(x, span)) }
		trees := cascade.Derivations{Examples: len(b.weight), Weight: func(x int) float64 { return b.weight[x] }}
		var charts []*forest.Forest[expr.W]
		for x := range b.weight {
			charts = append(charts, b.chart(b.params.Space(), func(span int) expr.W { return marked(x, span) }))
		}
		trees.Forest = func(x int) (*forest.Forest[expr.W], error) { return charts[x], nil }
		if shared {
			space := cascade.NewTemplate(len(b.spans))
			chart := b.chart(space, func(span int) expr.W { return space.Param(int32(span)) })
			trees.Forest = func(int) (*forest.Forest[expr.W], error) { return chart, nil }
			trees.Arguments = func(x int, dst []expr.W) ([]expr.W, error) {
				for span := range b.spans {
					dst = append(dst, marked(x, span))
				}
				return dst, nil
			}
		}
		var groups []*em.Group
		for _, g := range b.params.Groups() {
			if g != marks {
				groups = append(groups, g)
			}
		}
		submodels = append(submodels, must(agree.Marked(must(trees.Corpus(b.params)), agree.Features{Marks: marks, Shared: groups, Potential: class})))
	}
	return submodels
}

// chart returns the forest of all binary trees, whose brackets have the given weights.
func (b *bracketing) chart(space *expr.Space, weight func(span int) expr.W) *forest.Forest[expr.W] {
	edge, tail, tails, weights := []int32{0}, []int32{0}, []int32{}, []expr.W{}
	for v, s := range b.spans {
		for k := s[0] + 1; k < s[1]; k++ {
			tails = append(tails, int32(b.span([2]int{s[0], k})), int32(b.span([2]int{k, s[1]})))
			tail, weights = append(tail, int32(len(tails))), append(weights, weight(v))
		}
		if s[1] == s[0]+1 {
			tail, weights = append(tail, int32(len(tails))), append(weights, weight(v))
		}
		edge = append(edge, int32(len(weights)))
	}
	return must(forest.New(space, edge, tail, tails, weights,
		[]forest.Root[expr.W]{{Node: int32(len(b.spans) - 1), Weight: expr.One}}))
}

// TestMarkedTrees compares E steps of marked forests, with arguments and without, with sums
// over all trees.
func TestMarkedTrees(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		b := newBracketing(rng)
		marks := b.params.Group("marks", len(b.spans), em.Fixed{})
		theta := b.params.Random(rng)
		submodels := b.brackets(marks, seed%2 == 0)
		var terms []em.Likelihood
		for _, s := range submodels {
			terms = append(terms, must(agree.Likelihood(em.Fail, s)))
		}
		for algorithm, l := range map[string]em.Likelihood{
			"independent": must(agree.Independent(terms...)),
			"parameter":   must(agree.ParameterApproximate(terms...)),
			"average":     must(agree.Averaged(em.Fail, submodels...)),
			"product":     must(agree.ProductOfPosteriors(em.Fail, submodels...)),
		} {
			compare(t, fmt.Sprintf("seed %d, %s", seed, algorithm), l, b.space, algorithm, theta)
		}
		if t.Failed() {
			return
		}
	}
}

// TestMisfitMarks: marks and potentials that contradict the weights are errors.
func TestMisfitMarks(t *testing.T) {
	c := newChain(rand.New(rand.NewPCG(1, 7)))
	marks := c.params.Group("marks", c.length*c.states, em.Fixed{})
	loose := c.params.Group("loose", c.length*c.states, em.Multinomial{})
	foreign := em.NewParams().Group("marks", c.length*c.states, em.Fixed{})
	never := c.params.Group("never", 1, em.Fixed{})
	right := c.features(marks, 0)
	corpus := must(c.composed(marks, 0, nil, 0))
	for words, f := range map[string]agree.Features{
		"not one of the Params":      {Marks: foreign},
		"the marks are among":        {Marks: marks, Shared: []*em.Group{marks}, Potential: right.Potential},
		"the law em.Multinomial":     {Marks: loose},
		"but Potential is nil":       {Marks: marks, Shared: right.Shared},
		"has 99 features, there are": {Marks: marks, Number: func(int) int { return 99 }},
		"potential of feature 0":     {Marks: marks, Potential: func(int, int) expr.W { return 1 << 20 }},
		"one of the Params":          {Marks: marks, Shared: []*em.Group{nil}, Potential: right.Potential},
	} {
		_, err := agree.Marked(corpus, f)
		wants(t, words, err, em.ErrInvalid, words)
	}
	theta := c.params.Start()
	expect := func(corpus *cascade.Corpus, f agree.Features, theta []float64) error {
		_, err := must(agree.Likelihood(em.Fail, must(agree.Marked(corpus, f)))).Expect(t.Context(), em.Query{Theta: theta})
		return err
	}
	if err := expect(corpus, right, theta); err != nil {
		t.Fatal(err)
	}
	other := right
	other.Potential = func(x, k int) expr.W { return c.emissions[0][0].Weight(0) }
	wants(t, "wrong potentials", expect(corpus, other, theta), em.ErrInvalid, "by the potentials of the features")
	other = right
	other.Shared = append(c.rows[0][:1:1], right.Shared...)
	wants(t, "shared, but private", expect(corpus, other, theta), em.ErrInvalid, "row")
	other = right
	other.Number = func(int) int { return 1 }
	wants(t, "few features", expect(corpus, other, theta), em.ErrInvalid, "it has the mark of feature")
	bad := append([]float64(nil), theta...)
	marks.In(bad)[1] = .5
	wants(t, "value of a mark", expect(corpus, right, bad), em.ErrInvalid, "the mark of feature 1 has the value 0.5")

	space := c.params.Space()
	g := must(graph.New(space, []int32{0, 1, 1}, []int32{1}, []expr.W{space.Plus(marks.Weight(0), marks.Weight(1))},
		[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One}))
	hidden := must(cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) { return g, nil }}.Corpus(c.params))
	wants(t, "mark in a sum", expect(hidden, agree.Features{Marks: marks}, theta), em.ErrInvalid, "inside of a sum")

	fingerprints := map[string]bool{}
	for _, f := range []agree.Features{right, other, {Marks: marks}, {Marks: never}} {
		var b strings.Builder
		must(agree.Marked(corpus, f)).Fingerprint(&b)
		fingerprints[b.String()] = true
	}
	if len(fingerprints) != 4 {
		t.Errorf("%d fingerprints of 4 submodels", len(fingerprints))
	}
}

// TestMarkedBits: the result of training has the same bits for any number of goroutines,
// whether lattices are kept or not.
func TestMarkedBits(t *testing.T) {
	for way := range ways {
		var want *em.Result
		for _, workers := range []int{1, 2, 7} {
			for _, cache := range []int64{0, -1, 20000} {
				c := newChains(rand.New(rand.NewPCG(3, 7)), 200)
				marks := c.params.Group("marks", c.length*c.states, em.Fixed{})
				var submodels []agree.Submodel
				for m := range c.submodels() {
					submodels = append(submodels, c.marked(marks, m, nil, way, cache))
				}
				got := must(em.Fit(t.Context(), must(agree.Averaged(em.Fail, submodels...)), &em.Options{
					Start: c.params.Random(rand.NewPCG(1, 1)), Iterations: 4, Tolerance: -1, Workers: workers}))
				if want == nil {
					want = got
				}
				if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
					t.Errorf("way %d, %d workers, cache of %d bytes: other bits", way, workers, cache)
				}
			}
		}
	}
}
