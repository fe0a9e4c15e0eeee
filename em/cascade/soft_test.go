package cascade_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// seenProblem is a randomProblem or, if plain, a plainProblem. Both of its ends have the label 1;
// otherwise a soft string would be an error.
func seenProblem(t testing.TB, rng *rand.Rand, plain bool) (cascade.Problem, []float64) {
	for {
		problem, _, theta := randomProblem(t, rng)
		if plain {
			problem, theta = plainProblem(t, rng, rng.IntN(2) == 0)
		}
		first, last := problem.Stages[0].(*fst.FST[weight]), problem.Stages[len(problem.Stages)-1].(*fst.FST[weight])
		if slices.Contains(first.In(), 1) && slices.Contains(last.Out(), 1) {
			return problem, theta
		}
	}
}

// guess is the output of a recognizer: columns with labels, weights per frame.
type guess struct {
	labels []int32
	weight [][]float64
}

// randomGuess has up to most frames of the labels 1 and 2, and often of 7, which occurs in no
// machine, in any order. A third of the weights are 0, and some exceed 1.
func randomGuess(rng *rand.Rand, most int) guess {
	g := guess{labels: [][]int32{{1, 2}, {2, 1}, {7, 1, 2}, {2, 7, 1}, {1}}[rng.IntN(5)]}
	for range 1 + rng.IntN(most) {
		weight := make([]float64, len(g.labels))
		for v := range weight {
			if rng.IntN(3) > 0 {
				weight[v] = 1.5 * rng.Float64()
			}
		}
		weight[rng.IntN(len(weight))] = rng.Float64() + .01
		g.weight = append(g.weight, weight)
	}
	return g
}

func (g guess) emissions(t testing.TB) *frames.Emissions {
	t.Helper()
	e, err := frames.Probabilities(len(g.weight), len(g.labels), slices.Concat(g.weight...), &frames.Options{Unnormalized: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (g guess) side(t testing.TB) cascade.Side { return cascade.Soft(g.emissions(t), g.labels) }

// set returns the guess as a set with constant weights.
func (g guess) set(t testing.TB, params *em.Params) cascade.Side {
	k := params.Space()
	b := fst.NewBuilder(k)
	s := b.AddState()
	b.AddStart(s, k.One())
	for _, weight := range g.weight {
		next := b.AddState()
		for v, w := range weight {
			if w > 0 {
				b.AddArc(s, arc(g.labels[v], g.labels[v], k.Const(semiring.NewScaled(w)), next))
			}
		}
		s = next
	}
	b.SetFinal(s, k.One())
	return cascade.Set(freeze(t, b))
}

// all calls f with each string that has a weight.
func (g guess) all(f func(labels []int32, weight float64)) {
	var next func(labels []int32, weight float64)
	next = func(labels []int32, weight float64) {
		n := len(labels)
		if n == len(g.weight) {
			f(slices.Clone(labels), weight)
			return
		}
		for v, w := range g.weight[n] {
			if w > 0 {
				next(append(labels, g.labels[v]), weight*w)
			}
		}
	}
	next(nil, 1)
}

// TestSoftByEnumeration: the sum over all strings of the recognizer's weight times the
// probability of the string as Labels, by every way and at every temperature, and the same for
// counts.
func TestSoftByEnumeration(t *testing.T) {
	latticeless := 0
	for seed := range trials.Seeds(60) {
		rng := fsttest.Rand(seed)
		problem, theta := seenProblem(t, rng, false)
		guess := randomGuess(rng, 4)
		other := []cascade.Side{{}, {}, cascade.Labels(randomLabels(rng, 3)...), randomGuess(rng, 2).side(t)}[rng.IntN(4)]
		pair := func(known cascade.Side) cascade.Example {
			if seed%2 == 0 {
				return cascade.Example{X: known, Y: other}
			}
			return cascade.Example{X: other, Y: known}
		}
		for _, beta := range []float64{1, .6, 1.7} {
			for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
				q := em.Query{Theta: theta, Temperature: beta, EStep: step}
				want, counts := 0.0, make([]float64, len(theta))
				guess.all(func(labels []int32, weight float64) {
					e := expectation(t, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{pair(cascade.Labels(labels...))}, Underivable: em.Skip, Strategy: cascade.ByLattice}), q)
					if len(e.Skipped) > 0 {
						return
					}
					p := math.Exp(e.LogLikelihood) * math.Pow(weight, beta)
					if step == em.Viterbi {
						if p > want {
							want, counts = p, e.Counts
						}
						return
					}
					want += p
					for i, c := range e.Counts {
						counts[i] += p * c
					}
				})
				if step == em.Marginal {
					for i := range counts {
						counts[i] /= want
					}
				}
				for way := cascade.BySize; way <= cascade.ByBlocks; way++ {
					got := expectation(t, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{pair(guess.side(t))}, Underivable: em.Skip, Strategy: way}), q)
					latticeless += got.WithoutLattice
					if skipped := len(got.Skipped) > 0; skipped != (want == 0) {
						t.Fatalf("seed %d, β %g, %v, %v: skipped %v, want a sum of %g", seed, beta, step, way, got.Skipped, want)
					}
					if want == 0 {
						continue
					}
					if !closeTo(got.LogLikelihood, math.Log(want), 1e-12) {
						t.Errorf("seed %d, β %g, %v, %v: log likelihood %v, want %v", seed, beta, step, way, got.LogLikelihood, math.Log(want))
					}
					for i, c := range counts {
						if !closeTo(got.Counts[i], c, 1e-11) {
							t.Errorf("seed %d, β %g, %v, %v: count %d is %v, want %v", seed, beta, step, way, i, got.Counts[i], c)
						}
					}
				}
			}
		}
	}
	if latticeless < 100 {
		t.Errorf("only %d sums without a lattice", latticeless)
	}
}

