package ctc_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// examples returns n random examples of six columns, the blank last, with weights; some have
// lattices, and if long is true some have too many labels.
func examples(rng *rand.Rand, n int, long bool) []ctc.Example {
	all := make([]ctc.Example, n)
	for i := range all {
		x := ctc.Example{Name: fmt.Sprint("number ", i), Emissions: scores(rng, 9+rng.IntN(9), 6), Weight: em.Times(rng.Float64())}
		for range rng.IntN(4) {
			x.Labels = append(x.Labels, int32(1+rng.IntN(5)))
		}
		switch {
		case long && i%4 == 3:
			x.Labels = slices.Repeat([]int32{1, 1, 2}, 10)
		case i%5 == 0:
			x.Lattice, x.Labels = fst.Star(machine(acceptor(rng, 5))), nil
		case i%7 == 0:
			x.Weight = em.Times(0)
		}
		all[i] = x
	}
	return all
}

// room returns gradients of zeros for all that a loss has.
func room(l *ctc.Loss, top ctc.Topology, examples []ctc.Example) *ctc.Gradients {
	g := new(ctc.Gradients)
	for _, x := range examples {
		n := x.Emissions.Frames() * x.Emissions.Symbols()
		g.Numbers = append(g.Numbers, make([]float64, n))
		g.Logs = append(g.Logs, make([]float64, n))
	}
	parts := func(m machine) frames.Parts {
		f := must(fst.Expand(m, nil))
		return frames.Parts{Initial: make([]float64, f.NumStates()), Arc: make([]float64, f.NumArcs()), Final: make([]float64, f.NumStates())}
	}
	g.Topology = parts(top.Machine)
	if m := l.Denominator(); m != nil {
		g.Denominator = parts(m)
	}
	if m := l.Smoothing(); m != nil {
		g.Smoothing = parts(m)
	}
	return g
}

// all returns all numbers of g in a row.
func all(g *ctc.Gradients) []float64 {
	v := slices.Concat(append(slices.Clone(g.Numbers), g.Logs...)...)
	for _, p := range []frames.Parts{g.Topology, g.Denominator, g.Smoothing} {
		v = slices.Concat(v, p.Initial, p.Arc, p.Final)
	}
	return v
}

// TestBatch: a batch is the sum of its examples, or the mean, with the same bits for any number
// of workers; what is skipped leaves no trace.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	top := ctc.Standard(6, 5)
	xs, den, smooth := examples(rng, 30, true), acceptor(rng, 5), acceptor(rng, 5)
	var sums [2]float64
	for k, mean := range []bool{false, true} {
		var first []float64
		for _, workers := range []int{1, 2, 7} {
			l := must(ctc.NewLoss(top, &ctc.Options{Denominator: den, Smoothing: smooth, SmoothingWeight: .2, Mean: mean, Underivable: em.Skip, Workers: workers}))
			g := room(l, top, xs)
			r := must(l.Batch(t.Context(), xs, g))
			v := append(all(g), r.Loss)
			v = append(v, r.Losses...)
			if first == nil {
				first = v
			}
			if !slices.Equal(v, first) {
				t.Errorf("other bits with %d workers", workers)
			}
			sums[k] = r.Loss
			if mean || workers > 1 {
				continue
			}
			checkBatch(t, l, top, xs, r, g)
		}
	}
	weights := 0.0
	for _, x := range xs {
		weights += x.Weight.Float64()
	}
	if !near(sums[1], sums[0]/weights, 1e-14) {
		t.Errorf("the mean is %v, want %v", sums[1], sums[0]/weights)
	}
}

// checkBatch compares the result of a batch with the results of its examples.
func checkBatch(t *testing.T, l *ctc.Loss, top ctc.Topology, xs []ctc.Example, r *ctc.Result, g *ctc.Gradients) {
	t.Helper()
	sum, skipped := 0.0, 0
	parts := room(l, top, nil)
	for i, x := range xs {
		gradient := make([]float64, len(g.Numbers[i]))
		loss, err := l.Eval(x, gradient)
		weight := x.Weight.Float64()
		switch {
		case weight == 0:
			if r.Losses[i] != 0 || slices.ContainsFunc(g.Numbers[i], func(x float64) bool { return x != 0 }) {
				t.Errorf("example %d counts", i)
			}
		case errors.Is(err, em.ErrUnderivable):
			if s := r.Skipped[skipped]; s.Index != i || s.Name != x.Name || s.Weight != weight || !s.Structural || s.Reason == "" || !math.IsInf(r.Losses[i], 1) {
				t.Errorf("example %d: skipped %+v, loss %v", i, s, r.Losses[i])
			}
			skipped++
			if slices.ContainsFunc(slices.Concat(g.Numbers[i], g.Logs[i]), func(x float64) bool { return x != 0 }) {
				t.Errorf("example %d has a gradient", i)
			}
		case err != nil || loss != r.Losses[i]:
			t.Errorf("example %d: loss %v, error %v, in the batch %v", i, loss, err, r.Losses[i])
		default:
			sum += weight * loss
			for k := range gradient {
				if !near(g.Numbers[i][k], weight*gradient[k], 1e-14) {
					t.Errorf("example %d, derivative %d: %v, want %v", i, k, g.Numbers[i][k], weight*gradient[k])
				}
			}
			one := room(l, top, []ctc.Example{x})
			must(l.Batch(t.Context(), []ctc.Example{x}, one))
			for _, p := range [][2]frames.Parts{{parts.Topology, one.Topology}, {parts.Denominator, one.Denominator}, {parts.Smoothing, one.Smoothing}} {
				for _, q := range [][2][]float64{{p[0].Initial, p[1].Initial}, {p[0].Arc, p[1].Arc}, {p[0].Final, p[1].Final}} {
					for k, d := range q[1] {
						q[0][k] += d
					}
				}
			}
		}
	}
	if skipped != len(r.Skipped) || skipped < 5 || !near(r.Loss, sum, 1e-14) {
		t.Errorf("%d of %d skipped, loss %v, want %v", len(r.Skipped), skipped, r.Loss, sum)
	}
	want, got := all(parts), all(&ctc.Gradients{Topology: g.Topology, Denominator: g.Denominator, Smoothing: g.Smoothing})
	for k := range want {
		if !near(got[k], want[k], 1e-13) {
			t.Errorf("derivative %d by a weight: %v, want %v", k, got[k], want[k])
		}
	}
}

