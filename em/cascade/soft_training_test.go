package cascade_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/frames"
)

// recognizer draws a string of n letters from a model of pairs of letters, a channel that
// sometimes replaces a letter, and the weights of a recognizer of the given noise.
type recognizer struct {
	letters int
	start   []float64
	next    [][]float64
	channel [][]float64
}

// problem returns the model: pairs of letters before a channel, at a start without ties.
func (r recognizer) problem(t testing.TB, law em.Law) (problem cascade.Problem, groups []*em.Group) {
	params, n := em.NewParams(), int32(r.letters)
	k := params.Space()
	model, channel := fst.NewBuilder(k), fst.NewBuilder(k)
	model.AddStates(int(n) + 1)
	channel.AddState()
	model.AddStart(n, k.One())
	channel.AddStart(0, k.One())
	channel.SetFinal(0, k.One())
	for p := range n + 1 {
		g := params.Group(fmt.Sprint("after ", p), int(n), law)
		groups = append(groups, g)
		for q := range n {
			model.AddArc(p, arc(epsilon, q+1, g.Weight(int(q)), q))
		}
		model.SetFinal(p, k.One())
	}
	for p := range n {
		g := params.Group(fmt.Sprint("channel ", p), int(n), law)
		groups = append(groups, g)
		start := make([]float64, n)
		for q := range n {
			start[q] = .2 / float64(n-1)
			channel.AddArc(0, arc(p+1, q+1, g.Weight(int(q)), 0))
		}
		start[p] = .8
		g.SetStart(start)
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, model), freeze(t, channel)}}, groups
}

// strings draws examples as exact strings, and as seen by a recognizer that confuses letters with
// the probability noise: the weight of a label is the probability of the observation given the
// label.
func (r recognizer) strings(t testing.TB, rng *rand.Rand, examples, length int, noise float64) (hard, soft []cascade.Example) {
	draw := func(p []float64) int {
		u := rng.Float64()
		for i, x := range p {
			if u -= x; u < 0 {
				return i
			}
		}
		return len(p) - 1
	}
	labels := make([]int32, r.letters)
	for v := range labels {
		labels[v] = int32(v) + 1
	}
	for range examples {
		var y []int32
		g := guess{labels: labels}
		p := r.start
		for range length {
			letter := draw(p)
			p = r.next[letter]
			out := draw(r.channel[letter])
			y = append(y, int32(out)+1)
			seen := out
			if rng.Float64() < noise {
				seen = rng.IntN(r.letters)
			}
			weight := make([]float64, r.letters)
			for v := range weight {
				weight[v] = noise / float64(r.letters)
			}
			weight[seen] += 1 - noise
			g.weight = append(g.weight, weight)
		}
		hard, soft = append(hard, cascade.Example{Y: cascade.Labels(y...)}), append(soft, cascade.Example{Y: g.side(t)})
	}
	return hard, soft
}

var loop = recognizer{
	letters: 3,
	start:   []float64{.6, .3, .1},
	next:    [][]float64{{.05, .9, .05}, {.1, .1, .8}, {.85, .05, .1}},
	channel: [][]float64{{.9, .1, 0}, {0, .9, .1}, {.1, 0, .9}},
}

// TestTrainedOnGuesses: EM never lowers the likelihood of soft strings. If the recognizer is
// nearly certain, a language model and a channel trained on them equal the ones trained on the
// strings themselves. If it is uncertain, they are near the truth for many strings.
func TestTrainedOnGuesses(t *testing.T) {
	r := loop
	train := func(data []cascade.Example) []float64 {
		problem, _ := r.problem(t, em.Multinomial{})
		l := likelihood(t, problem, cascade.Data{Examples: data, Strategy: cascade.ByBlocks})
		result, err := em.Fit(t.Context(), l, &em.Options{Iterations: 200, Tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(result.Objective); i++ {
			if result.Objective[i] < result.Objective[i-1]-1e-9 {
				t.Fatalf("iteration %d lowers the objective from %v to %v", i, result.Objective[i-1], result.Objective[i])
			}
		}
		return result.Theta
	}
	distance := func(a, b []float64) (most float64) {
		for i := range a {
			most = max(most, math.Abs(a[i]-b[i]))
		}
		return most
	}
	rng := rand.New(rand.NewPCG(1, 9))
	for _, noise := range []float64{1e-2, 1e-4, 1e-6} {
		hard, soft := r.strings(t, rand.New(rand.NewPCG(1, 8)), 30, 20, noise)
		off := distance(train(hard), train(soft))
		t.Logf("noise %g: off by %.2g", noise, off)
		if off > noise {
			t.Errorf("noise %g: off what strings give by %g", noise, off)
		}
	}
	_, soft := r.strings(t, rng, 150, 30, .2)
	truth := slices.Concat(slices.Concat(r.next...), r.start, slices.Concat(r.channel...))
	off := distance(train(soft), truth)
	t.Logf("noise .2: off the truth by %.2g", off)
	if off > .1 {
		t.Errorf("noise .2: off the truth by %g", off)
	}
}

// TestLongRecording: 10⁵ frames without a lattice, whose likelihood is a closed form: a unigram
// model reads frame after frame.
func TestLongRecording(t *testing.T) {
	const n, symbols = 100_000, 4
	params := em.NewParams()
	g, k := params.Group("unigram", symbols+1, em.Multinomial{}), params.Space()
	b := fst.NewBuilder(k)
	b.AddStart(b.AddState(), k.One())
	for v := range int32(symbols) {
		b.AddArc(0, arc(v+1, v+1, g.Weight(int(v)), 0))
	}
	b.SetFinal(0, g.Weight(symbols))
	theta := []float64{.4, .3, .2, .05, .05}
	rng := rand.New(rand.NewPCG(2, 2))
	p := make([]float64, n*symbols)
	want, counts := math.Log(theta[symbols]), []float64{0, 0, 0, 0, 1}
	for t := range n {
		frame := p[t*symbols : (t+1)*symbols]
		sum, z := 0.0, 0.0
		for v := range frame {
			frame[v] = rng.ExpFloat64()
			sum += frame[v]
		}
		for v := range frame {
			frame[v] /= sum
			z += theta[v] * frame[v]
		}
		want += math.Log(z)
		for v := range frame {
			counts[v] += theta[v] * frame[v] / z
		}
	}
	e := must(frames.Probabilities(n, symbols, p, nil))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, b)}}
	got := expectation(t, likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{Y: cascade.Soft(e, nil)}}}), em.Query{Theta: theta})
	if got.WithoutLattice != 1 || !closeTo(got.LogLikelihood, want, 1e-11) {
		t.Errorf("%d without a lattice, log likelihood %v, want %v", got.WithoutLattice, got.LogLikelihood, want)
	}
	for i, c := range counts {
		if !closeTo(got.Counts[i], c, 1e-10) {
			t.Errorf("count %d is %v, want %v", i, got.Counts[i], c)
		}
	}
}
