package frames_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// readings calls visit for each string of n symbols, in which symbols are read by frame.
func readings(n, symbols int, visit func(v []int)) {
	v := make([]int, n)
	for {
		visit(v)
		k := 0
		for ; k < n; k++ {
			if v[k]++; v[k] < symbols {
				break
			}
			v[k] = 0
		}
		if k == n {
			return
		}
	}
}

// closure returns the sums over ways of ε arcs: Σ of powers of the matrix, which are added until
// they no longer matter.
func (m *machine) closure() [][]weight {
	n := m.states
	step := matrix(n)
	for k, a := range m.arcs {
		if a.Symbol == frames.Epsilon {
			step[a.From][a.To] = step[a.From][a.To].Add(m.weights.Arc[k])
		}
	}
	sum, power := matrix(n), matrix(n)
	for q := range n {
		sum[q][q], power[q][q] = semiring.NewScaled(1), semiring.NewScaled(1)
	}
	for range 200 {
		power = times(power, step)
		for p := range n {
			for q := range n {
				sum[p][q] = sum[p][q].Add(power[p][q])
			}
		}
	}
	return sum
}

func matrix(n int) [][]weight {
	a := make([][]weight, n)
	for i := range a {
		a[i] = make([]weight, n)
	}
	return a
}

func times(a, b [][]weight) [][]weight {
	c := matrix(len(a))
	for i := range a {
		for j := range b {
			if !a[i][j].IsZero() {
				for k := range b {
					c[i][k] = c[i][k].Add(a[i][j].Mul(b[j][k]))
				}
			}
		}
	}
	return c
}

// stringSum returns the sum over the paths that read a string, without emissions.
func (m *machine) stringSum(closure [][]weight, v []int) (sum weight) {
	n := m.states
	x := make([]weight, n)
	spread := func() {
		y := make([]weight, n)
		for p := range n {
			for q := range n {
				y[q] = y[q].Add(x[p].Mul(closure[p][q]))
			}
		}
		x = y
	}
	copy(x, m.weights.Initial)
	spread()
	for _, symbol := range v {
		y := make([]weight, n)
		for k, a := range m.arcs {
			if int(a.Symbol) == symbol {
				y[a.To] = y[a.To].Add(x[a.From].Mul(m.weights.Arc[k]))
			}
		}
		x = y
		spread()
	}
	for q := range n {
		sum = sum.Add(x[q].Mul(m.weights.Final[q]))
	}
	return sum
}

// enumerated returns Z and γ as sums over all strings.
func (m *machine) enumerated(e *frames.Emissions) (total weight, gamma []float64) {
	closure := m.closure()
	parts := make([]weight, e.Frames()*m.symbols)
	readings(e.Frames(), m.symbols, func(v []int) {
		x := m.stringSum(closure, v)
		for t, v := range v {
			x = x.Mul(e.Weight(t, v))
		}
		total = total.Add(x)
		for t, v := range v {
			parts[t*m.symbols+v] = parts[t*m.symbols+v].Add(x)
		}
	})
	gamma = make([]float64, len(parts))
	if !total.IsZero() {
		for i, x := range parts {
			gamma[i] = x.Div(total).Float64()
		}
	}
	return total, gamma
}

func farthest(a, b []float64) (d float64) {
	for i := range a {
		if x := math.Abs(a[i] - b[i]); !(x <= d) {
			d = x
		}
	}
	return d
}

