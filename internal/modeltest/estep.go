package modeltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
)

// task is the likelihood of random data at a θ, and the result of its E step there.
type task[M, X any] struct {
	model   M
	data    []X
	weights []float64
	l       em.Likelihood
	theta   []float64
	e       *em.Expectations
}

func (m *Model[M, X]) task(rng *rand.Rand) (task[M, X], error) {
	s := task[M, X]{model: m.New(rng)}
	s.data, s.weights = m.data(rng, s.model)
	s.theta = slices.Clone(m.Theta(s.model))
	var err error
	if s.l, err = m.Likelihood(s.model, s.data, em.Fail); err != nil {
		return s, err
	}
	s.e, err = expect(s.l, em.Query{Theta: s.theta})
	return s, err
}

func expect(l em.Likelihood, q em.Query) (*em.Expectations, error) {
	return l.Expect(context.Background(), q)
}

// objective compares the log likelihood of an E step with the sum of LogProb.
func objective[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	want := 0.0
	for i, x := range s.data {
		log, err := m.LogProb(s.model, x)
		if err != nil {
			return err
		}
		want += s.weights[i] * log
	}
	if !near(s.e.LogLikelihood, want, m.slack(tolerance)) || !m.Merged && s.e.Examples != len(s.data) {
		return fmt.Errorf("log likelihood %.17g of %d examples, want %.17g of %d", s.e.LogLikelihood, s.e.Examples, want, len(s.data))
	}
	return nil
}

// differenceTolerance bounds the error of a divided difference.
const differenceTolerance = 1e-6

// differences compares counts with differences of the log likelihood.
func differences[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	return m.compare(rng, em.Query{})
}

// temperature is like differences, at a temperature: the derivative is β·counts.
func temperature[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	return m.compare(rng, em.Query{Temperature: []float64{.5, 1.7}[rng.IntN(2)]})
}

func (m *Model[M, X]) compare(rng *rand.Rand, q em.Query) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	beta := q.Temperature
	if beta == 0 {
		beta = 1
	}
	q.Theta = s.theta
	e, err := expect(s.l, q)
	if err != nil {
		return err
	}
	at := func(theta []float64) (float64, error) {
		q := q
		q.Theta = theta
		e, err := expect(s.l, q)
		if err != nil {
			return 0, err
		}
		return e.LogLikelihood, nil
	}
	if err := m.singly(s, e.Counts, beta, at); err != nil {
		return err
	}
	return m.together(s, rng, e.Counts, beta, at)
}

// singly changes each parameter that is its own value by a small amount, so that sums remain
// valid.
func (m *Model[M, X]) singly(s task[M, X], counts []float64, beta float64, at func([]float64) (float64, error)) error {
	const h = 2e-7
	values := s.l.Params().Values(s.theta)
	for i, x := range s.theta {
		if values[i].Float64() != x || x == 0 {
			continue
		}
		moved := slices.Clone(s.theta)
		moved[i] = x * (1 + h)
		up, err := at(moved)
		if err != nil {
			return err
		}
		moved[i] = x * (1 - h)
		down, err := at(moved)
		if err != nil {
			return err
		}
		rounding := 1e-15 * math.Abs(up) / h
		if slope := (up - down) / (2 * h); !near(beta*counts[i], slope, m.slack(differenceTolerance)+rounding) {
			return fmt.Errorf("the count of %s is %.9g, by differences %.9g", s.l.Params().Name(int32(i)), counts[i], slope/beta)
		}
	}
	return nil
}

// step is the step of differences along coordinates: a power of 2.
const step = 0x1p-11

