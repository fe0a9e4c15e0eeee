package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// words returns an acceptor of all strings of one to three labels 1 and 2, with one parameter per
// arc.
func words(t testing.TB, params *em.Params) *fst.FST[weight] {
	k := params.Space()
	g := params.Group("word", 2*(2+4+8), em.Fixed{})
	m := fst.NewBuilder(k)
	root := m.AddState()
	m.AddStart(root, k.One())
	level, next := []int32{root}, 0
	for range 3 {
		var below []int32
		for _, s := range level {
			for l := int32(1); l <= 2; l++ {
				to := m.AddState()
				m.AddArc(s, arc(l, l, g.Weight(next), to))
				m.SetFinal(to, g.Weight(next+1))
				next += 2
				below = append(below, to)
			}
		}
		level = below
	}
	return freeze(t, m)
}

// numeric returns the path sum of a machine between two strings; nil stands for any string.
func numeric(t testing.TB, problem cascade.Problem, theta []float64, ms []cascade.Stage, in, out []int32) float64 {
	t.Helper()
	ring := semiring.Scaled{}
	var chain fst.Machine[semiring.ScaledFloat]
	join := func(m fst.Machine[semiring.ScaledFloat]) {
		if chain == nil {
			chain = m
			return
		}
		chain = fst.Compose(chain, m)
	}
	if in != nil {
		join(fst.FromString(ring, in))
	}
	for _, m := range ms {
		f, err := cascade.Instantiate(problem.Params, m, theta, ring)
		if err != nil {
			t.Fatal(err)
		}
		join(f)
	}
	if out != nil {
		join(fst.FromString(ring, out))
	}
	f, err := fst.Expand(chain, nil)
	if err != nil {
		t.Fatal(err)
	}
	total, err := graph.PathSum(f.Graph())
	if err != nil {
		t.Fatal(err)
	}
	return total.Float64()
}

// TestBranches compares the likelihood of several observations of one hidden string
// with the sum over all hidden strings of products of path sums, and the counts with
// differences.
func TestBranches(t *testing.T) {
	var hidden [][]int32
	for n := 1; n <= 3; n++ {
		for code := range 1 << n {
			var w []int32
			for i := range n {
				w = append(w, int32(code>>i&1)+1)
			}
			hidden = append(hidden, w)
		}
	}
	for seed := range trials.Seeds(trials.Serial[uint64](20)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		params := em.NewParams()
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{words(t, params)}}
		a, b, c := channel(t, params, em.Fixed{}, 2), channel(t, params, em.Fixed{}, 2), channel(t, params, em.Fixed{}, 2)
		problem.Branches = [][]cascade.Stage{{a}, {b, c}}
		if rng.IntN(2) == 0 {
			problem.Branches = append(problem.Branches, []cascade.Stage{a}) // the same machine again
		}
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = .02 + .1*rng.Float64()
		}
		x := cascade.Example{Weight: em.Times(2)}
		var seen [][]int32
		for i := range problem.Branches {
			z := randomLabels(rng, 3)
			if i == 0 && rng.IntN(4) == 0 {
				z = nil
				x.Branches = append(x.Branches, cascade.Side{})
			} else {
				z = append([]int32{}, z...)
				x.Branches = append(x.Branches, cascade.Labels(z...))
			}
			seen = append(seen, z)
		}
		var known []int32
		if rng.IntN(4) == 0 {
			known = hidden[rng.IntN(len(hidden))]
			x.Y = cascade.Labels(known...)
		}
		want := 0.0
		for _, w := range hidden {
			if known != nil && !slices.Equal(w, known) {
				continue
			}
			p := numeric(t, problem, theta, problem.Stages, nil, w)
			for i, ms := range problem.Branches {
				p *= numeric(t, problem, theta, ms, w, seen[i])
			}
			want += p
		}
		l := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{x}})
		e, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if math.Abs(e.LogLikelihood-2*math.Log(want)) > 1e-9 {
			t.Errorf("seed %d: log likelihood %.12g, want %.12g", seed, e.LogLikelihood, 2*math.Log(want))
		}
		for i := range theta {
			at := func(factor float64) float64 {
				moved := slices.Clone(theta)
				moved[i] *= factor
				e, err := l.Expect(context.Background(), em.Query{Theta: moved})
				if err != nil {
					t.Fatal(err)
				}
				return e.LogLikelihood
			}
			const h = 1e-4
			want := (at(1+h) - at(1-h)) / (math.Log1p(h) - math.Log1p(-h))
			if math.Abs(e.Counts[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("seed %d: count %d is %g, difference %g", seed, i, e.Counts[i], want)
			}
		}
	}
}

