package modeltest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/em"
)

// tolerance bounds the rounding of an answer, relative or absolute.
const tolerance = 1e-9

func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// one is a hidden list and its probability.
type one struct {
	list []int
	p    float64
}

// hidden returns all hidden lists of x, and the sum of their probabilities.
func (m *Model[M, X]) hidden(model M, x X) (all []one, sum float64) {
	for list, p := range m.Enumerate(model, x) {
		all = append(all, one{slices.Clone(list), p})
		sum += p
	}
	return all, sum
}

// total compares LogProb with the sum of all probabilities, for examples of each kind.
func total[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	examples := []X{m.Example(rng, model)}
	if m.Data != nil {
		examples = append(examples, m.Data(rng, model))
	}
	for _, x := range examples {
		_, sum := m.hidden(model, x)
		got, err := m.LogProb(model, x)
		if err != nil && !(sum == 0 && errors.Is(err, em.ErrUnderivable)) {
			return fmt.Errorf("ln P(%v): %w", x, err)
		}
		if want := math.Log(sum); err == nil && !near(got, want, m.slack(tolerance)) {
			return fmt.Errorf("ln P(%v) is %.17g, want %.17g", x, got, want)
		}
	}
	return nil
}

// posterior compares expected numbers with the enumeration.
func posterior[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	x := m.Example(rng, model)
	all, sum := m.hidden(model, x)
	got, err := m.Posteriors(model, x)
	if sum == 0 {
		return underivable("Posteriors", x, err)
	}
	if err != nil {
		return fmt.Errorf("posteriors of %v: %w", x, err)
	}
	want := make([]float64, len(got))
	for _, h := range all {
		for _, k := range h.list {
			if h.p > 0 && k >= len(want) {
				return fmt.Errorf("%d posteriors of %v, but %d has the probability %g", len(got), x, k, h.p)
			}
			if k < len(want) {
				want[k] += h.p / sum
			}
		}
	}
	for k, w := range want {
		if !near(got[k], w, m.slack(tolerance)) {
			return fmt.Errorf("posterior %d of %v is %.17g, want %.17g", k, x, got[k], w)
		}
	}
	return nil
}

// maximum checks that Best returns one of the most probable lists, and its probability.
func maximum[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	x := m.Example(rng, model)
	all, sum := m.hidden(model, x)
	list, log, err := m.Best(model, x)
	if sum == 0 {
		return underivable("Best", x, err)
	}
	if err != nil {
		return fmt.Errorf("best of %v: %w", x, err)
	}
	most, found := 0.0, 0.0
	for _, h := range all {
		most = max(most, h.p)
		if slices.Equal(h.list, list) {
			found = max(found, h.p)
		}
	}
	if !near(log, math.Log(most), m.slack(tolerance)) {
		return fmt.Errorf("the best of %v has ln P %.17g, want %.17g", x, log, math.Log(most))
	}
	if !near(math.Log(found), math.Log(most), m.slack(tolerance)) {
		return fmt.Errorf("the best of %v is %v of probability %g, want one of %g", x, list, found, most)
	}
	return nil
}

// samples is the number of draws, and sigmas the deviation that fails.
const (
	samples = 4000
	sigmas  = 5
)

// frequencies compares the frequency of each hidden list with its probability.
func frequencies[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	draw := m.Blank
	if draw == nil {
		draw = m.Example
	}
	x := draw(rng, model)
	all, sum := m.hidden(model, x)
	if sum == 0 {
		_, err := m.Sample(model, x, rng)
		return underivable("Sample", x, err)
	}
	probability, frequency := map[string]float64{}, map[string]int{}
	for _, h := range all {
		probability[fmt.Sprint(h.list)] += h.p / sum
	}
	for range samples {
		list, err := m.Sample(model, x, rng)
		if err != nil {
			return fmt.Errorf("sample of %v: %w", x, err)
		}
		key := fmt.Sprint(list)
		if !(probability[key] > 0) {
			return fmt.Errorf("sample %s of %v has no probability", key, x)
		}
		frequency[key]++
	}
	for key, p := range probability {
		got := float64(frequency[key]) / samples
		if math.Abs(got-p) > sigmas*math.Sqrt(p*(1-p)/samples)+sigmas/float64(samples) {
			return fmt.Errorf("%s was drawn from %v with the frequency %g, want %g", key, x, got, p)
		}
	}
	return nil
}

// underivable returns an error unless err is the required error for a query of probability 0.
func underivable(question string, x any, err error) error {
	if !errors.Is(err, em.ErrUnderivable) {
		return fmt.Errorf("%s of %v, which has probability 0: error %w, want ErrUnderivable", question, x, orNone(err))
	}
	return nil
}

// errNone stands for nil in messages.
var errNone = errors.New("none")

func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// zero makes all queries for an example of probability 0.
func zero[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	x := m.Impossible(rng, model)
	if m.LogProb != nil {
		if got, err := m.LogProb(model, x); !errors.Is(err, em.ErrUnderivable) && (err != nil || !math.IsInf(got, -1)) {
			return fmt.Errorf("ln P(%v) is %g, error %w, want -Inf", x, got, orNone(err))
		}
	}
	if m.Posteriors != nil {
		_, err := m.Posteriors(model, x)
		if err := underivable("Posteriors", x, err); err != nil {
			return err
		}
	}
	if m.Best != nil {
		_, _, err := m.Best(model, x)
		return underivable("Best", x, err)
	}
	return nil
}

// goroutines checks that a model gives several concurrent goroutines the same answers as a
// single one.
func goroutines[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	examples := make([]X, 30)
	want := make([]answers, len(examples))
	for i := range examples {
		examples[i] = m.Example(rng, model)
		want[i] = m.ask(model, examples[i])
	}
	var group sync.WaitGroup
	errs := make([]error, 4)
	for g := range errs {
		group.Go(func() {
			for i := range examples {
				i = (i + 7*g) % len(examples)
				if errs[g] == nil {
					errs[g] = want[i].differ(m.ask(model, examples[i]), 0)
				}
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// answers has the answers to all queries about an example.
type answers struct {
	log, bestLog             float64
	posteriors               []float64
	best                     []int
	logErr, postErr, bestErr error
}

func (m *Model[M, X]) ask(model M, x X) (a answers) {
	if m.LogProb != nil {
		a.log, a.logErr = m.LogProb(model, x)
	}
	if m.Posteriors != nil {
		a.posteriors, a.postErr = m.Posteriors(model, x)
	}
	if m.Best != nil {
		a.best, a.bestLog, a.bestErr = m.Best(model, x)
	}
	return a
}

// differ returns an error unless b equals a, up to rounding, or to the last bit if rounding is
// 0.
func (a answers) differ(b answers, rounding float64) error {
	if (a.logErr == nil) != (b.logErr == nil) || (a.postErr == nil) != (b.postErr == nil) || (a.bestErr == nil) != (b.bestErr == nil) {
		return fmt.Errorf("other errors: %v, %v, %v, and %v, %v, %v", a.logErr, a.postErr, a.bestErr, b.logErr, b.postErr, b.bestErr)
	}
	alike := func(a, b float64) bool { return near(a, b, rounding) }
	if !alike(a.log, b.log) || !alike(a.bestLog, b.bestLog) || !slices.EqualFunc(a.posteriors, b.posteriors, alike) || !slices.Equal(a.best, b.best) {
		return fmt.Errorf("other answers: %+v and %+v", a, b)
	}
	return nil
}