// TestEnumeration compares sums and γ with sums over all strings, for any graphs.
func TestEnumeration(t *testing.T) {
	var s frames.Scratch
	positive := 0
	for seed := range trials.Seeds(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		shape := shape{
			states: 1 + r.IntN(5), symbols: 1 + r.IntN(4), arcs: r.IntN(16), epsilon: []float64{0, .3}[r.IntN(2)],
			spread: []float64{1, 30, 800, 2000}[r.IntN(4)], acyclic: r.IntN(2) == 0,
		}
		m := shape.machine(t, r)
		e := noise(t, r, 1+r.IntN(5), m.symbols, []float64{1, 30, 600, 3000}[r.IntN(4)], r.IntN(2) == 0)
		want, wantGamma := m.enumerated(e)
		if !want.IsZero() {
			positive++
		}
		gamma := make([]float64, len(wantGamma))
		total, err := m.Counts(e, 1, frames.Parts{}, gamma, &s)
		if err != nil || apart(total, want) > 1e-12 {
			t.Fatalf("seed %d: %v, %v, want %v", seed, total, err, want)
		}
		if sum, err := m.PathSum(e, &s); sum != total || err != nil {
			t.Fatalf("seed %d: PathSum %v, %v, want %v", seed, sum, err, total)
		}
		if d := farthest(gamma, wantGamma); d > 1e-12 {
			t.Fatalf("seed %d: γ %v, want %v", seed, gamma, wantGamma)
		}
	}
	if positive < 100 {
		t.Errorf("only %d sums are positive", positive)
	}
}

