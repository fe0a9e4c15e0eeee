package batch_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/graph"
)

// moments2 is the weight of a path with its counts, value and their product.
type moments2 = semiring.Expected2[semiring.ScaledFloat, []semiring.ScaledFloat, []semiring.ScaledFloat, []semiring.ScaledFloat]

// secondMoments returns the path sum of g in the second-order expectation semiring,
// whose T is E[N·V] times the total.
func secondMoments(t *testing.T, g *graph.Graph[int32], table []semiring.ScaledFloat, v []float64) (moments2, error) {
	t.Helper()
	scaled := semiring.Scaled{}
	product := semiring.DenseProduct(scaled, len(table), 1)
	ring, err := semiring.Expectation2(scaled, product)
	if err != nil {
		t.Fatal(err)
	}
	rs, ss, _ := product.Modules()
	return graph.PathSum(graph.Map(g, ring, func(k int32) moments2 {
		if k <= 1 {
			return moments2{P: table[k]} // these may be parts that Append leaves out
		}
		unit, value := make([]semiring.ScaledFloat, len(table)), []semiring.ScaledFloat{semiring.NewScaled(v[k])}
		unit[k] = scaled.One()
		x := moments2{P: table[k], R: rs.Left(table[k], unit), S: ss.Left(table[k], value)}
		product.AddProduct(&x.T, table[k], unit, value)
		return x
	}))
}

func component(v []semiring.ScaledFloat, i int) semiring.ScaledFloat {
	if i >= len(v) {
		return semiring.ScaledFloat{}
	}
	return v[i]
}

func randomTilt(r *rand.Rand) []float64 {
	v := make([]float64, tableSize)
	for k := 2; k < len(v); k++ {
		v[k] = r.NormFloat64()
	}
	return v
}

func TestBatchHessianVector(t *testing.T) {
	var scratch batch.Scratch
	cyclic, curved := 0, 0
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		shape, spread := acyclic, []float64{3, 600, 2000}[seed%3]
		if seed%2 == 0 {
			shape, spread = graphtest.Shape{States: 6, Arcs: 9, Starts: 3, Finals: .4, Zero: .1}, 3
		}
		g, table, v := handleGraph(r, shape), randomTable(r, spread), randomTilt(r)
		if seed%2 == 0 {
			for k := 2; k < len(table); k++ {
				table[k] = table[k].Mul(semiring.NewScaled(1. / 80))
			}
		}
		var b batch.Batch
		some, err := batch.AppendGraph(&b, g)
		if err != nil {
			t.Fatal(err)
		}
		if !some {
			continue
		}
		const weight = 2
		count, change, plain := make([]float64, tableSize), make([]float64, tableSize), make([]float64, tableSize)
		total, err := b.HessianVector(0, table, v, weight, count, change, &scratch)
		plainTotal, plainErr := b.Counts(0, table, weight, plain, &scratch)
		if (err == nil) != (plainErr == nil) || total != plainTotal {
			t.Fatalf("seed %d: total %v, %v, counts have %v, %v", seed, total, err, plainTotal, plainErr)
		}
		if err != nil {
			continue
		}
		want, err := secondMoments(t, g, table, v)
		if err != nil || !nearRelative(total, want.P) {
			t.Fatalf("seed %d: total %v, want %v, %v", seed, total, want.P, err)
		}
		if _, ok := g.TopologicalOrder(); !ok {
			cyclic++
		}
		for k := 2; k < tableSize && !total.IsZero(); k++ {
			n, nv := component(want.R, k).Div(want.P).Float64(), component(want.T, k).Div(want.P).Float64()
			mean := component(want.S, 0).Div(want.P).Float64()
			size := 1 + math.Abs(nv) + math.Abs(n*mean)
			if math.Abs(change[k]-weight*(nv-n*mean)) > 1e-9*size || math.Abs(count[k]-weight*n) > 1e-9*size {
				t.Fatalf("seed %d: count %d is %g and changes by %g, want %g and %g", seed, k, count[k], change[k], weight*n, weight*(nv-n*mean))
			}
			if math.Abs(count[k]-plain[k]) > 1e-12*size {
				t.Fatalf("seed %d: count %d is %g, of Counts %g", seed, k, count[k], plain[k])
			}
			if change[k] != 0 {
				curved++
			}
		}
	}
	if cyclic < 100 || curved < 1000 {
		t.Errorf("only %d graphs had a cycle, only %d counts changed", cyclic, curved)
	}
}

