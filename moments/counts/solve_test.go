package counts_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
	"example.org/pathsum/moments/counts"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 23)) }

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// objective returns the objective of the solvers, computed from the annotations, without the
// constant: Σ_b ½w′Gw − h′w.
func objective(sequences [][]int, annotations []counts.Annotation, w mat.Matrix, ridge float64) float64 {
	sum := 0.0
	rows, labels := w.Dims()
	for _, a := range annotations {
		for k, b := range a.Labels {
			x := 0.0
			for _, s := range sequences[a.Sequence][a.Lo:a.Hi] {
				x += w.At(s, b)
			}
			sum += x*x/2 - x*float64(a.Counts[k])
		}
	}
	for a := range rows {
		for b := range labels {
			d := w.At(a, b) - 1/float64(labels)
			sum += ridge / 2 * d * d
		}
	}
	return sum
}

func TestFixture(t *testing.T) {
	var x struct {
		Symbols, Tags int
		Observations  []struct {
			Region []int
			Counts map[string]int
		}
		LS      [][]float64 `json:"w_ls"`
		ObjLS   float64     `json:"obj_ls"`
		ObjSimp float64     `json:"obj_simplex"`
	}
	text, err := os.ReadFile("testdata/m5_region_counts.json")
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		t.Fatal(err)
	}
	var sequences [][]int
	var annotations []counts.Annotation
	for i, o := range x.Observations {
		sequences = append(sequences, o.Region)
		a := counts.Annotation{Sequence: i, Hi: len(o.Region)}
		for tag, n := range o.Counts {
			b, err := strconv.Atoi(tag)
			if err != nil {
				t.Fatal(err)
			}
			a.Labels, a.Counts = append(a.Labels, b), append(a.Counts, n)
		}
		annotations = append(annotations, a)
	}
	d := must(counts.New(x.Symbols, x.Tags, sequences, annotations))(t)
	ls := must(d.LeastSquares(0, counts.Stop{Tolerance: 1e-14, Iterations: 1000}))(t)
	for a, row := range x.LS {
		for b, w := range row {
			if math.Abs(ls.W.At(a, b)-w) > 1e-8 {
				t.Errorf("w(%d, %d) = %g, want %g", a, b, ls.W.At(a, b), w)
			}
		}
	}
	if v := objective(sequences, annotations, ls.W, 0); math.Abs(v-x.ObjLS) > 1e-8 {
		t.Errorf("objective %g, want %g", v, x.ObjLS)
	}
	c := must(d.Constrained(0, counts.Stop{Tolerance: 1e-9, Iterations: 100000}))(t)
	if v := objective(sequences, annotations, c.W, 0); math.Abs(v-x.ObjSimp) > 1e-6 || c.Gap > 1e-9 {
		t.Errorf("objective %g with the gap %g, want %g", v, c.Gap, x.ObjSimp)
	}
}

// trial returns random sequences of symbols and labels, and annotations of some regions
// that count some labels.
func trial(r *rand.Rand, symbols, labels int) (sequences, truth [][]int, annotations []counts.Annotation) {
	for i := range 1 + r.IntN(6) {
		n := 1 + r.IntN(5)
		x, y := make([]int, n), make([]int, n)
		for j := range x {
			x[j], y[j] = r.IntN(symbols), r.IntN(labels)
		}
		sequences, truth = append(sequences, x), append(truth, y)
		for range 1 + r.IntN(2) {
			lo := r.IntN(n)
			a := counts.Annotation{Sequence: i, Lo: lo, Hi: lo + 1 + r.IntN(n-lo)}
			for _, b := range r.Perm(labels)[:1+r.IntN(labels)] {
				k := 0
				for _, v := range y[a.Lo:a.Hi] {
					if v == b {
						k++
					}
				}
				a.Labels, a.Counts = append(a.Labels, b), append(a.Counts, k)
			}
			annotations = append(annotations, a)
		}
	}
	return sequences, truth, annotations
}

// No other matrix has a lower objective; with a ridge the solution equals the solution of the
// normal equations by Cholesky.
func TestSolversMinimize(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := random(seed)
		symbols, labels := 1+r.IntN(4), 1+r.IntN(3)
		sequences, _, annotations := trial(r, symbols, labels)
		d := must(counts.New(symbols, labels, sequences, annotations))(t)
		ridge := .5 * r.Float64() * float64(r.IntN(2))
		ls := must(d.LeastSquares(ridge, counts.Stop{Tolerance: 1e-13, Iterations: 1000}))(t)
		c := must(d.Constrained(ridge, counts.Stop{Tolerance: 1e-10, Iterations: 50000}))(t)
		free, bound := objective(sequences, annotations, ls.W, ridge), objective(sequences, annotations, c.W, ridge)
		if c.Gap > 1e-6 || bound < free-1e-9 {
			t.Fatalf("seed %d: gap %g, objective %g and without the constraint %g", seed, c.Gap, bound, free)
		}
		for a := range symbols {
			if s := mat.Sum(c.W.RowView(a)); math.Abs(s-1) > 1e-12 {
				t.Fatalf("seed %d: row %d sums to %g", seed, a, s)
			}
		}
		for range 20 {
			other := mat.NewDense(symbols, labels, nil)
			other.Apply(func(i, j int, _ float64) float64 { return ls.W.At(i, j) + .1*r.NormFloat64() }, other)
			if v := objective(sequences, annotations, other, ridge); v < free-1e-9 {
				t.Fatalf("seed %d: %g, but %g elsewhere", seed, free, v)
			}
			for a := range symbols {
				p, sum := make([]float64, labels), 0.0
				for b := range p {
					p[b] = r.ExpFloat64()
					sum += p[b]
				}
				for b := range p {
					p[b] /= sum
				}
				other.SetRow(a, p)
			}
			if v := objective(sequences, annotations, other, ridge); v < bound-c.Gap-1e-9 {
				t.Fatalf("seed %d: %g with the gap %g, but %g elsewhere", seed, bound, c.Gap, v)
			}
		}
	}
}

