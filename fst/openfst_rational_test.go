package fst_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Operations on one transducer.
func TestOpenFstUnary(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	if err := os.WriteFile(filepath.Join(x.dir, "pairs"), []byte("1 2\n2 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	swap := func(label int32) int32 { return []int32{0, 2, 1}[label] }
	scaled := func(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
		g := fsttest.Frozen(fst.Map(f, costs, func(w semiring.Cost) semiring.Cost { return w + .5 }))
		return must(g.WithWeights(g.Graph().Weights(), f.AppendStarts(nil), g.Graph().Finals()))(t)
	}
	type machine = *fst.FST[semiring.Cost]
	for _, op := range []struct {
		tool []string
		do   func(f machine) machine
		size bool
	}{
		{[]string{"fstclosure"}, func(f machine) machine { return must(fst.Expand(fst.Star(f), nil))(t) }, false},
		{[]string{"fstclosure", "--closure_plus"}, func(f machine) machine { return must(fst.Expand(fst.Plus(f), nil))(t) }, false},
		{[]string{"fstinvert"}, func(f machine) machine { return fsttest.Frozen(fst.Invert(f)) }, true},
		{[]string{"fstproject"}, func(f machine) machine { return fsttest.Frozen(fst.ProjectIn(f)) }, true},
		{[]string{"fstproject", "--project_type=output"}, func(f machine) machine { return fsttest.Frozen(fst.ProjectOut(f)) }, true},
		{[]string{"fstreverse"}, func(f machine) machine { return must(fst.Reverse(f, nil))(t) }, false},
		{[]string{"fstconnect"}, func(f machine) machine { return must(fst.Connect(f, nil))(t) }, true},
		{[]string{"fstarcsort"}, func(f machine) machine { return must(fst.ArcSortIn(f, nil))(t) }, true},
		{[]string{"fstarcsort", "--sort_type=olabel"}, func(f machine) machine { return must(fst.ArcSortOut(f, nil))(t) }, true},
		{[]string{"fstrelabel", "--relabel_opairs=pairs"}, func(f machine) machine { return must(fst.Expand(fst.Relabel(f, nil, swap), nil))(t) }, true},
		{[]string{"fstmap", "--map_type=times", "--weight=0.5"}, scaled, true},
		{[]string{"fstmap", "--map_type=arc_sum"}, func(f machine) machine { return distinct(t, f) }, true},
		{[]string{"fstmap", "--map_type=rmweight"}, func(f machine) machine {
			return unweighted(f)
		}, true},
	} {
		for seed := range trials.Seeds(3) {
			f := single(seed, false)
			if f.NumStates() == 0 {
				continue
			}
			x.write(t, "f", f)
			agree(t, seed, strings.Join(op.tool, " "), op.do(f), x.result(t, op.tool[0], append(op.tool[1:], "f")...), op.size)
		}
	}
}

// unweighted returns f without costs.
func unweighted(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	return fsttest.Frozen(fst.Map(f, costs, func(w semiring.Cost) semiring.Cost {
		if costs.IsZero(w) {
			return w
		}
		return costs.One()
	}))
}

// Operations on two transducers.
func TestOpenFstBinary(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(4) {
		a, b := single(2*seed, false), single(2*seed+1, false)
		if a.NumStates() == 0 || b.NumStates() == 0 {
			continue
		}
		x.write(t, "a", a)
		x.write(t, "b", must(fst.ArcSortIn(b, nil))(t))
		agree(t, seed, "union", must(fst.Expand(fst.Union(a, b), nil))(t), x.result(t, "fstunion", "a", "b"), false)
		agree(t, seed, "concatenation", must(fst.Expand(fst.Concat(a, b), nil))(t), x.result(t, "fstconcat", "a", "b"), false)
		composed := must(fst.Expand(fst.Compose(a, b), nil))(t)
		agree(t, seed, "composition", composed, x.result(t, "fstcompose", "a", "b"), false)
	}
}

// Encoded, determinized and decoded machines have the same relation; sizes differ because
// OpenFst does not encode ε:ε as a label.
func TestOpenFstEncodes(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(6) {
		f := single(seed, false)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		for _, flags := range [][]string{{"--encode_labels"}, {"--encode_labels", "--encode_weights"}} {
			codec := must(fst.NewCodec(costs, fst.ArcParts(len(flags)<<1-1)))(t)
			got, err := fst.Expand(fst.Determinize(must(codec.Encode(f, nil))(t), small), nil)
			if err != nil {
				continue // OpenFst would not terminate either
			}
			file := func(name string, out []byte) string {
				if err := os.WriteFile(filepath.Join(x.dir, name), out, 0o600); err != nil {
					t.Fatal(err)
				}
				return name
			}
			encoded, _ := x.run(t, nil, "fstencode", append(flags, "f", "codec")...)
			smaller, _ := x.run(t, nil, "fstdeterminize", file("encoded", encoded))
			want := x.result(t, "fstencode", "--decode", file("smaller", smaller), "codec")
			agree(t, seed, fmt.Sprint(flags), must(codec.Decode(got, nil))(t), want, false)
		}
	}
}

// The complement is the set of all strings minus the strings of the machine, and has the same
// number of states when minimal.
func TestOpenFstComplements(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	all := fst.NewBuilder(costs)
	all.AddStart(all.AddState(), 0)
	all.SetFinal(0, 0)
	for label := int32(1); label <= 2; label++ {
		all.AddArc(0, fst.Arc[semiring.Cost]{In: label, Out: label})
	}
	x.write(t, "all", must(all.Freeze())(t))
	for seed := range trials.Seeds(6) {
		f := single(seed, true)
		if f.NumStates() == 0 {
			continue
		}
		f = unweighted(f)
		set := must(fst.Expand(fst.Determinize(fst.RemoveEpsilon(f), nil), nil))(t)
		x.write(t, "f", set)
		got, want := must(fst.Expand(fst.Complement(f, []int32{1, 2}, nil), nil))(t), x.result(t, "fstdifference", "all", "f")
		agree(t, seed, "complement", got, want, false)
		agree(t, seed, "minimal complement", must(fst.Minimize(got, nil))(t), must(fst.Minimize(want, nil))(t), true)
	}
}

// For acyclic acceptors, the optimum is canonical.
func TestOpenFstOptimizes(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(6) {
		f := single(2*seed, true)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		for _, step := range []string{"fstrmepsilon", "fstdeterminize", "fstminimize"} {
			out, _ := x.run(t, nil, step, "f")
			if err := os.WriteFile(filepath.Join(x.dir, "f"), out, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		agree(t, seed, "optimum", must(fst.Optimize(f, nil))(t), x.result(t, "fstconnect", "f"), true)
	}
}

// Distances to and from states, in a ring that sums and in an idempotent one.
func TestOpenFstDistances(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	y := newOpenFst(t, logs, "log64")
	for seed := range trials.Seeds(6) {
		f := single(seed, false)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		theirs := x.stored(t, "f").Graph()
		near(t, seed, distances(t, x, "f"), must(graph.Forward(theirs))(t), 1)
		near(t, seed, distances(t, x, "--reverse", "f"), must(graph.Backward(theirs))(t), 1)
		// OpenFst iterates over cycles until their contribution vanishes, possibly forever, so
		// cycles get small weights.
		g := fsttest.Frozen(fst.Map(f, logs, func(w semiring.Cost) semiring.LogProb { return semiring.LogProb(-5 - w) }))
		g = must(g.WithWeights(g.Graph().Weights(), []fst.Start[semiring.LogProb]{{State: f.AppendStarts(nil)[0].State}}, g.Graph().Finals()))(t)
		y.write(t, "f", g)
		near(t, seed, distances(t, y, "--delta=1e-12", "f"), must(graph.Forward(y.stored(t, "f").Graph()))(t), -1)
	}
}

// distances returns the finite distances that fstshortestdistance prints.
func distances[W any](t *testing.T, x *openFst[W], args ...string) map[int]float64 {
	t.Helper()
	out, _ := x.run(t, nil, "fstshortestdistance", args...)
	d := map[int]float64{}
	for line := range strings.Lines(string(out)) {
		var s int
		var w float64
		if n, _ := fmt.Sscan(line, &s, &w); n == 2 && !math.IsInf(w, 0) {
			d[s] = w
		}
	}
	return d
}

func near[W ~float64](t *testing.T, seed uint64, want map[int]float64, got []W, sign float64) {
	t.Helper()
	for s, w := range got {
		if x, ok := want[s]; ok && !(math.Abs(sign*float64(w)-x) <= 1e-6) || !ok && !math.IsInf(float64(w), 0) {
			t.Fatalf("seed %d: the distances are %v, OpenFst has %v", seed, got, want)
		}
	}
}

// Random paths of OpenFst and of this package are as frequent as their probabilities predict.
func TestOpenFstSamples(t *testing.T) {
	const draws = 2000
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(3) {
		r := fsttest.Rand(seed)
		f := single(2*seed, true)
		if f.NumStates() == 0 {
			continue
		}
		uniform := must(fst.Uniform(f, nil))(t)
		probability := map[string]float64{}
		for p := range uniform.Paths() {
			probability[fsttest.String(p.In...)] += p.Weight
		}
		ours, theirs := map[string]int{}, map[string]int{}
		sampler := must(fst.NewSampler(uniform, nil))(t)
		for range draws {
			ours[fsttest.String(sampler.Sample(r).In...)]++
		}
		x.write(t, "f", f)
		tree := x.result(t, "fstrandgen", "--weighted", fmt.Sprintf("--npath=%d", draws), fmt.Sprintf("--seed=%d", seed+1), "f")
		for p := range tree.Paths() { // weights are negative logarithms of path counts
			theirs[fsttest.String(p.In...)] += int(math.Round(math.Exp(-float64(p.Weight))))
		}
		for who, counts := range map[string]map[string]int{"the library": ours, "OpenFst": theirs} {
			for text, n := range counts {
				p := probability[text]
				if sd := math.Sqrt(draws * p * (1 - p)); math.Abs(float64(n)-draws*p) > 6*sd+1e-9 {
					t.Fatalf("seed %d: %s draws %q %d times of %d, want %.4g ± %.3g", seed, who, text, n, draws, draws*p, sd)
				}
			}
			for text, p := range probability {
				if counts[text] == 0 && p > 20./draws {
					t.Fatalf("seed %d: %s never draws %q of probability %g", seed, who, text, p)
				}
			}
		}
	}
}
