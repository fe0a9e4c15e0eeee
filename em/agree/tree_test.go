package agree_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// bracketing is a space whose structures are the binary trees over a few words. The brackets are
// the features; each submodel has its own classes of brackets and a parameter for each class.
type bracketing struct {
	*space
	words int
	spans [][2]int // per feature, inner ones before outer ones
}

func newBracketing(rng *rand.Rand) *bracketing {
	b := &bracketing{space: &space{params: em.NewParams()}, words: 1 + rng.IntN(5)}
	for length := 1; length <= b.words; length++ {
		for i := range b.words - length + 1 {
			b.spans = append(b.spans, [2]int{i, i + length})
		}
	}
	for _, tree := range trees(0, b.words) {
		phi := make([]int, len(b.spans))
		for _, s := range tree {
			phi[b.span(s)]++
		}
		b.feature = append(b.feature, phi)
	}
	for range 1 + rng.IntN(2) {
		b.weight = append(b.weight, 1+rng.Float64())
	}
	for range 1 + rng.IntN(3) {
		classes := b.params.Group(fmt.Sprint("class ", b.params.Len()), 3, em.Multinomial{})
		use := make([][][]int, len(b.weight))
		for x := range use {
			for range b.spans {
				use[x] = append(use[x], []int{classes.First() + rng.IntN(3)})
			}
		}
		domain := make([]bool, len(b.feature))
		for z := range domain {
			domain[z] = true
		}
		b.use, b.domain, b.private = append(b.use, use), append(b.domain, domain), append(b.private, make([][]int, len(domain)))
	}
	return b
}

// span returns the index of the feature of a span.
func (b *bracketing) span(s [2]int) int { return slices.Index(b.spans, s) }

// trees lists the binary trees over the words i … j−1, each by its spans.
func trees(i, j int) (all [][][2]int) {
	if j == i+1 {
		return [][][2]int{{{i, j}}}
	}
	for k := i + 1; k < j; k++ {
		for _, left := range trees(i, k) {
			for _, right := range trees(k, j) {
				all = append(all, slices.Concat(left, right, [][2]int{{i, j}}))
			}
		}
	}
	return all
}

// forests is submodel m.
type forests struct {
	*bracketing
	m     int
	query em.Query
}

func (f *forests) Infer() agree.Inference { return &parsing{forests: f} }

func (f *forests) Begin(q em.Query) error {
	f.query = q
	return nil
}

type parsing struct {
	*forests
	x   int
	sum em.Accumulator
}

func (f *parsing) Posterior(x int) (agree.Posterior, error) {
	f.x = x
	values := f.params.Values(f.query.Theta)
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []semiring.ScaledFloat{}
	for v, s := range f.spans {
		w := values[f.use[f.m][x][v][0]].Pow(f.query.Temperature)
		for k := s[0] + 1; k < s[1]; k++ {
			tails = append(tails, int32(f.span([2]int{s[0], k})), int32(f.span([2]int{k, s[1]})))
			tail, weight = append(tail, int32(len(tails))), append(weight, w)
		}
		if s[1] == s[0]+1 {
			tail, weight = append(tail, int32(len(tails))), append(weight, w)
		}
		edge = append(edge, int32(len(weight)))
	}
	g, err := forest.New(semiring.Scaled{}, edge, tail, tails, weight,
		[]forest.Root[semiring.ScaledFloat]{{Node: int32(len(f.spans) - 1), Weight: semiring.NewScaled(1)}})
	if err != nil {
		return agree.Posterior{}, err
	}
	p, err := forest.Posteriors(g)
	if err != nil {
		return agree.Posterior{}, err
	}
	return agree.Posterior{Features: p.Node, Total: p.Total, Arcs: int64(len(weight))}, nil
}

func (f *parsing) Count(mu []float64, weight float64) {
	f.sum.Grow(f.params.Len(), false)
	for v, q := range mu {
		f.sum.Add(int32(f.use[f.m][f.x][v][0]), weight*q)
	}
}

func (f *parsing) Drain(t *em.Tally) { f.sum.Drain(t) }

// TestTrees compares E steps over forests with sums over all trees.
func TestTrees(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		b := newBracketing(rng)
		theta := b.params.Random(rng)
		var submodels []agree.Submodel
		var terms []em.Likelihood
		for m := range b.submodels() {
			submodels = append(submodels, &forests{bracketing: b, m: m})
			terms = append(terms, must(agree.Likelihood(em.Fail, submodels[m])))
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
