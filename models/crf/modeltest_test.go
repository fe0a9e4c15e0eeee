package crf_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring"
)

// tagger is a predictor, and the model that it has the weights of.
type tagger struct {
	*crf.Predictor
	model *crf.Model
}

// example is a sequence whose labels are hidden or not.
type example struct {
	labeled
	hidden bool
}

// labelings returns the possible labelings of x.
func (p *tagger) labelings(x example) [][]string {
	if !x.hidden {
		return [][]string{x.labels}
	}
	return labelings(p.Labels(), len(x.labels))
}

// numbers returns the numbers of labels: t·all + i for label i at t.
func (p *tagger) numbers(labels []string) []int {
	list := make([]int, len(labels))
	for t, y := range labels {
		list[t] = t*len(p.Labels()) + slices.Index(p.Labels(), y)
	}
	return list
}

// logProb returns ln P of what may be hidden, all of which should sum to 1.
func (p *tagger) logProb(x example) (float64, error) {
	if !x.hidden {
		return p.LogProb(x.labels, x.features)
	}
	sum := 0.0
	for _, y := range p.labelings(x) {
		log, err := p.LogProb(y, x.features)
		if err != nil {
			return 0, err
		}
		sum += math.Exp(log)
	}
	return math.Log(sum), nil
}

// byWeights compares ln P of each labeling with the definition. Differences of weights above 1e6
// have no digits left to compare.
func (p *tagger) byWeights(x example) error {
	largest := 1.0
	for _, y := range p.Labels() {
		for _, a := range names {
			largest = max(largest, math.Abs(p.Weight(a, y)))
		}
		for _, z := range p.Labels() {
			largest = max(largest, math.Abs(p.Transition(y, z)))
		}
	}
	if largest > 1e6 {
		return nil
	}
	for _, y := range p.labelings(x) {
		got, err := p.LogProb(y, x.features)
		if want := logProb(p.Predictor, x.labeled, y); err != nil || !near(got, want, 1e-11*largest) {
			return fmt.Errorf("ln P(%v) is %.17g, error %v, want %.17g", y, got, err, want)
		}
	}
	return nil
}

func collected(data []example) *crf.Data {
	all := make([]labeled, len(data))
	for i, x := range data {
		all[i] = x.labeled
	}
	return collect(all)
}

func TestPromises(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) { modeltest.Check(t, promises(kind)) })
	}
}

func promises(kind crf.Kind) modeltest.Model[*tagger, example] {
	m := modeltest.Model[*tagger, example]{
		New: func(rng *rand.Rand) *tagger {
			_, d := randomData(rng, 1+rng.IntN(3), 4, 4)
			model := must(crf.New(kind, d, em.LogLinearOptions{Sigma: 1}))
			for i := range model.Theta {
				if rng.IntN(5) > 0 {
					model.Theta[i] = rng.NormFloat64()
				}
			}
			return &tagger{must(model.Predictor()), model}
		},
		Example: func(rng *rand.Rand, p *tagger) example { return example{known(rng, p), true} },
		Data:    func(rng *rand.Rand, p *tagger) example { return example{known(rng, p), false} },
		Enumerate: func(p *tagger, x example) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				for _, y := range p.labelings(x) {
					if !yield(p.numbers(y), math.Exp(logProb(p.Predictor, x.labeled, y))) {
						return
					}
				}
			}
		},
		LogProb: (*tagger).logProb,
		Posteriors: func(p *tagger, x example) ([]float64, error) {
			rows, err := p.Posteriors(len(x.labels), x.features)
			return slices.Concat(rows...), err
		},
		Best: func(p *tagger, x example) ([]int, float64, error) {
			y, err := p.Best(len(x.labels), x.features)
			if err != nil {
				return nil, 0, err
			}
			log, err := p.LogProb(y, x.features)
			return p.numbers(y), log, err
		},
		Likelihood: func(p *tagger, data []example, _ em.Policy) (em.Likelihood, error) {
			return p.model.Likelihood(collected(data))
		},
		Fit: func(ctx context.Context, p *tagger, data []example, opts *em.Options) (*em.Result, error) {
			return p.model.Fit(ctx, collected(data), opts)
		},
		Theta: func(p *tagger) []float64 { return p.model.Theta },
		Save:  func(p *tagger, w io.Writer) error { return p.Save(w) },
		Load: func(r io.Reader) (*tagger, error) {
			p, err := crf.Load(r)
			return &tagger{Predictor: p}, err
		},
		Fields:  fields(kind),
		Others:  (*tagger).byWeights,
		Refuses: []error{semiring.ErrNotFinite},
		Seeds:   120,
		Lacks: map[string]string{
			"Impossible": "all labelings have positive probabilities",
			"Weigh":      "sequences have no weights",
			"Sample":     "Trellis has a graph, which draws paths",
			"BestPaths":  "the labels compete with the best ones, so that the likelihood is no ln P of a path",
		},
	}
	// A file of the version before.
	older := strings.NewReplacer(`"A"`, `"L0"`, `"B"`, `"L1"`, `"x"`, `"a0"`, `"y"`, `"a1"`, `"kind":"crf"`, `"kind":"`+kind.String()+`"`).Replace(good)
	if kind == crf.Node {
		older = strings.Replace(older, "[0,1,2,3]", "[]", 1)
	}
	m.Older = [][]byte{[]byte(older)}
	return m
}

// fields returns the content of a small file of a kind.
func fields(kind crf.Kind) func(*tagger) (any, func() ([]byte, error)) {
	return func(*tagger) (any, func() ([]byte, error)) {
		f := &crf.File{
			Kind: kind.String(), Labels: []string{"L0", "L1"}, Transitions: []float64{0, 1, 2, 3},
			Attributes: []string{"a0", "a1"}, Row: []int32{0, 1, 3}, Label: []int32{1, 0, 1}, Weight: []float64{4, 5, 6},
		}
		if kind == crf.Node {
			f.Transitions = nil
		}
		return f, func() ([]byte, error) {
			var b bytes.Buffer
			err := crf.FileFormat.Write(&b, f)
			return b.Bytes(), err
		}
	}
}

// known returns a sequence labeled by the predictor.
func known(rng *rand.Rand, p *tagger) labeled {
	s := randomSequence(rng, 1, rng.IntN(5))
	for i := range s.labels {
		s.labels[i] = p.Labels()[rng.IntN(len(p.Labels()))]
	}
	return s
}

// TestTrellis: the paths of the trellis are all labelings, best first.
func TestTrellis(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		p := promises(kinds[seed%3]).New(rng)
		checkTrellis(t, p.Predictor, known(rng, p))
	}
}
