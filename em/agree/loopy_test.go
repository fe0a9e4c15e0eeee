package agree_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// scopes are submodels of a few choices. Each submodel has some of the choices. A structure is a
// value of each of its submodel's choices, 0 for none of its features, and a private part;
// derivations take a loop any number of times.
type scopes struct {
	params     *em.Params
	marks      *em.Group
	size       []int   // per choice: features
	knows      [][]int // per submodel: choices
	structures [][]structure
	loop       []int // per submodel: the parameter of the loop
}

type structure struct {
	value []int // per choice of the submodel
	param int
}

func newScopes(rng *rand.Rand, knows ...[]int) *scopes {
	s := &scopes{params: em.NewParams(), knows: knows}
	choices, features := 0, 0
	for _, all := range knows {
		choices = max(choices, 1+slices.Max(all))
	}
	for range choices {
		s.size = append(s.size, 1+rng.IntN(2))
		features += s.size[len(s.size)-1]
	}
	s.marks = s.params.Group("marks", features, em.Fixed{})
	for m, all := range knows {
		values := [][]int{nil}
		for _, c := range all {
			var longer [][]int
			for _, v := range values {
				for x := range s.size[c] + 1 {
					longer = append(longer, append(slices.Clone(v), x))
				}
			}
			values = longer
		}
		n := 2 * len(values)
		g := s.params.Group(fmt.Sprint("submodel ", m), n+1, em.Fixed{})
		var own []structure
		for k := range n {
			own = append(own, structure{values[k/2], g.First() + k})
		}
		s.structures, s.loop = append(s.structures, own), append(s.loop, g.First()+n)
	}
	return s
}

// feature returns the feature of a value of a choice, or −1 for the value 0.
func (s *scopes) feature(choice, value int) int {
	k := value - 1
	for c := range choice {
		k += s.size[c]
	}
	if value == 0 {
		return -1
	}
	return k
}

func (s *scopes) choice(_, k int) int {
	c := 0
	for ; k >= s.size[c]; c++ {
		k -= s.size[c]
	}
	return c
}

// submodel returns submodel m of two identical examples.
func (s *scopes) submodel(m int) agree.Submodel {
	space := s.params.Space()
	draw := func(int) (*graph.Graph[expr.W], error) {
		to, weights := []int32{0}, []expr.W{space.Param(int32(s.loop[m]))}
		for _, z := range s.structures[m] {
			w := space.Param(int32(z.param))
			for i, c := range s.knows[m] {
				if k := s.feature(c, z.value[i]); k >= 0 {
					w = space.Times(w, s.marks.Weight(k))
				}
			}
			to, weights = append(to, 1), append(weights, w)
		}
		n := int32(len(to))
		return graph.New(space, []int32{0, n, n}, to, weights,
			[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
	}
	g, err := draw(0) // its expressions are made before
	if err != nil {
		panic(err)
	}
	corpus := must(cascade.Derivations{Examples: 2, Graph: func(int) (*graph.Graph[expr.W], error) { return g, nil },
		Weight: func(i int) float64 { return 1 + float64(i)/2 }}.Corpus(s.params))
	return must(agree.Marked(corpus, agree.Features{Marks: s.marks}))
}

func (s *scopes) loopy(o agree.LoopyOptions) *agree.Loopy {
	o.Choice = s.choice
	o.Concerns = func(m, _, c int) bool { return slices.Contains(s.knows[m], c) }
	var all []agree.Submodel
	for m := range s.knows {
		all = append(all, s.submodel(m))
	}
	return must(agree.LoopyBelief(em.Fail, &o, all...))
}

func (s *scopes) theta(rng *rand.Rand) []float64 {
	theta := s.params.Start()
	for i := range theta {
		if i >= s.marks.Len() {
			theta[i] = .05 + .5*rng.Float64()
		}
	}
	return theta
}

// oracle computes the exact product by enumeration: the log of its sum, and the expected uses.
func (s *scopes) oracle(theta []float64) (ln float64, counts []float64) {
	counts = make([]float64, len(theta))
	total, uses := 0.0, make([]float64, len(theta))
	var list func(m int, weight float64, chosen map[int]int, used []int)
	list = func(m int, weight float64, chosen map[int]int, used []int) {
		if m == len(s.knows) {
			total += weight
			for _, p := range used {
				uses[p] += weight
			}
			return
		}
		for _, z := range s.structures[m] {
			now, ok := map[int]int{}, true
			for c, v := range chosen {
				now[c] = v
			}
			for i, c := range s.knows[m] {
				if v, known := now[c]; known && v != z.value[i] {
					ok = false
				}
				now[c] = z.value[i]
			}
			if ok {
				list(m+1, weight*theta[z.param]/(1-theta[s.loop[m]]), now, append(used[:len(used):len(used)], z.param))
			}
		}
	}
	list(0, 1, nil, nil)
	for i := range counts {
		counts[i] = 2.5 * uses[i] / total
	}
	for _, p := range s.loop {
		counts[p] = 2.5 * theta[p] / (1 - theta[p])
	}
	return 2.5 * math.Log(total), counts
}

// If choices connect submodels in one way only, belief propagation is exact: by enumeration.
func TestLoopyBeliefOnTrees(t *testing.T) {
	for name, knows := range map[string][][]int{
		"one":   {{0, 1}},
		"two":   {{0}, {0, 1}},
		"chain": {{0, 1}, {1, 2}, {2}},
		"star":  {{0, 1, 2}, {0}, {1, 3}, {2}, {0}},
	} {
		for seed := range trials.Seeds(20) {
			rng := rand.New(rand.NewPCG(seed, 81))
			s := newScopes(rng, knows...)
			theta := s.theta(rng)
			l := s.loopy(agree.LoopyOptions{Tolerance: 1e-14})
			e := must(l.Expect(t.Context(), em.Query{Theta: theta}))
			ln, counts := s.oracle(theta)
			if math.Abs(e.LogLikelihood-ln) > 1e-10 || l.Unconverged() > 0 {
				t.Errorf("%s, seed %d: %.12g, want %.12g; %d did not settle", name, seed, e.LogLikelihood, ln, l.Unconverged())
			}
			for p, want := range counts {
				if p >= s.marks.Len() && math.Abs(e.Counts[p]-want) > 1e-10 {
					t.Errorf("%s, seed %d: parameter %d is used %.12g times, want %.12g", name, seed, p, e.Counts[p], want)
				}
			}
		}
	}
}

// On a ring it is not exact, but its counts are the derivatives of its objective.
func TestLoopyBeliefOnRings(t *testing.T) {
	off := 0.0
	for seed := range trials.Seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 82))
		s := newScopes(rng, []int{0, 1}, []int{1, 2}, []int{2, 0})
		theta := s.theta(rng)
		l := s.loopy(agree.LoopyOptions{Tolerance: 1e-13, Rounds: 500, Damping: []float64{0, .3}[seed%2]})
		at := func(p int, step float64) *em.Expectations {
			moved := slices.Clone(theta)
			moved[p] *= math.Exp(step)
			e := must(l.Expect(t.Context(), em.Query{Theta: moved}))
			if l.Unconverged() > 0 {
				t.Errorf("seed %d: %d did not settle", seed, l.Unconverged())
			}
			return e
		}
		e := at(0, 0)
		ln, _ := s.oracle(theta)
		off = max(off, math.Abs(e.LogLikelihood-ln))
		for p := s.marks.Len(); p < len(theta); p += 3 {
			const h = 1e-4
			slope := (at(p, h).LogLikelihood - at(p, -h).LogLikelihood) / (2 * h)
			if math.Abs(slope-e.Counts[p]) > 1e-6 {
				t.Errorf("seed %d: parameter %d is used %g times, the slope is %g", seed, p, e.Counts[p], slope)
			}
		}
	}
	if off < 1e-4 {
		t.Errorf("off by %g at most", off)
	}
}