// The bits of a solution do not depend on the number of processors, though labels are
// searched for apart and some are done before others.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range trials.Seeds(20) {
		r := random(seed)
		symbols, labels := 2+r.IntN(8), 2+r.IntN(5)
		sequences, _, annotations := trial(r, symbols, labels)
		d := must(counts.New(symbols, labels, sequences, annotations))(t)
		for name, solve := range map[string]func(float64, counts.Stop) (*counts.Solution, error){"free": d.LeastSquares, "constrained": d.Constrained} {
			var want *counts.Solution
			for n := 1; n <= 4; n++ {
				runtime.GOMAXPROCS(n)
				s := must(solve(.1, counts.Stop{Tolerance: 1e-3, Iterations: 50}))(t)
				if want == nil {
					want = s
				}
				if !mat.Equal(s.W, want.W) || s.Iterations != want.Iterations || s.Residual != want.Residual || s.Gap != want.Gap {
					t.Fatalf("seed %d: %s: %d processors make a difference", seed, name, n)
				}
			}
		}
	}
}

// Symbols that occur in no region are named, and their labels are uniform.
func TestUnseen(t *testing.T) {
	all := []counts.Annotation{{Sequence: 0, Lo: 1, Hi: 2, Labels: []int{0}, Counts: []int{1}}}
	d := must(counts.New(3, 2, [][]int{{0, 1, 2}}, all))(t)
	if u := d.Unseen(); len(u) != 2 || u[0] != 0 || u[1] != 2 {
		t.Error(u)
	}
	for _, ridge := range []float64{0, 1} {
		s := must(d.LeastSquares(ridge, counts.Stop{Iterations: 10}))(t)
		c := must(d.Constrained(ridge, counts.Stop{Iterations: 10}))(t)
		if s.W.At(0, 1) != .5 || c.W.At(2, 0) != .5 {
			t.Error(s.W, c.W)
		}
	}
}

func TestErrors(t *testing.T) {
	sequences := [][]int{{0, 1, 0}, {}}
	for name, a := range map[string]counts.Annotation{
		"no sequence":          {Sequence: 2, Hi: 1, Labels: []int{0}, Counts: []int{0}},
		"region too long":      {Lo: 1, Hi: 4, Labels: []int{0}, Counts: []int{0}},
		"region before":        {Lo: -1, Hi: 1, Labels: []int{0}, Counts: []int{0}},
		"region empty":         {Lo: 1, Hi: 1, Labels: []int{0}, Counts: []int{0}},
		"nothing counted":      {Hi: 1},
		"a count too few":      {Hi: 1, Labels: []int{0}},
		"no such label":        {Hi: 1, Labels: []int{3}, Counts: []int{0}},
		"negative":             {Hi: 1, Labels: []int{0}, Counts: []int{-1}},
		"more than the region": {Hi: 2, Labels: []int{0}, Counts: []int{3}},
		"sum too large":        {Hi: 2, Labels: []int{0, 1}, Counts: []int{2, 1}},
		"sum too small":        {Hi: 2, Labels: []int{0, 1, 2}, Counts: []int{1, 0, 0}},
		"twice":                {Hi: 2, Labels: []int{1, 1}, Counts: []int{1, 0}},
	} {
		if _, err := counts.New(2, 3, sequences, []counts.Annotation{a}); !errors.Is(err, moments.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := []counts.Annotation{{Hi: 2, Labels: []int{0}, Counts: []int{1}}}
	if _, err := counts.New(1, 3, sequences, good); !errors.Is(err, moments.ErrInvalid) {
		t.Error("no such symbol:", err)
	}
	if _, err := counts.New(2, 3, sequences, nil); !errors.Is(err, moments.ErrInvalid) {
		t.Error("no annotations:", err)
	}
	d := must(counts.New(2, 3, sequences, good))(t)
	for _, ridge := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := d.LeastSquares(ridge, counts.Stop{}); !errors.Is(err, moments.ErrInvalid) {
			t.Error(err)
		}
		if _, err := d.Constrained(ridge, counts.Stop{}); !errors.Is(err, moments.ErrInvalid) {
			t.Error(err)
		}
	}
}

// Regions lie in their sequences, cover all positions, and have the correct counts.
func TestSimulate(t *testing.T) {
	labels := [][]int{{0, 1, 1, 2, 0}, {}, {2}}
	seen := map[int]int{}
	for seed := range uint64(300) {
		all := counts.Simulate(labels, 3, 2, random(seed))
		if len(all) != 2 || all[1].Hi != 1 {
			t.Fatal(all)
		}
		seen[all[0].Lo]++
		must(counts.New(3, 3, labels, all))(t)
		for b := range 3 {
			n := 0
			for _, y := range labels[0][all[0].Lo:all[0].Hi] {
				if y == b {
					n++
				}
			}
			if all[0].Counts[b] != n {
				t.Fatal(all[0])
			}
		}
	}
	for lo := range 4 {
		if seen[lo] < 40 {
			t.Errorf("%d regions begin at %d of %v", seen[lo], lo, seen)
		}
	}
}