// guesses returns examples like the ones of observed, with soft strings.
func guesses(t testing.TB, rng *rand.Rand, params *em.Params) (softly, asSets []cascade.Example) {
	for n := range 12 {
		g, h := randomGuess(rng, 8), randomGuess(rng, 4)
		a, b := cascade.Example{Name: fmt.Sprint("no. ", n), Weight: em.Times(.5 + rng.Float64())}, cascade.Example{}
		b.Name, b.Weight = a.Name, a.Weight
		switch rng.IntN(6) {
		case 0, 1:
			a.X, b.X = g.side(t), g.set(t, params)
		case 2:
			a.X, b.X = g.side(t), g.set(t, params)
			a.Y = cascade.Labels(randomLabels(rng, 3)...)
			b.Y = a.Y
		case 3:
			a.X, b.X = g.side(t), g.set(t, params)
			a.Y, b.Y = h.side(t), h.set(t, params)
		default:
			a.Y, b.Y = g.side(t), g.set(t, params)
		}
		softly, asSets = append(softly, a), append(asSets, b)
	}
	return softly, asSets
}

// TestSoftIsASet: every way has the results of a set with constant weights, for any E step.
func TestSoftIsASet(t *testing.T) {
	blocks, best := 0, 0
	for seed := range trials.Seeds(60) {
		rng := fsttest.Rand(seed)
		problem, theta := seenProblem(t, rng, seed%3 == 0)
		if rng.IntN(3) == 0 {
			theta[rng.IntN(len(theta))] = 0
		}
		softly, asSets := guesses(t, rng, problem.Params)
		sets := likelihood(t, problem, cascade.Data{Examples: asSets, Underivable: em.Skip})
		for way := cascade.BySize; way <= cascade.ByBlocks; way++ {
			l := likelihood(t, problem, cascade.Data{Examples: softly, Underivable: em.Skip, Strategy: way})
			for name, q := range wayQueries(rng, theta) {
				want, got := expectation(t, sets, q), expectation(t, l, q)
				if len(got.Skipped) > 0 && got.Skipped[0].Structural && got.Skipped[0].Reason == "" {
					t.Errorf("seed %d: %v is skipped without a reason", seed, got.Skipped[0])
				}
				if diff := differ(withoutReasons(got), withoutReasons(want)); diff != "" {
					t.Fatalf("seed %d, %v, %s: %s", seed, way, name, diff)
				}
				if way == cascade.ByLattice && got.WithoutLattice > 0 {
					t.Errorf("seed %d: %d examples without a lattice", seed, got.WithoutLattice)
				}
				if q.EStep == em.Viterbi {
					best += got.WithoutLattice
				} else {
					blocks += got.WithoutLattice
				}
			}
		}
	}
	if blocks < 500 || best < 50 {
		t.Errorf("only %d sums without a lattice, and %d best paths", blocks, best)
	}
}

