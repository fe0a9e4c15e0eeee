package agree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/trellis"
)

// chain is a space whose structures are the state sequences of hidden Markov models. Each model
// observes its own symbols and forbids some transitions. A state at a position is a shared
// feature, which determines the emissions; transitions are private.
type chain struct {
	*space
	states, symbols, length int
	initial                 []*em.Group   // per submodel
	rows, emissions         [][]*em.Group // per submodel and state
	allowed                 [][]bool      // per submodel and pair of states
	sequences               [][]int       // per structure
	seen                    [][][]int     // per example and submodel: symbols
}

func newChain(rng *rand.Rand) *chain { return newChains(rng, 1+rng.IntN(3)) }

// newChains returns a chain with the given number of examples.
func newChains(rng *rand.Rand, examples int) *chain {
	c := &chain{space: &space{params: em.NewParams()}, states: 2 + rng.IntN(2), symbols: 2, length: 2 + rng.IntN(2)}
	n := c.states
	c.sequences = [][]int{nil}
	for range c.length {
		var longer [][]int
		for _, z := range c.sequences {
			for i := range n {
				longer = append(longer, append(z[:len(z):len(z)], i))
			}
		}
		c.sequences = longer
	}
	for _, z := range c.sequences {
		phi := make([]int, c.length*n)
		for t, i := range z {
			phi[t*n+i] = 1
		}
		c.feature = append(c.feature, phi)
	}
	submodels := 2 + rng.IntN(2)
	for range examples {
		c.weight = append(c.weight, 1+float64(rng.IntN(2)))
		seen := make([][]int, submodels)
		for m := range seen {
			for range c.length {
				seen[m] = append(seen[m], rng.IntN(c.symbols))
			}
		}
		c.seen = append(c.seen, seen)
	}
	for m := range submodels {
		c.grow(rng, m)
	}
	return c
}

// grow adds submodel m.
func (c *chain) grow(rng *rand.Rand, m int) {
	n := c.states
	c.initial = append(c.initial, c.params.Group(fmt.Sprint("initial ", c.params.Len()), n, em.Multinomial{}))
	var rows, emissions []*em.Group
	for range n {
		rows = append(rows, c.params.Group(fmt.Sprint("row ", c.params.Len()), n, em.Multinomial{}))
		emissions = append(emissions, c.params.Group(fmt.Sprint("emission ", c.params.Len()), c.symbols, em.Dirichlet{Alpha: 1.2}))
	}
	c.rows, c.emissions = append(c.rows, rows), append(c.emissions, emissions)
	allowed := make([]bool, n*n)
	for k := range allowed {
		allowed[k] = k == 0 || rng.IntN(4) > 0
	}
	c.allowed = append(c.allowed, allowed)

	var domain []bool
	var private [][]int
	for _, z := range c.sequences {
		list, ok := []int{c.initial[m].First() + z[0]}, true
		for t := 1; t < len(z); t++ {
			list = append(list, rows[z[t-1]].First()+z[t])
			ok = ok && allowed[z[t-1]*n+z[t]]
		}
		domain, private = append(domain, ok), append(private, list)
	}
	use := make([][][]int, len(c.weight))
	for x := range use {
		for _, o := range c.seen[x][m] {
			for i := range n {
				use[x] = append(use[x], []int{emissions[i].First() + o})
			}
		}
	}
	c.domain, c.private, c.use = append(c.domain, domain), append(c.private, private), append(c.use, use)
}

// transitions returns the acceptor of the sequences of states that submodel m allows.
func (c *chain) transitions(m int, weight func(*em.Group, int) expr.W) *fst.FST[expr.W] {
	b := fst.NewBuilder(c.params.Space())
	start := b.AddState()
	b.AddStart(start, expr.One)
	add := func(from int32, g *em.Group, j int) {
		b.AddArc(from, fst.Arc[expr.W]{In: int32(j + 1), Out: int32(j + 1), Weight: weight(g, j), To: int32(j + 1)})
	}
	for j := range c.states {
		b.SetFinal(b.AddState(), expr.One)
		add(start, c.initial[m], j)
	}
	for k, ok := range c.allowed[m] {
		if i, j := k/c.states, k%c.states; ok {
			add(int32(i+1), c.rows[m][i], j)
		}
	}
	return must(b.Freeze())
}

// channel returns the transducer from states to the symbols of submodel m.
func (c *chain) channel(m int) *fst.FST[expr.W] {
	b := fst.NewBuilder(c.params.Space())
	s := b.AddState()
	b.AddStart(s, expr.One)
	b.SetFinal(s, expr.One)
	for i, g := range c.emissions[m] {
		for o := range c.symbols {
			b.AddArc(s, fst.Arc[expr.W]{In: int32(i + 1), Out: int32(o + 1), Weight: g.Weight(o), To: s})
		}
	}
	return must(b.Freeze())
}

// chained returns the likelihood of the product of the given submodels' transitions and symbols,
// over the sequences that all submodels of support allow.
func (c *chain) chained(transitions, symbols, support []int) em.Likelihood {
	p := cascade.Problem{Params: c.params}
	for _, m := range transitions {
		p.Stages = append(p.Stages, c.transitions(m, (*em.Group).Weight))
	}
	for _, m := range support {
		p.Stages = append(p.Stages, c.transitions(m, func(*em.Group, int) expr.W { return expr.One }))
	}
	for _, m := range symbols {
		p.Branches = append(p.Branches, []cascade.Stage{c.channel(m)})
	}
	var data cascade.Data
	for x, weight := range c.weight {
		example := cascade.Example{Weight: em.Times(weight)}
		for _, m := range symbols {
			var labels []int32
			for _, o := range c.seen[x][m] {
				labels = append(labels, int32(o+1))
			}
			example.Branches = append(example.Branches, cascade.Labels(labels...))
		}
		data.Examples = append(data.Examples, example)
	}
	return must(p.Likelihood(data))
}