// together changes all parameters that have coordinates, in a random direction.
func (m *Model[M, X]) together(s task[M, X], rng *rand.Rand, counts []float64, beta float64, at func([]float64) (float64, error)) error {
	c, err := s.l.Params().Coordinates(s.theta)
	if errors.Is(err, em.ErrCoordinates) {
		return nil // only singly applies
	}
	if err != nil {
		return err
	}
	x, along := c.Of(s.theta), normal(rng, c.Dim())
	value := func(h float64) float64 {
		moved := slices.Clone(x)
		floats.AddScaled(moved, h, along)
		log, e := at(c.Theta(moved))
		err = errors.Join(err, e)
		return log
	}
	// If a covariance is nearly singular, the fifth derivative is large: Richardson's
	// extrapolation removes the error of fourth order in the step.
	by := func(h float64) float64 { return (8*(value(h)-value(-h)) - (value(2*h) - value(-2*h))) / (12 * h) }
	slope := by(step / 2)
	slope += (slope - by(step)) / 15
	if err != nil {
		return err
	}
	// The gradient includes the prior, which is subtracted.
	with, without := make([]float64, c.Dim()), make([]float64, c.Dim())
	c.Gradient(with, s.theta, counts)
	c.Gradient(without, s.theta, make([]float64, len(counts)))
	floats.Sub(with, without)
	if got := beta * floats.Dot(with, along); !near(got, slope, m.slack(differenceTolerance)) {
		return fmt.Errorf("the derivative in a direction is %.9g, by differences %.9g", got, slope)
	}
	return nil
}

func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// curvature compares the derivative of counts with differences of counts.
func curvature[M, X any](m *Model[M, X], rng *rand.Rand, t testing.TB) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	c, err := s.l.Params().Coordinates(s.theta)
	if err != nil {
		return err
	}
	x, along := c.Of(s.theta), normal(rng, c.Dim())
	tangent, err := c.Tangent(s.theta, along)
	if err != nil {
		return err
	}
	q := em.Query{Theta: s.theta, Tangent: tangent}
	e, err := expect(s.l, q)
	if err != nil {
		return err
	}
	if err := recorded(t, s.l, q); err != nil {
		return err
	}
	if !near(e.LogLikelihood, s.e.LogLikelihood, tolerance) || !floats.EqualApprox(e.Counts, s.e.Counts, tolerance) {
		return fmt.Errorf("log likelihood %g and counts %v with a tangent, %g and %v without", e.LogLikelihood, e.Counts, s.e.LogLikelihood, s.e.Counts)
	}
	want := make([]float64, len(e.Counts))
	for _, d := range []struct{ at, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
		moved := slices.Clone(x)
		floats.AddScaled(moved, d.at*step, along)
		there, err := expect(s.l, em.Query{Theta: c.Theta(moved)})
		if err != nil {
			return err
		}
		floats.AddScaled(want, d.weight/(12*step), there.Counts)
	}
	for i, w := range want {
		if !near(e.Curvature[i], w, m.slack(differenceTolerance)) {
			return fmt.Errorf("the count of %s changes by %.9g, by differences %.9g", s.l.Params().Name(int32(i)), e.Curvature[i], w)
		}
	}
	return nil
}

// query runs the checks of likelihoodtest.
func query[M, X any](m *Model[M, X], rng *rand.Rand, t testing.TB) error {
	return m.likelihoodTest(rng, t, em.Marginal)
}

// viterbi is like query, for best paths.
func viterbi[M, X any](m *Model[M, X], rng *rand.Rand, t testing.TB) error {
	return m.likelihoodTest(rng, t, em.Viterbi)
}

func (m *Model[M, X]) likelihoodTest(rng *rand.Rand, t testing.TB, step em.EStep) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	return recorded(t, s.l, em.Query{Theta: s.theta, EStep: step})
}

// bestPaths compares the log likelihood of an E step over best paths with the sum of the log
// probabilities of Best.
func bestPaths[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	e, err := expect(s.l, em.Query{Theta: s.theta, EStep: em.Viterbi})
	if err != nil {
		return err
	}
	want := 0.0
	for i, x := range s.data {
		_, log, err := m.Best(s.model, x)
		if err != nil {
			return err
		}
		want += s.weights[i] * log
	}
	if !near(e.LogLikelihood, want, m.slack(tolerance)) {
		return fmt.Errorf("log likelihood of best paths %.17g, want %.17g", e.LogLikelihood, want)
	}
	return nil
}

// recorder records the error that a test would report.
type recorder struct {
	testing.TB
	err error
}

