package fst_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// OpenFst's tools are another implementation of most operations. The tests that use them are
// skipped if they are not installed, unless the environment variable PATHSUM_OPENFST is
// "require".

// openFst runs tools of OpenFst in a folder of machines.
type openFst[W any] struct {
	dir  string
	ring semiring.Semiring[W]
	arcs string // the arc type of the machines
}

func newOpenFst[W any](t *testing.T, ring semiring.Semiring[W], arcs string) *openFst[W] {
	t.Helper()
	if _, err := exec.LookPath("fstcompile"); err != nil {
		if os.Getenv("PATHSUM_OPENFST") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return &openFst[W]{t.TempDir(), ring, arcs}
}

// run returns the output of a tool, false if its answer is no.
func (x *openFst[W]) run(t *testing.T, input []byte, name string, args ...string) ([]byte, bool) {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = x.dir, bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	no := errors.As(err, &exit) && exit.ExitCode() == 2
	if err != nil && !no || stderr.Len() > 0 {
		t.Fatalf("%s %v: %v: %s", name, args, err, stderr.Bytes())
	}
	return out, !no
}

// write stores f as the machine with this name.
func (x *openFst[W]) write(t *testing.T, name string, f *fst.FST[W]) {
	t.Helper()
	var text bytes.Buffer
	if err := fstio.WriteText(&text, f, nil); err != nil {
		t.Fatal(err)
	}
	out, _ := x.run(t, text.Bytes(), "fstcompile", "--arc_type="+x.arcs)
	if err := os.WriteFile(filepath.Join(x.dir, name), out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// result returns the machine that a tool writes.
func (x *openFst[W]) result(t *testing.T, name string, args ...string) *fst.FST[W] {
	t.Helper()
	out, _ := x.run(t, nil, name, args...)
	text, _ := x.run(t, out, "fstprint")
	return must(fstio.ReadText(bytes.NewReader(text), x.ring, nil))(t)
}

// stored returns the machine of a file, with OpenFst's state numbers.
func (x *openFst[W]) stored(t *testing.T, name string) *fst.FST[W] {
	t.Helper()
	return must(fstio.ReadBinaryFile(filepath.Join(x.dir, name), x.ring))(t)
}

// agree fails the test if the weights of a pair of strings in two machines differ by more than
// 1e-6, or if size is true and their sizes differ.
func agree[W any](t *testing.T, seed uint64, what string, got, want *fst.FST[W], size bool) {
	t.Helper()
	metric := must(semiring.Require[semiring.Metric[W]](want.Semiring()))(t)
	if d := fsttest.DiffWeights(got, want, 2, 3, metric.Dist, 1e-6); d != "" {
		t.Fatalf("seed %d, %s: %s\ngot\n%s\nwant\n%s", seed, what, d, got, want)
	}
	if size && (got.NumStates() != want.NumStates() || got.NumArcs() != want.NumArcs()) {
		t.Fatalf("seed %d, %s: %d states and %d arcs, OpenFst has %d and %d\ngot\n%s\nwant\n%s", seed, what,
			got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs(), got, want)
	}
}

// single returns a trimmed random machine with one start of weight One, as OpenFst requires.
// Weights are costs that float32 represents exactly.
func single(seed uint64, acceptor bool) *fst.FST[semiring.Cost] {
	r := fsttest.Rand(seed)
	shape := fsttest.Shape{States: 7, Arcs: 16, Labels: 2, Epsilon: .2 * float64(seed%3), Acyclic: seed%2 == 0}
	f := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(16)) / 8 })
	if acceptor {
		f = fsttest.Frozen(fst.ProjectIn(f))
	}
	starts := []fst.Start[semiring.Cost]{{State: f.AppendStarts(nil)[0].State}}
	f, err := f.WithWeights(f.Graph().Weights(), starts, f.Graph().Finals())
	if err != nil {
		panic(err)
	}
	return must2(fst.Connect(f, nil))
}

// distinct returns f with parallel arcs merged, as in ε-removal of a machine with encoded
// labels.
func distinct(t *testing.T, f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
	identity := make([]int32, f.NumStates())
	for s := range identity {
		identity[s] = int32(s)
	}
	return must(fst.Quotient(f, identity, nil))(t)
}

func TestOpenFstRemoveEpsilon(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	y := newOpenFst(t, logs, "log64")
	for seed := range trials.Seeds(8) {
		f := single(seed, seed%4 < 2)
		x.write(t, "f", f)
		agree(t, seed, "ε-removal", must(fst.Expand(fst.RemoveEpsilon(f), nil))(t), distinct(t, x.result(t, "fstrmepsilon", "f")), true)
		g := fsttest.Frozen(fst.Map(f, logs, func(w semiring.Cost) semiring.LogProb { return semiring.LogProb(-2 - w) }))
		y.write(t, "f", g)
		want := y.result(t, "fstrmepsilon", "--delta=1e-9", "f")
		agree(t, seed, "ε-removal in Log", must(fst.Expand(fst.RemoveEpsilon(g), nil))(t), want, false)
	}
}

