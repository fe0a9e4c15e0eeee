package agree_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// space is a random event space of a few examples x and structures z, and a model of
// several submodels on it:
//
//	p_m(x, z) = Π private[m][z] · Π_i (Π use[m][x][i])^feature[z][i]   for z in Z_m,
//
// products of parameters. The space is small enough for enumeration.
type space struct {
	params  *em.Params
	weight  []float64 // per example
	feature [][]int   // φᶻ(z)
	domain  [][]bool  // is z in Z_m?
	use     [][][][]int
	private [][][]int
	best    bool // sum over the best structure alone
}

type shape struct {
	tied, private bool
	law           func(rng *rand.Rand, n int) em.Law // returns the law of a group of n
}

func multinomial(*rand.Rand, int) em.Law { return em.Multinomial{} }

func newSpace(rng *rand.Rand, s shape) *space {
	e := &space{params: em.NewParams()}
	submodels, structures, features := 1+rng.IntN(3), 1+rng.IntN(5), 1+rng.IntN(3)
	for range 1 + rng.IntN(3) {
		e.weight = append(e.weight, .5+rng.Float64())
	}
	for range structures {
		phi := make([]int, features)
		for i := range phi {
			phi[i] = rng.IntN(3)
		}
		e.feature = append(e.feature, phi)
	}
	groups := func(name string, n int) (params []int) {
		for range n {
			size := 2 + rng.IntN(2)
			g := e.params.Group(fmt.Sprint(name, len(e.params.Groups())), size, s.law(rng, size))
			for i := range size {
				params = append(params, g.First()+i)
			}
		}
		return params
	}
	some := func(params []int, most int) (list []int) {
		for range rng.IntN(most + 1) {
			list = append(list, params[rng.IntN(len(params))])
		}
		return list
	}
	shared := groups("shared", 2)
	for m := range submodels {
		if m > 0 && !s.tied {
			shared = groups("shared", 2)
		}
		own := groups("own", 1)
		domain, private := make([]bool, structures), make([][]int, structures)
		for z := range domain {
			domain[z] = z == 0 || rng.IntN(4) > 0
			if s.private {
				private[z] = some(own, 2)
			}
		}
		use := make([][][]int, len(e.weight))
		for x := range use {
			use[x] = make([][]int, features)
			for i := range use[x] {
				use[x][i] = some(shared, 2)
			}
		}
		e.domain, e.private, e.use = append(e.domain, domain), append(e.private, private), append(e.use, use)
	}
	return e
}

func (e *space) submodels() int { return len(e.domain) }

// common reports whether all submodels allow z, either whether one does.
func (e *space) common(z int) bool {
	all := true
	for _, d := range e.domain {
		all = all && d[z]
	}
	return all
}

func (e *space) either(z int) bool {
	one := false
	for _, d := range e.domain {
		one = one || d[z]
	}
	return one
}

// shared lists the parameters, with repetition, of submodel m's shared potentials.
func (e *space) shared(m, x, z int) (list []int) {
	for i, n := range e.feature[z] {
		for range n {
			list = append(list, e.use[m][x][i]...)
		}
	}
	return list
}

// label is the symbol of the pair (x, z).
func (e *space) label(x, z int) int32 { return int32(x*len(e.feature) + z + 1) }

// machine returns the acceptor of single pairs (x, z), z in a domain, each weighted by
// the product of the parameters listed.
func (e *space) machine(domain func(z int) bool, params func(x, z int) []int) *fst.FST[expr.W] {
	s := e.params.Space()
	b := fst.NewBuilder(s)
	from, to := b.AddState(), b.AddState()
	b.AddStart(from, expr.One)
	b.SetFinal(to, expr.One)
	for x := range e.weight {
		for z := range e.feature {
			if !domain(z) {
				continue
			}
			w := s.One()
			for _, p := range params(x, z) {
				w = s.Times(w, s.Param(int32(p)))
			}
			b.AddArc(from, fst.Arc[expr.W]{In: e.label(x, z), Out: e.label(x, z), Weight: w, To: to})
		}
	}
	return must(b.Freeze())
}

func (e *space) everywhere(int) bool { return true }

func (e *space) sharedMachine(m int) *fst.FST[expr.W] {
	return e.machine(e.everywhere, func(x, z int) []int { return e.shared(m, x, z) })
}

func (e *space) privateMachine(m int) *fst.FST[expr.W] {
	return e.machine(func(z int) bool { return e.domain[m][z] }, func(_, z int) []int { return e.private[m][z] })
}

func (e *space) support(domain func(z int) bool) *fst.FST[expr.W] {
	return e.machine(domain, func(int, int) []int { return nil })
}

// lattices returns the likelihood of the product of machines.
func (e *space) lattices(stages ...cascade.Stage) em.Likelihood {
	return must(cascade.Problem{Params: e.params, Stages: stages}.Likelihood(e.data()))
}

// data returns the examples, each the set of all pairs with its x.
func (e *space) data() (data cascade.Data) {
	for x, weight := range e.weight {
		b := fst.NewBuilder(e.params.Space())
		from, to := b.AddState(), b.AddState()
		b.AddStart(from, expr.One)
		b.SetFinal(to, expr.One)
		for z := range e.feature {
			b.AddArc(from, fst.Arc[expr.W]{In: e.label(x, z), Out: e.label(x, z), Weight: expr.One, To: to})
		}
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Set(must(b.Freeze())), Weight: em.Times(weight)})
	}
	return data
}

