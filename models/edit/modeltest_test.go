package edit_test

import (
	"context"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// editor is a model with a predictor, and its chunks if it is one of chunks.
type editor struct {
	*edit.Model
	*edit.Predictor
	chunks []pairgram.Chunk
	prior  float64
}

// pair is an example.
type pair struct {
	x, y   []int32
	weight float64
}

// symbols are 1 to 3, and ε.
const symbols = 4

func number(e edit.Edit) int { return int(e.Source)*symbols + int(e.Target) }

// enumerate yields all ways to edit x into y, as numbers of edits, and their probabilities.
func (m *editor) enumerate(x pair) iter.Seq2[[]int, float64] {
	if m.chunks != nil {
		return m.cuts(x)
	}
	empty, err := m.LogProb(nil, nil) // the weight of the end
	return func(yield func([]int, float64) bool) {
		if err != nil {
			return
		}
		waysTo(x.x, x.y, nil, func(way []edit.Edit) {
			p, list := math.Exp(empty), make([]int, len(way))
			for i, e := range way {
				p *= m.Prob(e)
				list[i] = number(e)
			}
			yield(list, p)
		})
	}
}

// cuts yields all ways to cut x into chunks. In a chunk the first symbol becomes the first.
func (m *editor) cuts(x pair) iter.Seq2[[]int, float64] {
	return func(yield func([]int, float64) bool) {
		var cut func(x, y []int32, list []int, p float64)
		cut = func(x, y []int32, list []int, p float64) {
			if len(x)+len(y) == 0 {
				yield(list, p)
			}
			for i, c := range m.chunks {
				a, b := len(c.Source), len(c.Target)
				if a > len(x) || b > len(y) || !slices.Equal(c.Source, x[:a]) || !slices.Equal(c.Target, y[:b]) {
					continue
				}
				longer := slices.Clone(list)
				for k := range max(a, b) {
					var e edit.Edit
					if k < a {
						e.Source = c.Source[k]
					}
					if k < b {
						e.Target = c.Target[k]
					}
					longer = append(longer, number(e))
				}
				cut(x[a:], y[b:], longer, p*m.Theta[i]*math.Exp(-m.prior*float64(max(1, a)*max(1, b)-1)))
			}
		}
		cut(x.x, x.y, nil, m.Theta[len(m.chunks)])
	}
}

func (m *editor) posteriors(x pair) ([]float64, error) {
	edits, err := m.Posteriors(x.x, x.y)
	list := make([]float64, symbols*symbols)
	for e, n := range edits {
		list[number(e)] += n
	}
	return list, err
}

func (m *editor) best(x pair) ([]int, float64, error) {
	script, err := m.Best(x.x, x.y)
	list := make([]int, len(script.Edits))
	for i, e := range script.Edits {
		list[i] = number(e)
	}
	return list, script.LogProb, err
}

func (m *editor) data(data []pair, policy em.Policy) cascade.Data {
	d := cascade.Data{Underivable: policy}
	for _, x := range data {
		read, ok := m.Labels(x.x)
		if !ok {
			read = []int32{1 << 20} // which no arc reads
		}
		d.Examples = append(d.Examples, cascade.Example{X: cascade.Labels(read...), Y: cascade.Labels(x.y...), Weight: em.Times(x.weight)})
	}
	return d
}

func predicting(m *edit.Model, err error) (*editor, error) {
	if err != nil {
		return nil, err
	}
	p, err := m.Predictor()
	return &editor{Model: m, Predictor: p}, err
}

// promises are those of models that make returns.
func promises(make func(rng *rand.Rand) *editor) modeltest.Model[*editor, pair] {
	m := modeltest.Model[*editor, pair]{
		New:     make,
		Example: func(rng *rand.Rand, _ *editor) pair { return pair{randomString(rng, 4), randomString(rng, 4), 1} },
		Impossible: func(rng *rand.Rand, _ *editor) pair {
			return pair{append(randomString(rng, 3), 7), randomString(rng, 3), 1}
		},
		Enumerate:  (*editor).enumerate,
		LogProb:    func(m *editor, x pair) (float64, error) { return m.LogProb(x.x, x.y) },
		Posteriors: (*editor).posteriors,
		Best:       (*editor).best,
		Likelihood: func(m *editor, data []pair, policy em.Policy) (em.Likelihood, error) {
			return m.Likelihood(m.data(data, policy))
		},
		Fit: func(ctx context.Context, m *editor, data []pair, opts *em.Options) (*em.Result, error) {
			return m.Fit(ctx, m.data(data, em.Fail), opts)
		},
		Theta: func(m *editor) []float64 { return m.Theta },
		Weigh: func(x pair, weight float64) pair { return pair{x.x, x.y, weight} },
		Save:  func(m *editor, w io.Writer) error { return m.Save(w) },
		Load:  func(r io.Reader) (*editor, error) { return predicting(edit.Load(r)) },
		// The weights of a machine in a file need not be probabilities.
		Unbounded: true,
		Refuses:   []error{semiring.ErrDiverges},
		Lacks:     map[string]string{"Sample": "a predictor draws no edits; the machine is one of package fst, which does"},
	}
	m.Data = func(rng *rand.Rand, c *editor) pair {
		for {
			x := m.Example(rng, c)
			if log, err := c.LogProb(x.x, x.y); err == nil && !math.IsInf(log, -1) {
				return x
			}
		}
	}
	return m
}

func TestPromises(t *testing.T) {
	letters := []int32{1, 2}
	for name, model := range map[string]func() (*edit.Model, error){
		"Joint":       func() (*edit.Model, error) { return edit.NewJoint(letters, letters, em.Multinomial{}) },
		"Conditional": func() (*edit.Model, error) { return edit.NewConditional(letters, letters, em.Dirichlet{Alpha: 1.5}) },
	} {
		t.Run(name, func(t *testing.T) {
			modeltest.Check(t, promises(func(rng *rand.Rand) *editor {
				m := must(model())
				m.Theta = m.Params.Random(rng)
				return must(predicting(m, nil))
			}))
		})
	}
	t.Run("Chunks", func(t *testing.T) {
		modeltest.Check(t, promises(func(rng *rand.Rand) *editor {
			chunks, prior := randomChunks(rng, 1+rng.IntN(30)), []float64{0, .3}[rng.IntN(2)]
			m := must(edit.NewChunks(chunks, prior, em.Multinomial{}))
			m.Theta = m.Params.Random(rng)
			e := must(predicting(m, nil))
			e.chunks, e.prior = chunks, prior
			return e
		}))
	})
	t.Run("Contextual", func(t *testing.T) {
		m := promises(func(rng *rand.Rand) *editor {
			var data []edit.Pair
			for range 30 {
				data = append(data, edit.Pair{Source: randomString(rng, 6), Target: randomString(rng, 6)})
			}
			windows := []edit.Window{{}, {Right: 1}, {Left: 1, Right: 1}}
			c := must(edit.NewContextual(letters, data, &edit.ContextOptions{Windows: windows, MinCount: 2, Prior: 5}))
			must(c.Fit(t.Context(), data, &em.Options{Iterations: 2}))
			return must(predicting(&c.Model, nil))
		})
		m.Enumerate = nil
		m.Lacks["Enumerate"] = "contexts have names that only the model knows: TestContextualScores tries everything, TestExpected has the edits"
		m.Seeds = 10
		modeltest.Check(t, m)
	})
}

// randomChunks returns distinct chunks of up to two symbols on either side, of which a pair of
// single symbols is one.
func randomChunks(rng *rand.Rand, n int) []pairgram.Chunk {
	chunks := []pairgram.Chunk{{Source: []int32{1}, Target: []int32{2}}}
	for range n {
		c := pairgram.Chunk{Source: randomString(rng, 2), Target: randomString(rng, 2)}
		known := slices.ContainsFunc(chunks, func(o pairgram.Chunk) bool {
			return slices.Equal(o.Source, c.Source) && slices.Equal(o.Target, c.Target)
		})
		if len(c.Source)+len(c.Target) > 0 && !known {
			chunks = append(chunks, c)
		}
	}
	return chunks
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