// TestStandardUses: derivatives by the weights of Standard, whose texts are chains otherwise, are
// those of the same machine as the caller's own.
func TestStandardUses(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	top := ctc.Standard(6, 5)
	xs := examples(rng, 10, false)
	var got [2][]float64
	for k, tested := range []ctc.Topology{top, {Machine: top.Machine, Symbols: 6, Blank: 5}} {
		l := must(ctc.NewLoss(tested, nil))
		g := room(l, top, xs)
		must(l.Batch(t.Context(), xs, g))
		got[k] = all(g)
		sum := 0.0
		for _, x := range g.Topology.Arc {
			sum += x
		}
		want := 0.0 // each frame uses an arc
		for _, x := range xs {
			want -= x.Weight.Float64() * float64(x.Emissions.Frames())
		}
		if !near(sum, want, 1e-13) {
			t.Errorf("arcs are used %v times, want %v", sum, want)
		}
	}
	if !slices.Equal(got[0], got[1]) {
		t.Error("other derivatives of Standard than of its machine")
	}
}

// TestSkipLeavesNoTrace: an example that only the denominator cannot read adds nothing, although
// its text can be read.
func TestSkipLeavesNoTrace(t *testing.T) {
	top := ctc.Standard(6, 5)
	l := must(ctc.NewLoss(top, &ctc.Options{Denominator: fst.FromString(semiring.Scaled{}, []int32{1, 2, 1, 2}), Underivable: em.Skip}))
	rng := rand.New(rand.NewPCG(5, 7))
	xs := []ctc.Example{{Emissions: scores(rng, 3, 6), Labels: []int32{1}}}
	g := room(l, top, xs)
	r := must(l.Batch(t.Context(), xs, g))
	if len(r.Skipped) != 1 || r.Loss != 0 || slices.ContainsFunc(all(g), func(x float64) bool { return x != 0 }) {
		t.Errorf("%+v, %v", r, g)
	}
}

// TestBatchAdds: gradients are added to what the arrays hold, and the loss alone is the same
// number.
func TestBatchAdds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	top := ctc.HMM(2, 2, &ctc.HMMOptions{Shared: true})
	l := must(ctc.NewLoss(top, nil))
	xs := []ctc.Example{{Emissions: scores(rng, 6, 2), Labels: []int32{1, 2}}, {Emissions: scores(rng, 7, 2), Labels: []int32{2, 2}}}
	g := room(l, top, xs)
	r := must(l.Batch(t.Context(), xs, g))
	once := all(g)
	must(l.Batch(t.Context(), xs, g))
	for k, x := range all(g) {
		if x != 2*once[k] {
			t.Errorf("number %d: %v after %v", k, x, once[k])
		}
	}
	alone := must(l.Batch(t.Context(), xs, nil))
	if alone.Loss != r.Loss || !slices.Equal(alone.Losses, r.Losses) {
		t.Errorf("loss %v alone, %v with gradients", alone.Loss, r.Loss)
	}
	if empty := must(l.Batch(t.Context(), nil, nil)); empty.Loss != 0 || len(empty.Losses) != 0 {
		t.Error(empty)
	}
	// One array may be missing.
	g = &ctc.Gradients{Numbers: [][]float64{nil, make([]float64, 14)}}
	must(l.Batch(t.Context(), xs, g))
}

// TestBatchStops: when the context is done, and at the first example that no path reads.
func TestBatchStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	xs := examples(rng, 12, true)
	l := must(ctc.NewLoss(ctc.Standard(6, 5), nil))
	_, err := l.Batch(t.Context(), xs, nil)
	if !errors.Is(err, ctc.ErrTooShort) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Batch(ctx, examples(rng, 3, false), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := l.Batch(t.Context(), []ctc.Example{{Weight: em.Times(math.NaN())}}, nil); !errors.Is(err, ctc.ErrInvalid) {
		t.Error(err)
	}
	if _, err := l.Batch(t.Context(), []ctc.Example{{}}, nil); !errors.Is(err, ctc.ErrInvalid) {
		t.Error(err)
	}
	g := room(l, ctc.Standard(6, 5), xs)
	for _, broken := range []*ctc.Gradients{
		{Numbers: g.Numbers[1:]}, {Logs: append(g.Logs[:len(g.Logs)-1:len(g.Logs)-1], []float64{1})},
		{Topology: frames.Parts{Arc: make([]float64, 3)}},
	} {
		if _, err := l.Batch(t.Context(), xs, broken); !errors.Is(err, semiring.ErrShape) {
			t.Error(err)
		}
	}
}