// each returns the likelihoods of the submodels as terms of the named algorithm.
func (e *space) each(algorithm string) (terms []em.Likelihood) {
	for m := range e.submodels() {
		stages := []cascade.Stage{e.privateMachine(m), e.sharedMachine(m)}
		switch algorithm {
		case "domain":
			for other := range e.submodels() {
				if other != m {
					stages = append(stages, e.sharedMachine(other))
				}
			}
		case "parameter":
			stages = append(stages, e.support(e.common))
		}
		terms = append(terms, e.lattices(stages...))
	}
	return terms
}

// likelihood returns the likelihood that em.Fit trains under the named algorithm.
func (e *space) likelihood(algorithm string) (em.Likelihood, error) {
	switch algorithm {
	case "independent":
		return agree.Independent(e.each(algorithm)...)
	case "domain":
		return agree.DomainApproximate(e.each(algorithm)...)
	case "parameter":
		return agree.ParameterApproximate(e.each(algorithm)...)
	case "exact":
		var stages []cascade.Stage
		for m := range e.submodels() {
			stages = append(stages, e.privateMachine(m), e.sharedMachine(m))
		}
		return e.lattices(stages...), nil
	case "average":
		var submodels []agree.Submodel
		for m := range e.submodels() {
			submodels = append(submodels, &listed{space: e, m: m, domain: e.common})
		}
		return agree.Averaged(em.Fail, submodels...)
	case "product":
		var submodels []agree.Submodel
		for m := range e.submodels() {
			submodels = append(submodels, &listed{space: e, m: m, domain: func(z int) bool { return e.domain[m][z] }})
		}
		return agree.ProductOfPosteriors(em.Fail, submodels...)
	}
	return nil, fmt.Errorf("no algorithm %q", algorithm)
}

// The parts common to all Submodels of the space.

func (e *space) Params() *em.Params { return e.params }
func (e *space) Examples() int      { return len(e.weight) }

func (e *space) Example(x int) em.Skipped {
	return em.Skipped{Index: x, Name: fmt.Sprintf("x%d", x), Weight: e.weight[x]}
}

func (e *space) Fingerprint(w io.Writer) { fmt.Fprintln(w, e.use, e.private) }

// listed is submodel m over the structures of a domain, as an agree.Submodel: each
// example is a graph with an arc for every structure.
type listed struct {
	*space
	m      int
	domain func(z int) bool
	query  em.Query

	skip    func(x int) bool // examples without a derivation
	more    int              // features that other submodels do not have
	refuses error            // of Begin
	fault   error            // of Posterior
	late    error            // of Posterior of example 1
}

func (l *listed) Infer() agree.Inference { return &listing{listed: l} }

func (l *listed) Begin(q em.Query) error {
	l.query = q
	return l.refuses
}

type listing struct {
	*listed
	x   int
	arc []float64 // posterior of each structure
	sum em.Accumulator
}

func (l *listing) Posterior(x int) (agree.Posterior, error) {
	if l.fault != nil {
		return agree.Posterior{}, l.fault
	}
	if x == 1 && l.late != nil {
		return agree.Posterior{}, l.late
	}
	values := l.params.Values(l.query.Theta)
	weights := make([]semiring.ScaledFloat, len(l.feature))
	for z := range weights {
		if !l.domain(z) || l.skip != nil && l.skip(x) {
			continue
		}
		weights[z] = semiring.NewScaled(1)
		for _, p := range append(l.shared(l.m, x, z), l.private[l.m][z]...) {
			weights[z] = weights[z].Mul(values[p].Pow(l.query.Temperature))
		}
	}
	n := int32(len(weights))
	g, err := graph.New(semiring.Scaled{}, []int32{0, n, n}, constant(n, 1), weights,
		[]graph.Start[semiring.ScaledFloat]{{State: 0, Weight: semiring.NewScaled(1)}}, []semiring.ScaledFloat{{}, semiring.NewScaled(1)})
	if err != nil {
		return agree.Posterior{}, err
	}
	p, err := graph.Posteriors(g)
	if err != nil {
		return agree.Posterior{}, err
	}
	l.x, l.arc = x, p.Arc
	features := make([]float64, len(l.feature[0])+l.more)
	for z, q := range p.Arc {
		for i, n := range l.feature[z] {
			features[i] += q * float64(n)
		}
	}
	return agree.Posterior{Features: features, Total: p.Total, Arcs: int64(n)}, nil
}

func (l *listing) Count(mu []float64, weight float64) {
	l.sum.Grow(l.params.Len(), false)
	for i, params := range l.use[l.m][l.x] {
		for _, p := range params {
			l.sum.Add(int32(p), weight*mu[i])
		}
	}
	for z, q := range l.arc {
		for _, p := range l.private[l.m][z] {
			l.sum.Add(int32(p), weight*q)
		}
	}
}

func (l *listing) Drain(t *em.Tally) { l.sum.Drain(t) }

func constant(n, value int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = value
	}
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// near fails the test unless got and want agree to nearly all digits.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}