// TestSoftGradient compares counts and curvature with differences.
func TestSoftGradient(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		problem, theta := seenProblem(t, rng, false)
		data, _ := guesses(t, rng, problem.Params)
		l := likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip, Strategy: cascade.ByBlocks})
		q := em.Query{Theta: theta, Temperature: []float64{1, .7, 1.5}[rng.IntN(3)]}
		checkGradient(t, seed, l, q)
		q.Tangent = make([]float64, len(theta))
		for i := range q.Tangent {
			q.Tangent[i] = rng.NormFloat64()
		}
		expect, along := mover(t, l, em.Query{Theta: theta, Temperature: q.Temperature}), expectation(t, l, q)
		for i, got := range along.Curvature {
			want := derivative(func(h float64) float64 { return expect(h, q.Tangent).Counts[i] })
			if !closeTo(got, want, 1e-7) {
				t.Errorf("seed %d: curvature of parameter %d is %.12g, finite difference %.12g", seed, i, got, want)
			}
		}
	}
}

// TestCertain: if one label has all weight in each frame, a soft string equals the string.
func TestCertain(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := fsttest.Rand(seed)
		problem, theta := seenProblem(t, rng, false)
		var soft, hard []cascade.Example
		for range 10 {
			labels := append(randomLabels(rng, 6), 1)
			g := guess{labels: []int32{2, 1}}
			for _, l := range labels {
				g.weight = append(g.weight, []float64{float64(l - 1), float64(2 - l)})
			}
			soft, hard = append(soft, cascade.Example{Y: g.side(t)}), append(hard, cascade.Example{Y: cascade.Labels(labels...)})
		}
		for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
			for name, q := range wayQueries(rng, theta) {
				want := expectation(t, likelihood(t, problem, cascade.Data{Examples: hard, Underivable: em.Skip, Strategy: way}), q)
				got := expectation(t, likelihood(t, problem, cascade.Data{Examples: soft, Underivable: em.Skip, Strategy: way}), q)
				if diff := differ(withoutReasons(got), withoutReasons(want)); diff != "" {
					t.Fatalf("seed %d, %v, %s: %s", seed, way, name, diff)
				}
			}
		}
	}
}

// TestSoftHasTheSameBits for any number of workers, for a stream, and with any shards kept
// between E steps.
func TestSoftHasTheSameBits(t *testing.T) {
	for seed := range trials.Seeds(1) {
		rng := fsttest.Rand(seed)
		problem, theta := seenProblem(t, rng, false)
		var examples []cascade.Example
		for range 20 {
			softly, _ := guesses(t, rng, problem.Params)
			examples = append(examples, softly...)
		}
		calls := 0
		data := cascade.Data{Examples: examples, Underivable: em.Skip, Strategy: cascade.ByBlocks}
		streamed := cascade.Data{Stream: stream(examples, &calls), Underivable: em.Skip, Strategy: cascade.ByBlocks}
		none := streamed
		none.CacheBytes = -1
		ls := []em.Likelihood{likelihood(t, problem, data), likelihood(t, problem, streamed), likelihood(t, problem, none)}
		want, queries := map[string]*em.Expectations{}, wayQueries(rng, theta)
		for range 2 {
			for name, q := range queries {
				for _, l := range ls {
					for _, q.Workers = range []int{1, 2, 7} {
						got := expectation(t, l, q)
						if want[name] == nil {
							want[name] = got
						}
						if !reflect.DeepEqual(got, want[name]) {
							t.Fatalf("seed %d, %s, %d workers: other bits", seed, name, q.Workers)
						}
					}
				}
			}
		}
	}
}

// TestManyColumns: each of many examples has its own columns.
func TestManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	problem, theta := seenProblem(t, rng, false)
	var data []cascade.Example
	want := 0.0
	for n := range 300 {
		g := randomGuess(rng, 5)
		g.labels = append(slices.Clone(g.labels), int32(100+n))
		for t := range g.weight {
			g.weight[t] = append(g.weight[t], .5)
		}
		x := cascade.Example{Y: g.side(t)}
		data = append(data, x)
		want += expectation(t, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{x}, Underivable: em.Skip, Strategy: cascade.ByLattice}), em.Query{Theta: theta}).LogLikelihood
	}
	l := likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip, Strategy: cascade.ByBlocks})
	for range 2 {
		if got := expectation(t, l, em.Query{Theta: theta, Workers: 2}); !closeTo(got.LogLikelihood, want, 1e-12) {
			t.Errorf("log likelihood %v, want %v", got.LogLikelihood, want)
		}
	}
}
