package frames_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// TestHessianVector compares derivatives of expected uses with divided differences, extrapolated,
// for graphs with cycles of ε arcs and without.
func TestHessianVector(t *testing.T) {
	var s frames.Scratch
	tried := 0
	for seed := range trials.Seeds(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := shape{states: 1 + r.IntN(6), symbols: 3, arcs: 4 + r.IntN(20), epsilon: .3, spread: 1, acyclic: seed%2 == 0}.machine(t, r)
		e := noise(t, r, 1+r.IntN(8), 3, 2, true)
		v := m.parts()
		for _, x := range [][]float64{v.Initial, v.Arc, v.Final} {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		}
		const factor = -3
		want, uses, change := m.parts(), m.parts(), m.parts()
		sum, err := m.Counts(e, factor, want, nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		total, err := m.HessianVector(e, v, factor, uses, change, &s)
		if err != nil || apart(total, sum) > 1e-12 {
			t.Fatalf("seed %d: sum %v, %v, want %v", seed, total, err, sum)
		}
		if sum.IsZero() {
			continue
		}
		tried++
		if d := farthest(uses.Arc, want.Arc) + farthest(uses.Initial, want.Initial) + farthest(uses.Final, want.Final); d > 1e-11 {
			t.Fatalf("seed %d: uses are wrong by %v", seed, d)
		}
		moved := func(h float64) frames.Parts {
			w := frames.Weights{}
			move := func(x []weight, v []float64) (y []weight) {
				for i := range x {
					y = append(y, x[i].Mul(semiring.ScaledFromLog(h*v[i])))
				}
				return y
			}
			w.Initial, w.Arc, w.Final = move(m.weights.Initial, v.Initial), move(m.weights.Arc, v.Arc), move(m.weights.Final, v.Final)
			if err := m.SetWeights(w); err != nil {
				t.Fatal(err)
			}
			out := m.parts()
			if _, err := m.Counts(e, factor, out, nil, &s); err != nil {
				t.Fatal(err)
			}
			m.set(t)
			return out
		}
		const h = 1e-3
		a, b, c, d := moved(h), moved(-h), moved(h/2), moved(-h/2)
		check := func(name string, got, a, b, c, d []float64) {
			for i := range got {
				want := (4*(c[i]-d[i])/h - (a[i]-b[i])/(2*h)) / 3
				if math.Abs(got[i]-want) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("seed %d: uses of %s %d change by %v, want %v", seed, name, i, got[i], want)
				}
			}
		}
		check("start", change.Initial, a.Initial, b.Initial, c.Initial, d.Initial)
		check("arc", change.Arc, a.Arc, b.Arc, c.Arc, d.Arc)
		check("end", change.Final, a.Final, b.Final, c.Final, d.Final)
	}
	if tried < 20 {
		t.Errorf("only %d graphs", tried)
	}
	m := chain(t, 2, []int32{0})
	if _, err := m.HessianVector(scores(t, 3, 2, make([]float64, 6), nil), frames.Parts{Arc: []float64{1}}, 1, frames.Parts{}, frames.Parts{}, &s); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("a direction for one arc: %v", err)
	}
}
