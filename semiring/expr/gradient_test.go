package expr

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/semiring"
)

// usesOf returns d ln(w) / d ln θ by Backpropagate.
func usesOf(s *Space, values []semiring.ScaledFloat, w W, params int) []float64 {
	count, grad := make([]float64, s.Len()), make([]float64, params)
	count[w] = 1
	s.Backpropagate(values, count, grad)
	return grad
}

func TestBackpropagateAgainstForwardDerivatives(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		values, err := tr.space.Evaluate(nil, scaled(tr.theta...))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range tr.made {
			s := tr.want[w]
			for p, got := range usesOf(tr.space, values, w, len(tr.theta)) {
				want, _ := bigQuo(bigMul(s.grad[p], newBig(tr.theta[p])), s.value).Float64()
				if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("seed %d: %s: d/d ln θ%d = %g, want %g", seed, tr.space.String(w), p, got, want)
				}
			}
		}
	}
}

// TestBackpropagateAgainstFiniteDifferences: of the tempered value too, whose
// derivative is by the logarithm of the tempered parameter.
func TestBackpropagateAgainstFiniteDifferences(t *testing.T) {
	const step = 1e-6
	for seed := range uint64(trials) {
		tr := newTrial(seed, 3, 60)
		for _, beta := range []float64{1, trialBeta} {
			at := func(p int, h float64) []semiring.ScaledFloat {
				theta := append([]float64(nil), tr.theta...)
				theta[p] *= math.Exp(h / beta)
				values, err := tr.space.EvaluateTempered(nil, scaled(theta...), beta)
				if err != nil {
					t.Fatal(err)
				}
				return values
			}
			values := at(0, 0)
			for p := range tr.theta {
				up, down := at(p, step), at(p, -step)
				for _, w := range tr.made {
					got := usesOf(tr.space, values, w, len(tr.theta))[p]
					want := (up[w].Log() - down[w].Log()) / (2 * step)
					if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
						t.Fatalf("seed %d, β %g: %s: %g, want %g", seed, beta, tr.space.String(w), got, want)
					}
				}
			}
		}
	}
}

// TestForkedCountsMerge: counts of several forks go through the parent once and
// give what each fork gives when it sweeps everything itself.
func TestForkedCountsMerge(t *testing.T) {
	tr := newTrial(5, 4, 40)
	theta := scaled(tr.theta...)
	parent := tr.space
	base := parent.Len()
	merged, got, want := make([]float64, base), make([]float64, 4), make([]float64, 4)
	made := append([]W(nil), tr.made...)
	for range 3 {
		tr.space, tr.made = parent.Fork(), append([]W(nil), made...)
		for range 40 {
			tr.step()
		}
		values, err := tr.space.Evaluate(nil, theta)
		if err != nil {
			t.Fatal(err)
		}
		count := make([]float64, tr.space.Len())
		for _, w := range tr.made {
			count[w] = tr.rng.Float64()
		}
		for w, c := range count {
			for p, g := range usesOfAll(tr.space, values, W(w), 4) {
				want[p] += c * g
			}
		}
		tr.space.Backpropagate(values, count, got)
		for w := range count {
			if w >= base && count[w] != 0 {
				t.Fatalf("a count was left at %d", w)
			}
			if w < base {
				merged[w] += count[w]
			}
		}
	}
	values, err := parent.Evaluate(nil, theta)
	if err != nil {
		t.Fatal(err)
	}
	parent.Backpropagate(values, merged, got)
	for p := range want {
		if math.Abs(got[p]-want[p]) > 1e-9*(1+math.Abs(want[p])) {
			t.Errorf("parameter %d: %g, want %g", p, got[p], want[p])
		}
	}
}

// usesOfAll is usesOf through all layers.
func usesOfAll(s *Space, values []semiring.ScaledFloat, w W, params int) []float64 {
	count, grad := make([]float64, s.Len()), make([]float64, params)
	count[w] = 1
	s.Backpropagate(values, count, grad)
	for t := s.below; t != nil; t = t.below {
		(&Space{table: *t}).Backpropagate(values, count, grad)
	}
	return grad
}

// TestZeroCountsAreFree: an expression without a value does no harm where it has
// no count, nor does a sum of value 0.
func TestZeroCountsAreFree(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	s.Star(s.Plus(a, b))
	w := s.Plus(s.Times(a, b), b)
	values, err := s.Evaluate(nil, scaled(1, 0))
	if err == nil {
		t.Fatal("no error")
	}
	count, grad := make([]float64, s.Len()), make([]float64, 2)
	count[a] = 2
	s.Backpropagate(values, count, grad)
	if grad[0] != 2 || grad[1] != 0 || values[w].Float64() != 0 {
		t.Errorf("uses %v", grad)
	}
}

func TestBackpropagatePanics(t *testing.T) {
	s := New()
	s.Param(0)
	values, _ := s.Evaluate(nil, scaled(0.5))
	defer func() {
		if recover() == nil {
			t.Error("no panic for a short count")
		}
	}()
	s.Backpropagate(values, make([]float64, 2), make([]float64, 1))
}