// TestBatchHessianVectorDifferences compares the changes with central differences of
// Counts on cyclic graphs.
func TestBatchHessianVectorDifferences(t *testing.T) {
	var scratch batch.Scratch
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g, v := handleGraph(r, graphtest.Shape{States: 6, Arcs: 12, Starts: 2, Finals: .4}), randomTilt(r)
		table := randomTable(r, 1)
		for k := 2; k < len(table); k++ {
			table[k] = table[k].Mul(semiring.NewScaled(1. / 12))
		}
		var b batch.Batch
		if some, err := batch.AppendGraph(&b, g); err != nil || !some {
			continue
		}
		count, change := make([]float64, tableSize), make([]float64, tableSize)
		if _, err := b.HessianVector(0, table, v, 1, count, change, &scratch); err != nil {
			continue // diverges
		}
		const h = 1e-4
		at := func(step float64) []float64 {
			moved := make([]semiring.ScaledFloat, len(table))
			for k, x := range table {
				moved[k] = x.Mul(semiring.NewScaled(math.Exp(step * v[k])))
			}
			count := make([]float64, tableSize)
			if _, err := b.Counts(0, moved, 1, count, &scratch); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return count
		}
		up, down := at(h), at(-h)
		for k := 2; k < tableSize; k++ {
			if want := (up[k] - down[k]) / (2 * h); math.Abs(change[k]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("seed %d: count %d changes by %.10g, finite difference %.10g", seed, k, change[k], want)
			}
		}
	}
}

// TestBatchHessianVectorFails: what Counts refuses, with and without a cycle.
func TestBatchHessianVectorFails(t *testing.T) {
	inf, zero := semiring.NewScaled(math.Inf(1)), semiring.ScaledFloat{}
	for _, c := range []struct {
		name  string
		loop  bool
		table []semiring.ScaledFloat // of an arc to the end, and of the loop
		want  error
	}{
		{"infinite", false, []semiring.ScaledFloat{inf, zero}, semiring.ErrNotFinite},
		{"infinite, cyclic", true, []semiring.ScaledFloat{inf, zero}, semiring.ErrNotFinite},
		{"diverges", true, []semiring.ScaledFloat{semiring.NewScaled(1), semiring.NewScaled(1)}, semiring.ErrDiverges},
		{"zero", false, []semiring.ScaledFloat{zero, zero}, nil},
		{"zero, cyclic", true, []semiring.ScaledFloat{zero, semiring.NewScaled(.5)}, nil},
	} {
		row, to, weight := []int32{0, 1, 1}, []int32{1}, []int32{2}
		if c.loop {
			row, to, weight = []int32{0, 2, 2}, []int32{0, 1}, []int32{3, 2}
		}
		g, err := graph.New(handles{}, row, to, weight, []graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		var b batch.Batch
		if some, err := batch.AppendGraph(&b, g); err != nil || !some {
			t.Fatal(some, err)
		}
		table := append([]semiring.ScaledFloat{zero, semiring.NewScaled(1)}, c.table...)
		count, change := make([]float64, 4), make([]float64, 4)
		total, err := b.HessianVector(0, table, []float64{0, 0, 1, 2}, 1, count, change, new(batch.Scratch))
		if !errors.Is(err, c.want) || err == nil && !total.IsZero() {
			t.Errorf("%s: total %v, error %v, want %v", c.name, total, err, c.want)
		}
		for k := range count {
			if count[k] != 0 || change[k] != 0 {
				t.Errorf("%s: counts %v, changes %v", c.name, count, change)
			}
		}
	}
}

// TestBatchHessianVectorAllocates nothing once scratch has grown.
func TestBatchHessianVectorAllocates(t *testing.T) {
	b, table, scratch := manyLattices(t, 1), uniformTable(), new(batch.Scratch)
	v, count, change := make([]float64, len(table)), make([]float64, len(table)), make([]float64, len(table))
	if n := testing.AllocsPerRun(10, func() {
		if _, err := b.HessianVector(0, table, v, 1, count, change, scratch); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