// deaf is a Submodel whose inferences are not Tilted.
type deaf struct{ agree.Submodel }

func (d deaf) Infer() agree.Inference { return struct{ agree.Inference }{d.Submodel.Infer()} }

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// An E step has the same bits for any number of workers. It reports messages that do not
// converge, and returns an error for unsupported queries.
func TestLoopyBeliefRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 83))
	s := newScopes(rng, []int{0, 1}, []int{1, 2}, []int{2, 0})
	theta := s.theta(rng)
	l := s.loopy(agree.LoopyOptions{Rounds: 1})
	one := must(l.Expect(t.Context(), em.Query{Theta: theta, Workers: 1}))
	two := must(l.Expect(t.Context(), em.Query{Theta: theta, Workers: 2}))
	if one.LogLikelihood != two.LogLikelihood || !slices.Equal(one.Counts, two.Counts) || l.Unconverged() != 2 {
		t.Errorf("%g and %g, %d examples did not settle", one.LogLikelihood, two.LogLikelihood, l.Unconverged())
	}
	if !l.Heuristic() || s.loopy(agree.LoopyOptions{}).Shards() != 2 {
		t.Error("it is not a heuristic")
	}
	wantError(t, "a best path", func() error {
		_, err := l.Expect(t.Context(), em.Query{Theta: theta, EStep: em.Viterbi})
		return err
	}(), semiring.ErrCapability)
	for _, o := range []agree.LoopyOptions{{Damping: 1}, {Damping: -1}, {Damping: math.NaN()}, {Rounds: -1}, {Tolerance: math.NaN()}} {
		_, err := agree.LoopyBelief(em.Fail, &o, s.submodel(0))
		wantError(t, fmt.Sprint(o), err, em.ErrInvalid)
	}
	_, err := agree.LoopyBelief(em.Fail, nil, s.submodel(0), deaf{s.submodel(1)})
	wantError(t, "a submodel that takes in nothing", err, em.ErrInvalid)
	if err != nil && !strings.Contains(err.Error(), "submodel 1 cannot receive messages") {
		t.Errorf("error %v, want the submodel's number", err)
	}
	if r := must(must(agree.LoopyBelief(em.Fail, nil, s.submodel(0))).Expect(t.Context(), em.Query{Theta: theta})); r.Examples != 2 {
		t.Errorf("%d examples by the default options", r.Examples)
	}
	_, err = agree.LoopyBelief(em.Fail, nil)
	wantError(t, "no submodels", err, em.ErrInvalid)
	bad := must(agree.LoopyBelief(em.Fail, &agree.LoopyOptions{Choice: func(_, k int) int { return -k }}, s.submodel(0), s.submodel(1)))
	_, err = bad.Expect(t.Context(), em.Query{Theta: theta})
	wantError(t, "a choice", err, em.ErrInvalid)
}