// TestBranchesRecovery: two copies of a hidden label, with different noise, suffice to learn the
// labels' frequencies and both channels.
func TestBranchesRecovery(t *testing.T) {
	params := em.NewParams()
	k := params.Space()
	source := params.Group("source", 2, em.Multinomial{})
	m := fst.NewBuilder(k)
	m.AddState()
	m.AddState()
	m.AddStart(0, k.One())
	m.SetFinal(1, k.One())
	for i := range int32(2) {
		m.AddArc(0, arc(i+1, i+1, source.Weight(int(i)), 1))
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	truth := []float64{.3, .7}
	for b := range 3 {
		m := fst.NewBuilder(k)
		m.AddState()
		m.AddStart(0, k.One())
		m.SetFinal(0, k.One())
		for i := range int32(2) {
			g := params.Group(fmt.Sprintf("branch %d of %d", b, i), 2, em.Multinomial{})
			right := []float64{.9, .8, .7}[b]
			p := []float64{right, 1 - right}
			if i == 1 {
				slices.Reverse(p)
			}
			truth = append(truth, p...)
			for o := range int32(2) {
				m.AddArc(0, arc(i+1, o+1, g.Weight(int(o)), 0))
			}
		}
		problem.Branches = append(problem.Branches, []cascade.Stage{freeze(t, m)})
	}
	rng := rand.New(rand.NewPCG(2, 3))
	count := map[[3]int32]float64{}
	for range 100_000 {
		hidden := 0
		if rng.Float64() > truth[0] {
			hidden = 1
		}
		var seen [3]int32
		for b := range seen {
			seen[b] = 1
			if rng.Float64() > truth[2+4*b+2*hidden] {
				seen[b] = 2
			}
		}
		count[seen]++
	}
	var data []cascade.Example
	for i := range int32(8) {
		seen := [3]int32{1 + i&1, 1 + i>>1&1, 1 + i>>2&1}
		x := cascade.Example{Weight: em.Times(count[seen])}
		for _, l := range seen {
			x.Branches = append(x.Branches, cascade.Labels(l))
		}
		data = append(data, x)
	}
	start := params.Start()
	for i := 2; i < len(start); i += 4 {
		copy(start[i:], []float64{.6, .4, .4, .6}) // breaks the symmetry of the labels
	}
	r := fit(t, problem, data, &em.Options{Start: start, Iterations: 5000, Tolerance: 1e-12})
	for i, want := range truth {
		if math.Abs(r.Theta[i]-want) > .02 {
			t.Errorf("%s is %.3f, want %.3f", params.Name(int32(i)), r.Theta[i], want)
		}
	}
}

func TestBadBranches(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	branch := problem.Stages[0]
	for says, c := range map[string]struct {
		branches [][]cascade.Stage
		sides    []cascade.Side
	}{
		"branch 0 has no machine":  {[][]cascade.Stage{{}}, []cascade.Side{{}}},
		"machine 1 of branch 0 is": {[][]cascade.Stage{{branch, nil}}, []cascade.Side{{}}},
		"example 0 has 1 branches": {nil, []cascade.Side{{}}},
		"example 0 has 0 branches": {[][]cascade.Stage{{branch}}, nil},
		"example 0: label 0":       {[][]cascade.Stage{{branch}}, []cascade.Side{cascade.Labels(0)}},
	} {
		p := problem
		p.Branches = c.branches
		_, err := p.Likelihood(cascade.Data{Examples: []cascade.Example{{X: data[0].X, Branches: c.sides}}})
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}
