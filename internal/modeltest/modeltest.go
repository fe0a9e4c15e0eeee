// Package modeltest checks models. The idea: every model has a hidden part, answers the same
// queries about it, is trained by the same methods and is saved in a file. So one function
// checks all models, and a model provides random models, examples and an enumeration of its
// hidden part.
package modeltest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// Model describes a kind of model: M is a model at fixed parameters, X an example. The hidden
// part is a list of numbers, such as t·states + i for state i at position t. Every function
// that is nil, and every check that does not apply, needs a reason in Lacks.
type Model[M, X any] struct {
	// New returns a random model, and Example a random example for it, whose probability may be
	// 0. Both are determined by the state of rng.
	New     func(rng *rand.Rand) M
	Example func(rng *rand.Rand, m M) X

	// Data returns an example for training, and Blank one for samples; nil: Example. Examples
	// of Data have a positive probability.
	Data, Blank func(rng *rand.Rand, m M) X

	// Impossible returns an example of probability 0.
	Impossible func(rng *rand.Rand, m M) X

	// Enumerate yields all hidden lists of x, with the joint probability of the list and x,
	// computed without the code under test.
	Enumerate func(m M, x X) iter.Seq2[[]int, float64]

	// LogProb returns ln P(x).
	LogProb func(m M, x X) (float64, error)
	// Posteriors returns the expected number of occurrences of each number in the hidden list.
	Posteriors func(m M, x X) ([]float64, error)
	// Best returns the most probable hidden list and ln of its joint probability with x.
	Best func(m M, x X) ([]int, float64, error)
	// Sample draws the hidden list of x, an example made by Blank.
	Sample func(m M, x X, src rand.Source) ([]int, error)

	// Likelihood and Fit are the methods of the model, and Theta returns its parameters. Fit
	// starts at Theta.
	Likelihood func(m M, data []X, policy em.Policy) (em.Likelihood, error)
	Fit        func(ctx context.Context, m M, data []X, opts *em.Options) (*em.Result, error)
	Theta      func(m M) []float64
	// Weigh returns x with another weight; the default weight is 1.
	Weigh func(x X, weight float64) X

	// Save and Load write and read the file of a model.
	Save func(m M, w io.Writer) error
	Load func(r io.Reader) (M, error)

	// Fields returns a pointer to the contents of the file of m, and a function that returns
	// the file for them. It is for files that are not JSON; if it is nil, only the bytes of
	// files are changed.
	Fields func(m M) (fields any, file func() ([]byte, error))
	// Older are files in older formats that Load reads.
	Older [][]byte
	// Others makes the remaining queries of a model, and returns an error for an invalid
	// answer. It may be nil.
	Others func(m M, x X) error

	// Lacks names the functions that are nil and the checks that do not apply, with the reason.
	// A check that it names must fail.
	Lacks map[string]string

	// Merged: the likelihood merges equal examples into one, whose name has the index of the
	// first.
	Merged    bool
	Heuristic bool    // the objective of Fit may fall
	Unbounded bool    // ln P may be above 0: a density, or weights that are not probabilities
	Seeds     uint64  // random models of each check (0: 60); costly checks use a fraction
	Examples  int     // of the data of each model (0: 12)
	Slack     float64 // of a comparison with an enumeration or a difference (0: 1e-9 and 1e-6)
	// Rounding bounds the changes by examples of weight 0, and by saving and loading, due to
	// the order of sums (0: bits are equal).
	Rounding float64
	// Refuses are errors, besides ErrUnderivable and ErrInvalid, that queries of a model from a
	// damaged file may return.
	Refuses []error
}

