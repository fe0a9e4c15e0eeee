package fst_test

import (
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// fileOf reads one of the acceptors of the benchmarks.
func fileOf(b *testing.B, name string) *fst.FST[semiring.Cost] {
	b.Helper()
	return must(fstio.ReadText(benchdata.Open(b, name), costs, &fstio.Options{Form: fstio.Acceptor}))(b)
}

// hasSize fails the benchmark if f has not the size that is known from elsewhere for
// the inputs of the default seed.
func hasSize[W any](b *testing.B, f *fst.FST[W], states, arcs int) {
	b.Helper()
	if benchdata.DefaultSeed(b) && (f.NumStates() != states || f.NumArcs() != arcs) {
		b.Fatalf("%d states and %d arcs, want %d and %d", f.NumStates(), f.NumArcs(), states, arcs)
	}
}

func logOf(w semiring.Cost) semiring.LogProb { return semiring.LogProb(-w) }

// BenchmarkRemoveEpsilon is ε-removal on 100,000 states of which 30 % of the arcs are
// ε, acyclic, and on 20,000 with ε-cycles.
func BenchmarkRemoveEpsilon(b *testing.B) {
	for _, in := range []struct {
		file         string
		states, arcs int
	}{{"eps_dag.fsa.txt", 96428, 57783552}, {"eps_cyc.fsa.txt", 19643, 295213}} {
		f := fileOf(b, in.file)
		b.Run(in.file+"/tropical", func(b *testing.B) { benchRemoval(b, f, in.states, in.arcs) })
		b.Run(in.file+"/log", func(b *testing.B) { benchRemoval(b, fsttest.Frozen(fst.Map(f, logs, logOf)), in.states, in.arcs) })
	}
}

func benchRemoval[W any](b *testing.B, f *fst.FST[W], states, arcs int) {
	defer benchtime.Per(b, arcs, "arc")()
	for b.Loop() {
		hasSize(b, must(fst.Expand(fst.RemoveEpsilon(f), nil))(b), states, arcs)
	}
}

// BenchmarkDeterminize makes the prefix tree of 50,000 words from the words one by one.
func BenchmarkDeterminize(b *testing.B) {
	for _, file := range []string{"words.fsa.txt", "wwords.fsa.txt"} {
		f := fileOf(b, file)
		b.Run(file, func(b *testing.B) {
			defer benchtime.Per(b, f.NumArcs(), "arc")()
			for b.Loop() {
				hasSize(b, must(fst.Expand(fst.Determinize(f, nil), nil))(b), 259050, 259049)
			}
		})
	}
}

// BenchmarkMinimize makes the least automaton of 50,000 words from the words one by one.
func BenchmarkMinimize(b *testing.B) {
	for _, in := range []struct {
		file         string
		states, arcs int
	}{{"words.fsa.txt", 50822, 96528}, {"wwords.fsa.txt", 52205, 99109}} {
		f := fileOf(b, in.file)
		b.Run(in.file, func(b *testing.B) {
			defer benchtime.Per(b, f.NumArcs(), "arc")()
			for b.Loop() {
				hasSize(b, must(fst.Minimize(fst.Determinize(f, nil), nil))(b), in.states, in.arcs)
			}
		})
	}
}

// BenchmarkShortestPaths makes the machine of the 100 best paths of a lattice of a
// million arcs.
func BenchmarkShortestPaths(b *testing.B) {
	f := fileOf(b, "lattice.fsa.txt")
	b.Run("100", func(b *testing.B) {
		defer benchtime.Per(b, f.NumArcs(), "arc")()
		for b.Loop() {
			g := must(fst.ShortestPaths(f, 100, nil))(b)
			if best := must(graph.PathSum(g.Graph()))(b); benchdata.DefaultSeed(b) && math.Abs(float64(best)-887.1387) > 1e-3 {
				b.Fatalf("the best path costs %v, want 887.1387", best)
			}
		}
	})
}