func (c *chain) likelihood(algorithm string) (em.Likelihood, error) {
	var everyone []int
	for m := range c.submodels() {
		everyone = append(everyone, m)
	}
	var terms []em.Likelihood
	var submodels []agree.Submodel
	for m := range everyone {
		own := []int{m}
		switch algorithm {
		case "independent":
			terms = append(terms, c.chained(own, own, nil))
		case "domain":
			terms = append(terms, c.chained(own, everyone, nil))
		case "parameter":
			terms = append(terms, c.chained(own, own, everyone))
		case "average":
			submodels = append(submodels, &trellises{chain: c, m: m, support: everyone})
		case "product", "trellises":
			submodels = append(submodels, &trellises{chain: c, m: m, support: own})
		}
	}
	switch algorithm {
	case "independent":
		return agree.Independent(terms...)
	case "exact":
		return c.chained(everyone, everyone, nil), nil
	case "domain":
		return agree.DomainApproximate(terms...)
	case "parameter":
		return agree.ParameterApproximate(terms...)
	case "average":
		return agree.Averaged(em.Fail, submodels...)
	case "product":
		return agree.ProductOfPosteriors(em.Fail, submodels...)
	case "trellises":
		for _, s := range submodels {
			terms = append(terms, must(agree.Likelihood(em.Fail, s)))
		}
		return agree.Independent(terms...)
	}
	return nil, fmt.Errorf("no algorithm %q", algorithm)
}

// trellises is submodel m over the sequences that all submodels of support allow.
type trellises struct {
	*chain
	m       int
	support []int
	query   em.Query
}

func (l *trellises) Infer() agree.Inference { return &tracking{trellises: l} }

func (l *trellises) Begin(q em.Query) error {
	l.query = q
	return nil
}

type tracking struct {
	*trellises
	x          int
	node, cell []float64
	scratch    trellis.Scratch
	sum        em.Accumulator
}

func (l *tracking) Posterior(x int) (agree.Posterior, error) {
	values := l.params.Values(l.query.Theta)
	at := func(p int) semiring.ScaledFloat { return values[p].Pow(l.query.Temperature) }
	n := l.states
	initial, cells := make([]semiring.ScaledFloat, n), make([]semiring.ScaledFloat, n*n)
	for i := range n {
		initial[i] = at(l.initial[l.m].First() + i)
		for j := range n {
			ok := true
			for _, m := range l.support {
				ok = ok && l.allowed[m][i*n+j]
			}
			if ok {
				cells[i*n+j] = at(l.rows[l.m][i].First() + j)
			}
		}
	}
	block, err := trellis.NewBlock(n, n, cells)
	if err != nil {
		return agree.Posterior{}, err
	}
	nodes := make([][]semiring.ScaledFloat, l.length)
	for t := range nodes {
		for i := range n {
			nodes[t] = append(nodes[t], at(l.use[l.m][x][t*n+i][0]))
		}
	}
	t, err := trellis.New(initial, []*trellis.Block{block}, make([]int32, l.length-1), nodes, nil)
	if err != nil {
		return agree.Posterior{}, err
	}
	l.x, l.node, l.cell = x, make([]float64, l.length*n), make([]float64, n*n)
	total, err := t.Counts(1, trellis.Parts{Node: l.node, Block: [][]float64{l.cell}}, &l.scratch)
	return agree.Posterior{Features: l.node, Total: total, Arcs: int64(t.NumArcs())}, err
}

func (l *tracking) Count(mu []float64, weight float64) {
	l.sum.Grow(l.params.Len(), false)
	add := func(p int, x float64) { l.sum.Add(int32(p), weight*x) }
	n := l.states
	for k, q := range mu {
		add(l.use[l.m][l.x][k][0], q)
	}
	for i := range n {
		add(l.initial[l.m].First()+i, l.node[i])
		for j := range n {
			add(l.rows[l.m][i].First()+j, l.cell[i*n+j])
		}
	}
}

func (l *tracking) Drain(t *em.Tally) { l.sum.Drain(t) }

// TestChains compares E steps over machines and over trellises with sums over all
// sequences.
func TestChains(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := newChain(rng)
		theta := c.params.Random(rng)
		for _, algorithm := range append(algorithms, "trellises") {
			by := algorithm
			if algorithm == "trellises" {
				by = "independent"
			}
			compare(t, fmt.Sprintf("seed %d, %s", seed, algorithm), must(c.likelihood(algorithm)), c.space, by, theta)
		}
		if t.Failed() {
			return
		}
	}
}

// compare compares an E step of l with the sums over all structures of e.
func compare(t *testing.T, what string, l em.Likelihood, e *space, algorithm string, theta []float64) {
	t.Helper()
	found, err := l.Expect(context.Background(), em.Query{Theta: theta})
	if err != nil {
		t.Fatal(what, err)
	}
	objective, counts := e.oracle(algorithm, theta)
	near(t, what, found.LogLikelihood, objective)
	for i, want := range counts {
		near(t, fmt.Sprintf("%s, count of %s", what, e.params.Name(int32(i))), found.Counts[i], want)
	}
	if found.Examples != len(e.weight) || found.Arcs == 0 {
		t.Errorf("%s: %d examples, %d arcs", what, found.Examples, found.Arcs)
	}
}
