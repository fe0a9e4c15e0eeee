package frames_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/frames"
)

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
