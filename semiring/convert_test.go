package semiring_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	. "example.org/pathsum/semiring"
)

func TestFromScaled(t *testing.T) {
	tiny := ScaledFloat{1.5, -9}
	if f, err := FromScaled(Scaled{}); err != nil || f(tiny.Neg()) != tiny.Neg() {
		t.Error("Scaled is not the identity")
	}
	if f, err := FromScaled(Viterbi{}); err != nil || f(tiny) != tiny {
		t.Error("Viterbi is not the identity")
	}
	if f, err := FromScaled(Real{}); err != nil || f(tiny) != 0 || f(NewScaled(0.3)) != 0.3 || f(NewScaled(-2)) != -2 {
		t.Error("Real is not Float64")
	}
	if f, err := FromScaled(Log{}); err != nil || f(tiny) != LogProb(tiny.Log()) || !math.IsInf(float64(f(ScaledFloat{})), -1) {
		t.Error("Log is not the logarithm")
	}
	if f, err := FromScaled(Tropical{}); err != nil || f(tiny) != Cost(-tiny.Log()) || f(NewScaled(1)) != 0 {
		t.Error("Tropical is not the negated logarithm")
	}
	if f, err := FromScaled(Boolean{}); err != nil || !f(tiny) || f(ScaledFloat{}) {
		t.Error("Boolean is not x ≠ 0")
	}
	pair, err := FromScaled(Product(Boolean{}, Log{}))
	if err != nil || pair(NewScaled(1)) != (Pair[bool, LogProb]{true, 0}) {
		t.Error("Product is not the pair of both")
	}
	reals := Semiring[float64](Real{})
	expected, err := FromScaled(Expectation(reals, Scalar(reals)))
	if err != nil || expected(NewScaled(0.5)) != (Expected[float64, float64]{0.5, 0}) {
		t.Error("Expectation is not ⟨x, 0⟩")
	}
	ranked, err := FromScaled(kBestOf(t, Tropical{}, 3))
	if err != nil || !slices.Equal(ranked(NewScaled(1)), Ranked[Cost]{0}) || len(ranked(ScaledFloat{})) != 0 {
		t.Error("KBest is not the list of one weight")
	}
	polynomial, err := FromScaled(Series(reals, 3))
	if err != nil || !slices.Equal(polynomial(NewScaled(.5)), Polynomial[float64]{.5}) || len(polynomial(ScaledFloat{})) != 0 {
		t.Error("Series is not the constant")
	}
	both, err := FromScaled(lexOf(t, Boolean{}, Log{}))
	if err != nil || both(NewScaled(1)) != (Pair[bool, LogProb]{true, 0}) {
		t.Error("Lex is not the pair of both")
	}
	moments, err := FromScaled(expectation2Of(t, reals, ScalarProduct(reals)))
	if err != nil || moments(NewScaled(.5)) != (scalar2{P: .5}) {
		t.Error("Expectation2 is not ⟨x, 0, 0, 0⟩")
	}
	if _, err := FromScaled(Bottleneck{}); !errors.Is(err, ErrCapability) {
		t.Errorf("Bottleneck: error %v", err)
	}
	if _, err := FromScaled(counts{}); !errors.Is(err, ErrCapability) {
		t.Errorf("error %v", err)
	}
}

func TestConvert(t *testing.T) {
	if f, err := Convert(Real{}, Tropical{}); err != nil || f(0.5) != Cost(math.Ln2) || !math.IsInf(float64(f(0)), 1) {
		t.Error("Real to Tropical")
	}
	if f, err := Convert(Log{}, Tropical{}); err != nil || f(-23456.789) != 23456.789 {
		t.Error("Log to Tropical loses precision")
	}
	if f, err := Convert(Scaled{}, Real{}); err != nil || f(NewScaled(0.1)) != 0.1 || f(NewScaled(-0.1)) != -0.1 {
		t.Error("Scaled to Real loses precision")
	}
	if f, err := Convert(Real{}, Boolean{}); err != nil || !f(5e-324) || f(0) {
		t.Error("Real to Boolean")
	}
	if f, err := Convert(Tropical{}, Boolean{}); err != nil || !f(1e15) || f(Cost(math.Inf(1))) {
		t.Error("Tropical to Boolean")
	}
	if f, err := Convert(Boolean{}, Real{}); err != nil || f(true) != 1 || f(false) != 0 {
		t.Error("Boolean to Real")
	}
	if f, err := Convert(Log{}, Scaled{}); err != nil || f(-5000) != ScaledFromLog(-5000) {
		t.Error("Log to Scaled")
	}
	for _, err := range []error{
		second(Convert(counts{}, Real{})),
		second(Convert(Real{}, counts{})),
		second(Convert(Log{}, counts{})),
	} {
		if !errors.Is(err, ErrCapability) {
			t.Errorf("error %v", err)
		}
	}
}

func second[A any](_ A, err error) error { return err }

func TestReverseOf(t *testing.T) {
	if f, ok := ReverseOf(Real{}); !ok || f(3) != 3 {
		t.Error("a commutative ring is its own reverse")
	}
	a := matrix{1, 2, 3, 4}
	if f, ok := ReverseOf(matrices{}); !ok || f(a) != (matrix{1, 3, 2, 4}) {
		t.Error("the reverse of a matrix is its transpose")
	}
	square := Semiring[matrix](matrices{})
	if _, ok := ReverseOf(Expectation(square, Scalar(square))); ok {
		t.Error("a ring that is not commutative has no reverse by itself")
	}
}

func TestTextErrors(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	bad := map[string]func(string) error{
		"Real":     func(s string) error { return second(Real{}.Parse(s)) },
		"Scaled":   func(s string) error { return second(Scaled{}.Parse(s)) },
		"Viterbi":  func(s string) error { return second(Viterbi{}.Parse(s)) },
		"Log":      func(s string) error { return second(Log{}.Parse(s)) },
		"Tropical": func(s string) error { return second(Tropical{}.Parse(s)) },
		"Boolean":  func(s string) error { return second(Boolean{}.Parse(s)) },
		"Counting": func(s string) error { return second(Counting{}.Parse(s)) },
		"Product":  parser(Product(reals, scaled)),
		"Dense":    parser(Expectation(reals, Dense(reals, 2))),
		"Sparse":   parser(Expectation(reals, Sparse(reals))),
		"Vector":   parser(Expectation(scaled, Dense(scaled, 2))),
	}
	for name, parse := range bad {
		for _, s := range []string{"", "x", "-", "(", "()", "(1)", "(1,2", "(1,2,3)", "(x,1)", "(1,x)", "(1,[1])", "(1,[1,x])", "(1,[1,2,3])",
			"(1,{1})", "(1,{x:1})", "(1,{1:x})", "(1,{3:1,2:1})", "(1,{3:1,3:1})", "(1,[1,2)", "(1,{1:2]"} {
			if parse(s) == nil {
				t.Errorf("%s reads %q", name, s)
			}
		}
	}
	for name, s := range map[string]string{"Dense": "(1,[1,2])", "Sparse": "(1,{1:1,2:1})", "Vector": "(1,[])", "Product": "(1,2)"} {
		if err := bad[name](s); err != nil {
			t.Errorf("%s does not read %q: %v", name, s, err)
		}
	}
}

func parser[W any](s Semiring[W]) func(string) error {
	texter, _ := As[Texter[W]](s)
	return func(text string) error { return second(texter.Parse(text)) }
}