func (r *recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.err = errors.Join(r.err, errors.New(fmt.Sprint(args...))) }

func (r *recorder) Errorf(format string, args ...any) {
	r.err = errors.Join(r.err, fmt.Errorf(format, args...))
}

// fatal is the value with which a recorder panics instead of ending the test.
type fatal struct{}

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	panic(fatal{})
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(fatal{})
}

// recorded returns the error that likelihoodtest reports.
func recorded(t testing.TB, l em.Likelihood, q em.Query) error {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(fatal{}) {
				panic(p)
			}
		}()
		likelihoodtest.Check(r, l, q)
	}()
	return r.err
}

// weightZero checks that examples of weight 0 do not affect training, even if they are
// impossible, and that invalid weights are errors.
func weightZero[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	never := s.data[0]
	if m.Impossible != nil {
		never = m.Impossible(rng, s.model)
	}
	never = m.Weigh(never, 0)
	all := []X{never}
	for _, x := range s.data {
		all = append(all, x, never)
	}
	l, err := m.Likelihood(s.model, all, em.Fail)
	if err != nil {
		return err
	}
	got, err := expect(l, em.Query{Theta: s.theta})
	if err != nil {
		return err
	}
	alike := func(a, b float64) bool { return near(a, b, m.Rounding) }
	if !alike(got.LogLikelihood, s.e.LogLikelihood) || !slices.EqualFunc(got.Counts, s.e.Counts, alike) {
		return fmt.Errorf("with examples of weight 0 log likelihood %v and counts %v, without %v and %v", got.LogLikelihood, got.Counts, s.e.LogLikelihood, s.e.Counts)
	}
	for _, weight := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		alone := []X{m.Weigh(s.data[0], weight)}
		_, err := m.Likelihood(s.model, alone, em.Skip)
		if err == nil && weight == 0 && m.Fit != nil { // its posteriors may be queried
			_, err = m.Fit(context.Background(), s.model, alone, nil)
		}
		if !errors.Is(err, em.ErrInvalid) {
			return fmt.Errorf("an example of weight %g alone: error %w, want ErrInvalid", weight, orNone(err))
		}
	}
	return nil
}

// skipped checks that an example of probability 0 is reported and left out.
func skipped[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	at, all := m.spoil(s, rng)
	l, err := m.Likelihood(s.model, all, em.Skip)
	if err != nil {
		return err
	}
	got, err := expect(l, em.Query{Theta: s.theta})
	if err != nil {
		return err
	}
	if len(got.Skipped) != 1 || !m.Merged && got.Skipped[0].Index != at || !strings.Contains(got.Skipped[0].String(), fmt.Sprint(at)) {
		return fmt.Errorf("skipped are %v, want example %d", got.Skipped, at)
	}
	if !near(got.LogLikelihood, s.e.LogLikelihood, tolerance) || !floats.EqualApprox(got.Counts, s.e.Counts, tolerance) {
		return fmt.Errorf("with an example of probability 0 log likelihood %v and counts %v, without %v and %v", got.LogLikelihood, got.Counts, s.e.LogLikelihood, s.e.Counts)
	}
	return nil
}

// refused checks that an example of probability 0 is an error that contains its index, unless
// it is to be skipped.
func refused[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	s, err := m.task(rng)
	if err != nil {
		return err
	}
	at, all := m.spoil(s, rng)
	l, err := m.Likelihood(s.model, all, em.Fail)
	if err == nil {
		_, err = expect(l, em.Query{Theta: s.theta})
	}
	if !errors.Is(err, em.ErrUnderivable) || !strings.Contains(err.Error(), fmt.Sprint(at)) {
		return fmt.Errorf("example %d has probability 0: error %w, want ErrUnderivable with the number", at, orNone(err))
	}
	return nil
}

// spoil returns the data with an example of probability 0, and its index.
func (m *Model[M, X]) spoil(s task[M, X], rng *rand.Rand) (int, []X) {
	at := rng.IntN(len(s.data) + 1)
	return at, slices.Insert(slices.Clone(s.data), at, m.Impossible(rng, s.model))
}