// second is a value with its first and second derivatives by ln θ: R the gradient, S
// the derivative along a direction, T the product of direction and Hessian.
type second = semiring.Expected2[float64, []float64, []float64, []float64]

// secondOrder returns the images of all expressions in the second-order expectation
// semiring.
func secondOrder(t *testing.T, s *Space, theta, direction []float64) []second {
	t.Helper()
	real := semiring.Real{}
	ring, err := semiring.Expectation2(real, semiring.DenseProduct(real, len(theta), 1))
	if err != nil {
		t.Fatal(err)
	}
	images, err := Map(s, ring, func(p int32) second {
		x := second{P: theta[p], R: make([]float64, len(theta)), S: []float64{theta[p] * direction[p]}, T: make([]float64, len(theta))}
		x.R[p], x.T[p] = theta[p], theta[p]*direction[p]
		return x
	}, func(c semiring.ScaledFloat) second { return second{P: c.Float64()} })
	if err != nil {
		t.Fatal(err)
	}
	return images
}

// along runs BackpropagateAlong through all layers for one traversal of w, whose
// count changes by change.
func along(s *Space, values []semiring.ScaledFloat, tangents []float64, w W, change float64, params int) Dual {
	n := s.Len()
	count := Dual{make([]float64, n), make([]float64, n)}
	grad := Dual{make([]float64, params), make([]float64, params)}
	count.Value[w], count.Change[w] = 1, change
	s.BackpropagateAlong(values, tangents, count, grad)
	for t := s.below; t != nil; t = t.below {
		(&Space{table: *t}).BackpropagateAlong(values, tangents, count, grad)
	}
	return grad
}

// TestSecondDerivatives compares tangents, and both results of the reverse sweep,
// with the second-order expectation semiring, in a space and in a fork of it.
func TestSecondDerivatives(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 60)
		direction := make([]float64, len(tr.theta))
		for p := range direction {
			direction[p] = tr.rng.NormFloat64()
		}
		parent := tr.space
		values, err := parent.Evaluate(nil, scaled(tr.theta...))
		if err != nil {
			t.Fatal(err)
		}
		tangents := parent.Tangents(nil, values, direction, 1)
		tr.space = parent.Fork()
		for range 60 {
			tr.step()
		}
		if values, err = tr.space.Evaluate(values, scaled(tr.theta...)); err != nil {
			t.Fatal(err)
		}
		tangents = tr.space.Tangents(tangents, values, direction, 1)
		if !slices.Equal(tangents, tr.space.Tangents(nil, values, direction, 1)) {
			t.Fatalf("seed %d: tangents of the fork after those of its parent differ from all at once", seed)
		}
		images := secondOrder(t, tr.space, tr.theta, direction)
		for _, w := range tr.made {
			x := images[w]
			change := tr.rng.NormFloat64()
			grad := along(tr.space, values, tangents, w, change, len(direction))
			for p, d := range direction {
				first, product := at(x.R, p)/x.P, at(x.R, p)/x.P*at(x.S, 0)/x.P
				curved := at(x.T, p)/x.P - product + change*first
				size := 1 + math.Abs(product) + math.Abs(change*first) + math.Abs(d)
				if math.Abs(grad.Value[p]-first) > 1e-9*size || math.Abs(grad.Change[p]-curved) > 1e-9*size {
					t.Fatalf("seed %d: %s: by ln θ%d %g and %g, want %g and %g",
						seed, tr.space.String(w), p, grad.Value[p], grad.Change[p], first, curved)
				}
			}
			if want := at(x.S, 0) / x.P; math.Abs(tangents[w]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("seed %d: %s: tangent %g, want %g", seed, tr.space.String(w), tangents[w], want)
			}
		}
	}
}

// at returns v[i]; nil stands for a vector of zeros.
func at(v []float64, i int) float64 {
	if v == nil {
		return 0
	}
	return v[i]
}

// TestZeroTangents: an expression of value 0 has the tangent 0, and without a count
// does no harm.
func TestZeroTangents(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	w := s.Plus(s.Times(a, b), b)
	values, err := s.Evaluate(nil, scaled(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	tangents := s.Tangents(nil, values, []float64{3, 5}, 1)
	if tangents[w] != 0 || tangents[a] != 3 || tangents[b] != 5 {
		t.Errorf("tangents %v", tangents)
	}
	if grad := along(s, values, tangents, a, 2, 2); grad.Value[0] != 1 || grad.Change[0] != 2 || grad.Change[1] != 0 {
		t.Errorf("derivatives %v", grad)
	}
}

func TestBackpropagateAlongPanics(t *testing.T) {
	s := New()
	s.Param(0)
	values, _ := s.Evaluate(nil, scaled(0.5))
	three := func() Dual { return Dual{make([]float64, 3), make([]float64, 3)} }
	for name, count := range map[string]Dual{
		"counts":  {make([]float64, 2), make([]float64, 3)},
		"changes": {make([]float64, 3), make([]float64, 2)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for too few %s", name)
				}
			}()
			s.BackpropagateAlong(values, make([]float64, 3), count, three())
		}()
	}
}