// Check fails t for each part of the contract that the model violates.
func Check[M, X any](t *testing.T, m Model[M, X]) {
	t.Helper()
	for _, err := range m.unsaid() {
		t.Error(err)
	}
	for _, c := range checks[M, X]() {
		if m.lacking(c.needs...) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			err := c.all(&m, t)
			if reason, ok := m.Lacks[c.name]; ok {
				if err == nil {
					t.Errorf("holds, but Lacks says %q", reason)
				}
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// check is one part of the contract of a model.
type check[M, X any] struct {
	name  string
	needs []string // functions
	share uint64   // divisor of the number of seeds
	run   func(m *Model[M, X], rng *rand.Rand, t testing.TB) error
}

func checks[M, X any]() []check[M, X] {
	return []check[M, X]{
		{"Total", []string{"Enumerate", "LogProb"}, 1, total[M, X]},
		{"Posterior", []string{"Enumerate", "Posteriors"}, 1, posterior[M, X]},
		{"Maximum", []string{"Enumerate", "Best"}, 1, maximum[M, X]},
		{"Frequencies", []string{"Enumerate", "Sample"}, 10, frequencies[M, X]},
		{"Zero", []string{"Impossible"}, 5, zero[M, X]},
		{"Goroutines", []string{"LogProb"}, 10, goroutines[M, X]},
		{"Objective", []string{"Likelihood", "Theta", "LogProb"}, 1, objective[M, X]},
		{"Differences", []string{"Likelihood", "Theta"}, 1, differences[M, X]},
		{"Temperature", []string{"Likelihood", "Theta"}, 1, temperature[M, X]},
		{"Curvature", []string{"Likelihood", "Theta"}, 1, curvature[M, X]},
		{"Query", []string{"Likelihood", "Theta"}, 5, query[M, X]},
		{"Viterbi", []string{"Likelihood", "Theta"}, 5, viterbi[M, X]},
		{"BestPaths", []string{"Likelihood", "Theta", "Best"}, 1, bestPaths[M, X]},
		{"WeightZero", []string{"Likelihood", "Theta", "Weigh"}, 1, weightZero[M, X]},
		{"Skipped", []string{"Likelihood", "Theta", "Impossible"}, 1, skipped[M, X]},
		{"Underivable", []string{"Likelihood", "Theta", "Impossible"}, 1, refused[M, X]},
		{"Workers", []string{"Fit"}, 5, workers[M, X]},
		{"Resume", []string{"Fit"}, 15, resume[M, X]},
		{"Canceled", []string{"Fit"}, 5, canceled[M, X]},
		{"NilContext", []string{"Fit"}, 20, nilContext[M, X]},
		{"RoundTrip", []string{"Save", "Load"}, 1, roundTrip[M, X]},
		{"Truncated", []string{"Save", "Load"}, 20, truncated[M, X]},
		{"Damaged", []string{"Save", "Load"}, 20, damaged[M, X]},
		{"ChangedFields", []string{"Load", "Fields"}, 20, changedFields[M, X]},
	}
}

// all runs the check for all seeds, and returns the first error.
func (c check[M, X]) all(m *Model[M, X], t testing.TB) error {
	n := m.Seeds
	if n == 0 {
		n = 60
	}
	for seed := range trials.Seeds(max(1, n/c.share)) {
		if err := c.run(m, rand.New(rand.NewPCG(seed, 48)), t); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return nil
}

// optional are the functions that may be nil without a reason.
var optional = []string{"Data", "Blank", "Others", "Fields"}

// lacking reports whether one of the functions is nil.
func (m *Model[M, X]) lacking(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return reflect.ValueOf(*m).FieldByName(name).IsNil()
	})
}

// unsaid returns an error for each function that is nil without a reason, and for each reason
// of a function or check that exists.
func (m *Model[M, X]) unsaid() []error {
	var all []error
	known := map[string]bool{}
	for _, c := range checks[M, X]() {
		known[c.name] = !m.lacking(c.needs...)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(*m)) {
		if f.Type.Kind() != reflect.Func || slices.Contains(optional, f.Name) {
			continue
		}
		known[f.Name] = m.lacking(f.Name)
		if _, ok := m.Lacks[f.Name]; known[f.Name] && !ok {
			all = append(all, fmt.Errorf("%s is nil, and Lacks has no reason", f.Name))
		}
	}
	for name, reason := range m.Lacks {
		if !known[name] || reason == "" {
			all = append(all, fmt.Errorf("%s, for which Lacks has %q, is unknown or not lacking", name, reason))
		}
	}
	return all
}

// data returns examples for training, and their weights.
func (m *Model[M, X]) data(rng *rand.Rand, model M) (data []X, weights []float64) {
	draw, n := m.Data, m.Examples
	if draw == nil {
		draw = m.Example
	}
	if n == 0 {
		n = 12
	}
	for range n {
		x, weight := draw(rng, model), 1.0
		if m.Weigh != nil {
			weight = .5 + rng.Float64()
			x = m.Weigh(x, weight)
		}
		data, weights = append(data, x), append(weights, weight)
	}
	return data, weights
}

// slack returns the tolerance of comparisons, at least the given one.
func (m *Model[M, X]) slack(tolerance float64) float64 {
	if m.Slack > tolerance {
		return m.Slack
	}
	return tolerance
}