func TestOpenFstDeterminizesAndMinimizes(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	compared := 0
	for seed := range trials.Seeds(16) {
		f := must(fst.Expand(fst.RemoveEpsilon(single(seed, true)), nil))(t)
		got, err := fst.Expand(fst.Determinize(f, small), nil)
		if err != nil || f.NumStates() == 0 {
			continue // OpenFst would not terminate either
		}
		compared++
		x.write(t, "f", f)
		agree(t, seed, "determinization", got, x.result(t, "fstdeterminize", "f"), true)
		// Drop the total weight, which OpenFst leaves on the first arcs.
		got = must(fst.PushWeights(got, fst.TowardInitial, nil))(t)
		got = must(got.WithWeights(got.Graph().Weights(), []fst.Start[semiring.Cost]{{State: got.AppendStarts(nil)[0].State}}, got.Graph().Finals()))(t)
		x.write(t, "d", got)
		agree(t, seed, "minimization", must(fst.Minimize(got, nil))(t), x.result(t, "fstminimize", "d"), true)
	}
	if compared < 5 {
		t.Errorf("%d machines were compared", compared)
	}
}

func TestOpenFstDeterminizesTransducers(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(8) {
		f := must(fst.Connect(readers(fsttest.Rand(seed)), nil))(t)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		got, err := fst.Expand(fst.Determinize(f, nil), nil)
		if err == nil {
			agree(t, seed, "determinization", got, x.result(t, "fstdeterminize", "f"), false)
		} else if !errors.Is(err, fst.ErrNotFunctional) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		agree(t, seed, "all outputs", must(fst.DeterminizeAll(f, nil))(t), x.result(t, "fstdeterminize", "--det_type=nonfunctional", "f"), false)
		got = must(fst.DeterminizeBest(f, nil))(t)
		if want := x.result(t, "fstdeterminize", "--det_type=disambiguate", "f"); len(got.In()) > 0 {
			agree(t, seed, "best inputs", fsttest.Frozen(fst.ProjectIn(got)), fsttest.Frozen(fst.ProjectIn(want)), false)
		}
		x.write(t, "d", got)
		agree(t, seed, "minimization", must(fst.Minimize(got, nil))(t), x.result(t, "fstminimize", "d"), false)
	}
}

// OpenFst keeps other paths, so sizes differ.
func TestOpenFstDisambiguates(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	compared := 0
	for seed := range trials.Seeds(12) {
		f := must(fst.Expand(fst.RemoveEpsilon(single(seed, true)), nil))(t)
		got, err := fst.Disambiguate(f, small)
		if err != nil || f.NumStates() == 0 {
			continue // OpenFst would not terminate either
		}
		compared++
		x.write(t, "f", f)
		agree(t, seed, "disambiguation", got, x.result(t, "fstdisambiguate", "f"), false)
		unambiguous(t, seed, got)
	}
	if compared < 5 {
		t.Errorf("%d machines were compared", compared)
	}
}

func TestOpenFstPushes(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(8) {
		f := single(seed, false)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		agree(t, seed, "pushing to the start", must(fst.PushWeights(f, fst.TowardInitial, nil))(t), x.result(t, "fstpush", "--push_weights", "f"), false)
		agree(t, seed, "pushing to the end", must(fst.PushWeights(f, fst.TowardFinal, nil))(t), x.result(t, "fstpush", "--push_weights", "--to_final", "f"), false)
		if seed%2 == 0 { // otherwise its labels may be wrong
			agree(t, seed, "pushing labels", must(fst.PushLabels(f, fst.TowardInitial, nil))(t), x.result(t, "fstpush", "--push_labels", "f"), false)
		}
	}
}

func TestOpenFstSets(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(8) {
		a, b := must(fst.ArcSortIn(single(2*seed, true), nil))(t), single(2*seed+1, true)
		b = fsttest.Frozen(fst.Map(b, costs, func(w semiring.Cost) semiring.Cost { return min(0, w-w) }))
		for s, w := range b.Graph().Finals() { // Inf − Inf is NaN
			if w != w {
				b.Graph().Finals()[s] = costs.Zero()
			}
		}
		set := must(fst.Expand(fst.Determinize(fst.RemoveEpsilon(b), nil), nil))(t)
		if a.NumStates() == 0 || set.NumStates() == 0 {
			continue
		}
		x.write(t, "a", a)
		x.write(t, "b", set)
		both := must(fst.Expand(fst.Intersect(a, set), nil))(t)
		agree(t, seed, "intersection", must(fst.Connect(both, nil))(t), x.result(t, "fstintersect", "a", "b"), true)
		less := must(fst.Expand(fst.Difference(a, b, nil), nil))(t)
		agree(t, seed, "difference", must(fst.Connect(less, nil))(t), x.result(t, "fstdifference", "a", "b"), true)
	}
}

