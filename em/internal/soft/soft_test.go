package soft_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/frames"
)

func newString(t *testing.T, labels []int32) (*soft.String, error) {
	t.Helper()
	e, err := frames.Probabilities(3, 2, []float64{.25, .75, 0, 1, .5, .5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return soft.New(e, labels)
}

// TestAcceptor: an arc for each label with a weight > 0, as a constant, within a limit.
func TestAcceptor(t *testing.T) {
	x, err := newString(t, []int32{7, 3})
	if err != nil {
		t.Fatal(err)
	}
	space := expr.New()
	f, err := soft.Acceptor(x, space, 9)
	if err != nil {
		t.Fatal(err)
	}
	if f.NumStates() != 4 || f.NumArcs() != 5 {
		t.Errorf("%d states and %d arcs", f.NumStates(), f.NumArcs())
	}
	for s := range int32(4) {
		for _, a := range f.AppendArcs(nil, s) {
			w, ok := space.Constant(a.Weight)
			v := map[int32]int{7: 0, 3: 1}[a.In]
			if want := x.Emissions.Weight(int(s), v); !ok || w != want || a.In != a.Out || a.To != s+1 {
				t.Errorf("arc %+v of state %d weighs %v, want %v", a, s, w, want)
			}
		}
	}
	if _, err := soft.Acceptor(x, space, 8); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
	for n := range 4 {
		r, err := soft.Relation(x, n, 9)
		if err != nil || r.NumStates() != n+1 || r.NumArcs() != []int{0, 2, 3, 5}[n] {
			t.Errorf("%d frames are %d states and %d arcs, error %v", n, r.NumStates(), r.NumArcs(), err)
		}
		for _, w := range r.Graph().Weights() {
			if w != semiring.NewScaled(1) {
				t.Errorf("a weight %v", w)
			}
		}
	}
	if _, err := soft.Relation(x, 3, 8); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
}

// TestTempered: powers of all weights; 0 remains 0.
func TestTempered(t *testing.T) {
	x, err := newString(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x.Labels[0] != 1 || x.Labels[1] != 2 {
		t.Errorf("labels %v, want 1 and 2", x.Labels)
	}
	for _, beta := range []float64{0, .3, 1, 2} {
		e, err := x.Tempered(beta)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range []float64{.25, .75, 0, 1, .5, .5} {
			want := math.Pow(p, beta)
			if p == 0 {
				want = 0
			}
			if got := e.Weight(i/2, i%2).Float64(); math.Abs(got-want) > 1e-15 {
				t.Errorf("β = %g: weight %d is %v, want %v", beta, i, got, want)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	for _, labels := range [][]int32{{}, {1}, {1, 2, 3}, {0, 1}, {-1, 1}, {4, 4}} {
		if _, err := newString(t, labels); !errors.Is(err, nested.ErrInvalid) {
			t.Errorf("labels %v: error %v", labels, err)
		}
	}
}
