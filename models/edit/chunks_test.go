package edit

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// randomChunks returns distinct chunks of up to three symbols on either side.
func randomChunks(rng *rand.Rand, n int) []pairgram.Chunk {
	var chunks []pairgram.Chunk
	seen := map[string]bool{}
	for range n {
		c := pairgram.Chunk{Source: randomString(rng, 3), Target: randomString(rng, 3)}
		if name := fmt.Sprint(c); len(c.Source)+len(c.Target) > 0 && !seen[name] {
			seen[name] = true
			chunks = append(chunks, c)
		}
	}
	return append(chunks, pairgram.Chunk{Source: []int32{1, 2, 3, 1}})
}

// cuts calls visit with every way to cut a pair into chunks, by number.
func cuts(chunks []pairgram.Chunk, x, y []int32, so []int, visit func([]int)) {
	if len(x)+len(y) == 0 {
		visit(so)
	}
	for i, c := range chunks {
		if len(c.Source) <= len(x) && len(c.Target) <= len(y) && slices.Equal(c.Source, x[:len(c.Source)]) && slices.Equal(c.Target, y[:len(c.Target)]) {
			cuts(chunks, x[len(c.Source):], y[len(c.Target):], append(so[:len(so):len(so)], i), visit)
		}
	}
}

// probability is that of a way to cut.
func probability(chunks []pairgram.Chunk, theta []float64, lambda float64, way []int) float64 {
	p := theta[len(chunks)]
	for _, i := range way {
		cells := max(1, len(chunks[i].Source)) * max(1, len(chunks[i].Target))
		p *= theta[i] * math.Exp(-lambda*float64(cells-1))
	}
	return p
}

// TestChunks compares the total with that of a geometric series, which is 1 without a prior, and
// the probabilities of single symbols with the parameters. TestPromises has those of pairs.
func TestChunks(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 20))
		chunks := randomChunks(rng, 1+rng.IntN(40))
		lambda := []float64{0, .3}[rng.IntN(2)]
		m, err := NewChunks(chunks, lambda, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m.Theta = m.Params.Random(rng)
		s, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		again := 0.
		for i := range chunks {
			again += probability(chunks, m.Theta, lambda, []int{i}) / m.Theta[len(chunks)]
		}
		want := m.Theta[len(chunks)] / (1 - again)
		total, err := graph.PathSum(s.machine.Graph())
		if err != nil || math.Abs(total.Float64()-want) > 1e-9*want || lambda == 0 && math.Abs(want-1) > 1e-9 {
			t.Fatalf("seed %d: all pairs have %g (%v), want %g", seed, total.Float64(), err, want)
		}
		for i, c := range chunks {
			want := m.Theta[i]
			if len(c.Source) == 1 && len(c.Target) == 1 {
				if got := s.Prob(Edit{c.Source[0], c.Target[0]}); math.Abs(got-want) > 1e-12 {
					t.Fatalf("seed %d: %v has the probability %g, want %g", seed, c, got, want)
				}
			}
		}
	}
}

// TestChunksFit compares an iteration of EM with counts over all ways to cut.
func TestChunksFit(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 21))
		pairs := make([]pairgram.Pair, 6)
		for i := range pairs {
			pairs[i] = pairgram.Pair{Source: randomString(rng, 5), Target: randomString(rng, 5), Weight: em.Times(1 + rng.Float64())}
		}
		pairs[0].Source = []int32{1}
		aligner, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: []pairgram.Size{{Source: 1, Target: 0}, {Source: 0, Target: 1}, {Source: 1, Target: 1}, {Source: 2, Target: 1}, {Source: 1, Target: 3}}})
		if err != nil {
			t.Fatal(err)
		}
		chunks, lambda := aligner.Chunks().All(), rng.Float64()
		m, err := NewChunks(chunks, lambda, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m.Theta = m.Params.Random(rng)
		counts := make([]float64, len(m.Theta))
		var data cascade.Data
		all := 0.
		for _, p := range pairs {
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(p.Source...), Y: cascade.Labels(p.Target...), Weight: p.Weight})
			sum := 0.
			cuts(chunks, p.Source, p.Target, nil, func(way []int) { sum += probability(chunks, m.Theta, lambda, way) })
			cuts(chunks, p.Source, p.Target, nil, func(way []int) {
				w := p.Weight.Float64() * probability(chunks, m.Theta, lambda, way) / sum
				for _, i := range append(way, len(chunks)) {
					counts[i] += w
					all += w
				}
			})
		}
		if _, err := m.Fit(t.Context(), data, &em.Options{Iterations: 1, Tolerance: -1}); err != nil {
			t.Fatal(err)
		}
		for i, n := range counts {
			if math.Abs(m.Theta[i]-n/all) > 1e-9 {
				t.Fatalf("seed %d: parameter %d is %g, want %g", seed, i, m.Theta[i], n/all)
			}
		}
	}
}

// TestChunksAreAModel: one is saved and loaded, it corrects words, and is a machine that
// chooses with probabilities.
func TestChunksAreAModel(t *testing.T) {
	f, g, p, h := int32(1), int32(2), int32(3), int32(4)
	chunks := []pairgram.Chunk{{Source: []int32{f}, Target: []int32{p, h}}, {Source: []int32{g}, Target: []int32{g}}, {Source: []int32{f}, Target: []int32{f}}, {Source: []int32{g}, Target: []int32{p}}, {Source: []int32{g}, Target: []int32{h}}}
	m, err := NewChunks(chunks, 0, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m.Theta = []float64{.2, .3, .3, .05, .05, .1}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := cascade.Instantiate(loaded.Params, loaded.Stages[0], loaded.Theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := cascade.MarkovianJoint(machine, 1e-12); err != nil || found.Err() != nil {
		t.Errorf("%v, %+v", err, found)
	}
	words := []Word{{[]int32{g, g, g}, 1}, {[]int32{f, g}, 1}, {[]int32{f, f}, 1}}
	c, err := NewCorrector(loaded, words, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.Best(t.Context(), []int32{p, h, g}, 3)
	if err != nil || len(found) != 2 || found[0].Word != 1 || math.Abs(found[0].LogProb-math.Log(.2*.3*.1)) > 1e-9 || found[1].Word != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestNoChunks: without chunks all pairs are empty.
func TestNoChunks(t *testing.T) {
	m, err := NewChunks(nil, 0, em.Multinomial{})
	if err != nil || len(m.Theta) != 1 || m.Theta[0] != 1 {
		t.Errorf("%v, %v", m, err)
	}
}