func TestOpenFstEquivalence(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(8) {
		r := fsttest.Rand(seed)
		a := automaton(r, costs, 0, 1)
		b := must(fst.Minimize(a, nil))(t)
		if seed%2 == 1 {
			b = original(r, costs, 0, 1)
		}
		a, b = must(fst.Connect(a, nil))(t), must(fst.Connect(b, nil))(t)
		if a.NumStates() == 0 || b.NumStates() == 0 {
			continue
		}
		w := b.AppendStarts(nil)[0].Weight // OpenFst has no start weights
		b = must(b.WithWeights(b.Graph().Weights(), []fst.Start[semiring.Cost]{{State: b.AppendStarts(nil)[0].State}}, b.Graph().Finals()))(t)
		x.write(t, "a", a)
		x.write(t, "b", b)
		if _, want := x.run(t, nil, "fstequivalent", "a", "b"); must(fst.Equivalent(a, b, nil))(t) != want || w == 0 && seed%2 == 0 && !want {
			t.Fatalf("seed %d: OpenFst says that equivalence is %v", seed, want)
		}
		c := shuffled(t, r, a)
		x.write(t, "c", c)
		for name, f := range map[string]*fst.FST[semiring.Cost]{"b": b, "c": c} {
			_, want := x.run(t, nil, "fstisomorphic", "a", name)
			want = want && f.NumStates() == a.NumStates() // OpenFst accepts a map that is not injective
			if must(fst.Isomorphic(a, f, nil))(t) != want {
				t.Fatalf("seed %d: OpenFst says that isomorphism is %v", seed, want)
			}
		}
	}
}

func TestOpenFstPaths(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	for seed := range trials.Seeds(8) {
		f := single(seed, true)
		if f.NumStates() == 0 {
			continue
		}
		x.write(t, "f", f)
		n := 1 + int(seed)
		want := costsOf(x.result(t, "fstshortestpath", "--nshortest="+strconv.Itoa(n), "f"))
		got := costsOf(must(fst.ShortestPaths(f, n, nil))(t))
		if len(got) != len(want) {
			t.Fatalf("seed %d: paths cost %v, OpenFst has %v", seed, got, want)
		}
		for i := range got {
			if math.Abs(float64(got[i]-want[i])) > 1e-6 {
				t.Fatalf("seed %d: paths cost %v, OpenFst has %v", seed, got, want)
			}
		}
		beam := semiring.Cost(seed) / 8
		agree(t, seed, "pruning", must(fst.PruneBeam(f, beam, nil))(t), x.result(t, "fstprune", "--weight="+strconv.FormatFloat(float64(beam), 'g', -1, 64), "f"), true)
		if seed%2 == 0 {
			agree(t, seed, "synchronization", must(fst.Expand(fst.Synchronize(f, nil), nil))(t), x.result(t, "fstsynchronize", "f"), false)
			agree(t, seed, "topological order", must(fst.TopSort(f, nil))(t), x.result(t, "fsttopsort", "f"), true)
		}
	}
}

func TestOpenFstReplace(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	enter := map[string]func(in, out int32) (int32, int32){
		"neither": nil,
		"input":   func(in, _ int32) (int32, int32) { return in, fst.Epsilon },
		"output":  func(_, out int32) (int32, int32) { return fst.Epsilon, out },
		"both":    func(in, out int32) (int32, int32) { return in, out },
	}
	leave := map[string]func(label int32) (int32, int32){
		"neither": nil,
		"input":   func(int32) (int32, int32) { return 1, fst.Epsilon },
		"output":  func(int32) (int32, int32) { return fst.Epsilon, 1 },
		"both":    func(int32) (int32, int32) { return 1, 1 },
	}
	for seed := range trials.Seeds(3) {
		root, part := single(2*seed, seed%2 == 0), fst.FromPair(costs, []int32{1}, []int32{1, 1})
		if root.NumStates() == 0 {
			continue
		}
		x.write(t, "root", root)
		x.write(t, "part", part)
		for call := range enter {
			for back := range leave {
				want := x.result(t, "fstreplace", "--call_arc_labeling="+call, "--return_arc_labeling="+back, "--return_label=1", "root", "7", "part", "2")
				got := must(fst.Expand(fst.Replace(root, map[int32]fst.Machine[semiring.Cost]{2: part}, &fst.Calls{Enter: enter[call], Leave: leave[back]}), nil))(t)
				agree(t, seed, "replacement, "+call+" and "+back, got, want, false)
			}
		}
	}
}
