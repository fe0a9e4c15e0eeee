package grid_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/grid"
)

// flat returns a machine of one state over the symbols 1, …, symbols. Weights of arcs that only
// read, only write, or do both are 2^(scale ± spread). Some arcs are missing.
func flat(r *rand.Rand, symbols int32, read, write, both, spread float64) *relation {
	ends := func() []weight { return scaled(math.Exp2(4 * r.NormFloat64())) }
	f := &relation{states: 1, weights: grid.Weights{Initial: ends(), Final: ends()}}
	unread := r.IntN(4) == 0 // there are no arcs that only read
	for x := range symbols + 1 {
		for y := range symbols + 1 {
			scale := both
			switch {
			case x == 0 && y == 0 || y == 0 && unread || r.IntN(20) == 0:
				continue
			case y == 0:
				scale = read
			case x == 0:
				scale = write
			}
			f.arcs = append(f.arcs, grid.Arc{X: x, Y: y})
			f.weights.Arc = append(f.weights.Arc, semiring.NewScaled(math.Exp2(scale+spread*(2*r.Float64()-1))))
		}
	}
	var err error
	if f.machine, err = grid.New(1, f.arcs); err != nil {
		panic(err)
	}
	if err = f.machine.SetWeights(f.weights); err != nil {
		panic(err)
	}
	return f
}

// TestPlain: sums without rescaling have the bits of sums with rescaling, and counts differ by
// the order of additions. Sums that are too small, or may be too large, are rescaled.
func TestPlain(t *testing.T) {
	const symbols = 40
	var s grid.Scratch
	plain, small, large := 0, 0, 0
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		down := func() float64 { return []float64{0, 0, 3, 20}[r.IntN(4)] - 12*r.Float64() }
		f := flat(r, symbols, down(), down(), down(), []float64{.5, 3, 12}[r.IntN(3)])
		text := func(n int) (x []int32) { // without repetition, if n is small enough
			for _, k := range r.Perm(symbols)[:min(n, symbols)] {
				x = append(x, int32(k)+1)
			}
			for len(x) < n {
				x = append(x, 1+r.Int32N(symbols))
			}
			return x
		}
		n := r.IntN([]int{12, symbols, 300}[r.IntN(3)] + 1)
		x, y := text(n), text(max(0, n+r.IntN(11)-5))
		times := math.Exp2(20 * r.NormFloat64())
		ask := func() (total, path weight, sum grid.Parts) {
			sum = f.zeros()
			total, err := f.machine.Counts(x, y, times, sum, &s)
			if err != nil {
				t.Fatal(err)
			}
			return total, f.machine.PathSum(x, y, &s), sum
		}
		switch longest, used := f.machine.Plain(x, y, &s); {
		case used:
			plain++
		case n > longest:
			large++
		default:
			small++
		}
		total, path, got := ask()
		f.machine.Rescale()
		wantTotal, wantPath, want := ask()
		if path != wantPath || !nearRelative(total, wantTotal) {
			t.Fatalf("seed %d: total %v and path sum %v, want %v and %v", seed, total, path, wantTotal, wantPath)
		}
		if !f.machine.ByNumbers(x, y, times, &s) {
			if !nearParts(got, want, func(a, b float64) bool { return nearCount(a/times, b/times) }) {
				t.Fatalf("seed %d: counts of %v and %v are %v, want %v", seed, x, y, got, want)
			}
			continue
		}
		// A count is a sum of at most this many posteriors.
		most := float64((len(x) + 1) * (len(y) + 1))
		near := func(a, b float64) bool { return math.Abs(a-b) <= most*0x1p-52*max(a, b) || max(a, b) < 0x1p-500*times }
		if !nearParts(got, want, near) {
			t.Fatalf("seed %d: counts of %v and %v are %v, want %v", seed, x, y, got, want)
		}
		if max(len(x), len(y)) > symbols {
			continue
		}
		for k, a := range f.arcs { // the grid has an arc that reads and writes at most once
			if a.X > 0 && a.Y > 0 && got.Arc[k] != want.Arc[k] && want.Arc[k] > 0x1p-400*times {
				t.Fatalf("seed %d: count of arc %v is %v, want %v", seed, a, got.Arc[k], want.Arc[k])
			}
		}
	}
	if plain < 50 || small < 30 || large < 30 {
		t.Errorf("%d plain sums, %d too small and %d too large", plain, small, large)
	}
}

// TestPlainHeavy: the sums of some strings would overflow without rescaling.
func TestPlainHeavy(t *testing.T) {
	var s grid.Scratch
	heavy := semiring.NewScaled(0x1p100)
	for _, a := range []grid.Arc{{X: 1}, {Y: 1}, {X: 1, Y: 1}} {
		f := newRelation(t, 1, 1, []weight{heavy}, a)
		plain, want := 0, semiring.NewScaled(1)
		for n := range int32(100) {
			x, y := slices.Repeat([]int32{1}, int(n*a.X)), slices.Repeat([]int32{1}, int(n*a.Y))
			if _, ok := f.machine.Plain(x, y, &s); ok {
				plain++
			}
			got := f.zeros()
			total, err := f.machine.Counts(x, y, 1, got, &s)
			if err != nil || total != want || got.Arc[0] != float64(n) {
				t.Fatalf("%v, %d times: total %v, %v, counts %v, want %v", a, n, total, err, got.Arc, want)
			}
			want = want.Mul(heavy)
		}
		if plain == 100 || plain == 0 && a.X > 0 {
			t.Errorf("%v: %d plain sums", a, plain)
		}
	}
}