// TestUses compares expected uses with derivatives of the enumerated sum: the change of ln Z if
// the weight of a part is multiplied by e^±h, extrapolated.
func TestUses(t *testing.T) {
	var s frames.Scratch
	tried := 0
	for seed := range trials.Seeds(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := shape{states: 1 + r.IntN(4), symbols: 1 + r.IntN(3), arcs: 3 + r.IntN(12), epsilon: .4, spread: 1}.machine(t, r)
		e := noise(t, r, 1+r.IntN(4), m.symbols, 1, false)
		got := m.parts()
		const factor = 3
		total, err := m.Counts(e, factor, got, nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		if total.IsZero() {
			continue
		}
		tried++
		check := func(name string, w []weight, uses []float64) {
			for k := range w {
				slope := func(h float64) float64 {
					var z [2]float64
					for i, h := range []float64{h, -h} {
						before := w[k]
						w[k] = before.Mul(semiring.ScaledFromLog(h))
						x, _ := m.enumerated(e)
						z[i], w[k] = x.Log(), before
					}
					return (z[0] - z[1]) / (2 * h)
				}
				const h = 1e-3
				want := (4*slope(h/2) - slope(h)) / 3
				if d := math.Abs(uses[k]/factor - want); d > 1e-8 {
					t.Fatalf("seed %d: %s %d is used %v times, want %v", seed, name, k, uses[k]/factor, want)
				}
			}
		}
		check("start", m.weights.Initial, got.Initial)
		check("arc", m.weights.Arc, got.Arc)
		check("end", m.weights.Final, got.Final)
	}
	if tried < 50 {
		t.Errorf("only %d graphs", tried)
	}
}

// weightOf multiplies the weights along a path, and returns an error if it is not a path.
func (m *machine) weightOf(e *frames.Emissions, p frames.Path) (weight, error) {
	q, frame := p.Start, 0
	x := m.weights.Initial[q]
	for i, k := range p.Arcs {
		a := m.arcs[k]
		if a.From != q || int(p.Frames[i]) != frame {
			return weight{}, fmt.Errorf("arc %d of %v from state %d in frame %d", i, p, q, frame)
		}
		x, q = x.Mul(m.weights.Arc[k]), a.To
		if a.Symbol != frames.Epsilon {
			x = x.Mul(e.Weight(frame, int(a.Symbol)))
			frame++
		}
	}
	if frame != e.Frames() {
		return weight{}, fmt.Errorf("%v reads %d frames of %d", p, frame, e.Frames())
	}
	return x.Mul(m.weights.Final[q]), nil
}

// bestWeight returns the greatest weight of a path: by relaxation, frame by frame.
func (m *machine) bestWeight(e *frames.Emissions) (best weight) {
	x := append([]weight(nil), m.weights.Initial...)
	greater := func(a *weight, b weight) {
		if b.Cmp(*a) > 0 {
			*a = b
		}
	}
	relax := func() {
		for range m.states {
			for k, a := range m.arcs {
				if a.Symbol == frames.Epsilon {
					greater(&x[a.To], x[a.From].Mul(m.weights.Arc[k]))
				}
			}
		}
	}
	relax()
	for t := range e.Frames() {
		y := make([]weight, m.states)
		for k, a := range m.arcs {
			if a.Symbol != frames.Epsilon {
				greater(&y[a.To], x[a.From].Mul(m.weights.Arc[k]).Mul(e.Weight(t, int(a.Symbol))))
			}
		}
		x = y
		relax()
	}
	for q := range x {
		greater(&best, x[q].Mul(m.weights.Final[q]))
	}
	return best
}

// TestBestPath compares the weight of the best path with the greatest one, and with the weights
// along the path.
func TestBestPath(t *testing.T) {
	var s frames.Scratch
	found := 0
	for seed := range trials.Seeds(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		shape := shape{
			states: 1 + r.IntN(9), symbols: 1 + r.IntN(4), arcs: r.IntN(30), epsilon: []float64{0, .4}[r.IntN(2)],
			spread: []float64{1, 30, 800, 2000}[r.IntN(4)], acyclic: r.IntN(2) == 0,
		}
		m := shape.machine(t, r)
		e := noise(t, r, 1+r.IntN(12), m.symbols, []float64{1, 30, 600, 3000}[r.IntN(4)], r.IntN(2) == 0)
		frames.Segment([]int{1 << 20, 20}[r.IntN(2)])
		want := m.bestWeight(e)
		path, err := m.BestPath(e, &s)
		if err != nil || apart(path.Weight, want) > 1e-12 {
			t.Fatalf("seed %d: %v, %v, want %v", seed, path, err, want)
		}
		if want.IsZero() {
			if path.Start != -1 || path.Arcs != nil {
				t.Fatalf("seed %d: %v, but there is no path", seed, path)
			}
			continue
		}
		found++
		if x, err := m.weightOf(e, path); err != nil || apart(x, want) > 1e-12 {
			t.Fatalf("seed %d: %v, whose weight is %v, %v, want %v", seed, path, x, err, want)
		}
	}
	frames.Segment(1 << 20)
	if found < 500 {
		t.Errorf("only %d paths", found)
	}
}

// TestSample checks that paths are drawn in proportion to their weights: expected uses are met, and
// frequent paths come as often as their weights say.
func TestSample(t *testing.T) {
	defer frames.Largest(1 << 20)()
	var s frames.Scratch
	const n = 4000
	tried := 0
	for seed := range trials.Seeds(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := shape{states: 1 + r.IntN(4), symbols: 1 + r.IntN(3), arcs: 3 + r.IntN(12), epsilon: .4, spread: 2, acyclic: seed%2 == 0}.machine(t, r)
		e := noise(t, r, 1+r.IntN(4), m.symbols, 1, false)
		frames.Segment([]int{1 << 20, 0}[r.IntN(2)])
		uses := m.parts()
		total, err := m.Counts(e, 1, uses, nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := m.Sample(e, n, rand.NewPCG(seed, 2), &s)
		if err != nil || (len(paths) == 0) != total.IsZero() {
			t.Fatalf("seed %d: %d paths, %v, of a sum of %v", seed, len(paths), err, total)
		}
		if total.IsZero() {
			continue
		}
		tried++
		again, err := m.Sample(e, n, rand.NewPCG(seed, 2), &s)
		if err != nil || !reflect.DeepEqual(paths, again) {
			t.Fatalf("seed %d: other paths the second time, %v", seed, err)
		}
		mean, square := make([]float64, len(m.arcs)), make([]float64, len(m.arcs))
		for _, p := range paths {
			x, err := m.weightOf(e, p)
			if err != nil || apart(x, p.Weight) > 1e-12 {
				t.Fatalf("seed %d: %v, whose weight is %v, %v", seed, p, x, err)
			}
			count := make([]float64, len(m.arcs))
			for _, k := range p.Arcs {
				count[k]++
			}
			for k, c := range count {
				mean[k] += c / n
				square[k] += c * c / n
			}
		}
		for k := range mean {
			deviation := math.Sqrt((square[k] - mean[k]*mean[k] + 1e-3) / n)
			if d := math.Abs(mean[k] - uses.Arc[k]); d > 5*deviation {
				t.Errorf("seed %d: arc %d is used %v times, want %v", seed, k, mean[k], uses.Arc[k])
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d graphs", tried)
	}
}
