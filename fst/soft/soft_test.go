package soft_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/soft"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

type weight = semiring.ScaledFloat

// randomMachine has labels up to columns on both tapes, and ε. Arcs that read ε weigh little, so
// that their cycles have sums.
func randomMachine(t testing.TB, r *rand.Rand, columns int32) *fst.FST[weight] {
	t.Helper()
	b := fst.NewBuilder[weight](semiring.Scaled{})
	b.AllowZero()
	states := 1 + r.Int32N(5)
	b.AddStates(int(states))
	for s := range 1 + r.Int32N(min(2, states)) {
		b.AddStart(s, semiring.NewScaled(r.Float64()))
	}
	for range r.IntN(16) {
		a := fst.Arc[weight]{In: r.Int32N(columns + 1), Out: r.Int32N(3), To: r.Int32N(states), Weight: semiring.NewScaled(r.Float64())}
		if a.In == fst.Epsilon {
			a.Weight = a.Weight.Mul(semiring.NewScaled(.06))
		}
		b.AddArc(r.Int32N(states), a)
	}
	for range 1 + r.IntN(2) {
		b.SetFinal(r.Int32N(states), semiring.NewScaled(r.Float64()))
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func randomEmissions(t testing.TB, r *rand.Rand, n, columns int) *frames.Emissions {
	t.Helper()
	x := make([]float64, n*columns)
	for i := range x {
		if x[i] = 3 * r.NormFloat64(); i%columns > 0 && r.IntN(8) == 0 {
			x[i] = math.Inf(-1)
		}
	}
	e, err := frames.Scores(n, columns, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func apart(a, b weight) float64 { return semiring.Scaled{}.Dist(a, b) }

// TestCompose compares sums, γ and best paths with the results for the composition of the soft
// string, as a machine, with the machine.
func TestCompose(t *testing.T) {
	var s frames.Scratch
	some := 0
	for seed := range trials.Seeds(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		columns := 1 + r.IntN(4)
		m := randomMachine(t, r, int32(columns))
		e := randomEmissions(t, r, 1+r.IntN(6), columns)
		reader, err := soft.New(m, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		string := soft.Machine(semiring.Scaled{}, e)
		want, err := fst.PathSum(fst.Compose(string, m), nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := reader.PathSum(e, &s)
		if err != nil || apart(sum, want) > 1e-12 {
			t.Fatalf("seed %d: sum %v, %v, want %v", seed, sum, err, want)
		}
		uses := frames.Parts{Arc: make([]float64, m.NumArcs())}
		gamma := make([]float64, e.Frames()*columns)
		if total, err := reader.Counts(e, 1, uses, gamma, &s); err != nil || total != sum {
			t.Fatalf("seed %d: total %v, %v, want %v", seed, total, err, sum)
		}
		best, err := reader.Best(e, &s)
		if want.IsZero() {
			paths, err2 := reader.Sample(e, 1, r, &s)
			all, err3 := reader.BestPaths(e, 3)
			if !errors.Is(err, graph.ErrNoPath) || !errors.Is(err2, graph.ErrNoPath) || err3 != nil || len(paths)+len(all) > 0 {
				t.Fatalf("seed %d: %v, %v, %v, %v, but there is no path", seed, err, err2, err3, all)
			}
			continue
		}
		some++
		checkGamma(t, m, e, gamma, want)
		viterbi, err2 := fst.BestPaths(fst.Map(fst.Machine[weight](fst.Compose(string, m)), semiring.Viterbi{}, func(w weight) weight { return w }), 3, nil)
		if err != nil || err2 != nil || apart(best.Weight, viterbi[0].Weight) > 1e-12 {
			t.Fatalf("seed %d: best %v, %v, want %v, %v", seed, best, err, viterbi, err2)
		}
		check(t, reader, e, best)
		paths, err := reader.BestPaths(e, 3)
		if err != nil || len(paths) != len(viterbi) {
			t.Fatalf("seed %d: %d best paths, %v, want %d", seed, len(paths), err, len(viterbi))
		}
		for i, p := range paths {
			if check(t, reader, e, p); apart(p.Weight, viterbi[i].Weight) > 1e-12 {
				t.Fatalf("seed %d: path %d weighs %v, want %v", seed, i, p.Weight, viterbi[i].Weight)
			}
		}
		drawn, err := reader.Sample(e, 3, r, &s)
		if err != nil || len(drawn) != 3 {
			t.Fatalf("seed %d: %d random paths, %v", seed, len(drawn), err)
		}
		for _, p := range drawn {
			check(t, reader, e, p)
		}
	}
	if some < 100 {
		t.Errorf("only %d machines read something", some)
	}
}

// checkGamma compares γ with shares of the sum over the soft string without all other symbols in
// a frame.
func checkGamma(t *testing.T, m *fst.FST[weight], e *frames.Emissions, gamma []float64, total weight) {
	t.Helper()
	n, columns := e.Frames(), e.Symbols()
	for frame := range n {
		for v := range columns {
			x := make([]float64, n*columns)
			for i := range x {
				if x[i] = e.Log(i/columns, i%columns); i/columns == frame && i%columns != v {
					x[i] = math.Inf(-1)
				}
			}
			var part weight
			if !math.IsInf(e.Log(frame, v), -1) {
				one, err := frames.LogProbabilities(n, columns, x, &frames.Options{Unnormalized: true})
				if err != nil {
					t.Fatal(err)
				}
				if part, err = fst.PathSum(fst.Compose(soft.Machine(semiring.Scaled{}, one), m), nil); err != nil {
					t.Fatal(err)
				}
			}
			if want := part.Div(total).Float64(); math.Abs(gamma[frame*columns+v]-want) > 1e-12 {
				t.Fatalf("γ of symbol %d in frame %d is %v, want %v", v, frame, gamma[frame*columns+v], want)
			}
		}
	}
}

// check checks that a path is a path of the reader, with the correct labels and weight.
func check(t *testing.T, r *soft.Reader, e *frames.Emissions, p soft.Path) {
	t.Helper()
	f := r.FST()
	g := f.Graph()
	var in, out, at []int32
	w := weight{}
	for _, s := range g.Starts() {
		if s.State == p.States[0] {
			w = w.Add(s.Weight)
		}
	}
	for i, k := range p.Arcs {
		from := p.States[i]
		if k < g.Row()[from] || k >= g.Row()[from+1] || g.To()[k] != p.States[i+1] {
			t.Fatalf("arc %d of %v from state %d", k, p, from)
		}
		if y := f.Out()[k]; y != fst.Epsilon {
			out, at = append(out, y), append(at, int32(len(in)))
		}
		w = w.Mul(g.Weights()[k])
		if x := f.In()[k]; x != fst.Epsilon {
			w = w.Mul(e.Weight(len(in), int(x-1)))
			in = append(in, x)
		}
	}
	w = w.Mul(g.Finals()[p.States[len(p.Arcs)]])
	if len(in) != e.Frames() || !slices.Equal(in, p.In) || !slices.Equal(out, p.Out) || !slices.Equal(at, p.OutFrames) || apart(w, p.Weight) > 1e-12 {
		t.Fatalf("%+v, want %v, %v at %v of weight %v", p, in, out, at, w)
	}
}

// TestMachine compares the soft string with an explicit machine, over several rings.
func TestMachine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := randomEmissions(t, r, 3, 3)
	f, err := fst.Expand(soft.Machine(semiring.Scaled{}, e), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.NumStates() != 4 {
		t.Errorf("%d states, want 4", f.NumStates())
	}
	for k, x := range f.In() {
		if frame := k; x != f.Out()[k] || x < 1 || x > 3 {
			t.Errorf("arc %d reads %d and writes %d", frame, x, f.Out()[k])
		}
	}
	for s := range int32(3) {
		arcs := f.AppendArcs(nil, s)
		for _, a := range arcs {
			if a.To != s+1 || a.Weight != e.Weight(int(s), int(a.In-1)) {
				t.Errorf("state %d: %+v", s, a)
			}
		}
		for label := range int32(5) {
			finder := soft.Machine(semiring.Scaled{}, e).(fst.Finder[weight])
			found := finder.AppendMatching(nil, s, fst.Input, label)
			want := slices.DeleteFunc(slices.Clone(arcs), func(a fst.Arc[weight]) bool { return a.In != label })
			if !slices.Equal(found, want) {
				t.Errorf("state %d, label %d: %v, want %v", s, label, found, want)
			}
		}
	}
	z, err := fst.PathSum(soft.Machine(semiring.Real{}, e), nil)
	if err != nil || math.Abs(z-1) > 1e-14 {
		t.Errorf("all strings weigh %v, %v, want 1", z, err)
	}
	if _, err := fst.PathSum(soft.Machine(semiring.LeftString{}, e), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("%v, want semiring.ErrCapability", err)
	}
}

// TestOutput reads the output tape.
func TestOutput(t *testing.T) {
	one := semiring.NewScaled(1)
	m := fst.OneState(semiring.Scaled{}, one, fst.Arc[weight]{In: 9, Out: 1, Weight: one}, fst.Arc[weight]{In: 8, Out: 2, Weight: one})
	reader, err := soft.New(fst.Invert(m), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := frames.Probabilities(2, 2, []float64{.9, .1, .2, .8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	best, err := reader.Best(e, new(frames.Scratch))
	if err != nil || !slices.Equal(best.Out, []int32{9, 8}) || !slices.Equal(best.OutFrames, []int32{0, 1}) {
		t.Errorf("%+v, %v", best, err)
	}
}

func TestRefuses(t *testing.T) {
	one := semiring.NewScaled(1)
	arc := func(label int32, w weight) fst.Machine[weight] {
		return fst.OneState(semiring.Scaled{}, one, fst.Arc[weight]{In: label, Out: 5, Weight: w})
	}
	for name, c := range map[string]struct {
		m    fst.Machine[weight]
		want error
		text string
	}{
		"label":     {arc(4, one), fst.ErrInvalid, "arc 0 of state 0 reads 4, want labels up to 3"},
		"negative":  {arc(1, semiring.NewScaled(-1)), semiring.ErrNegative, "arc 0"},
		"divergent": {arc(0, one), semiring.ErrDiverges, "state 0"},
		"failed":    {fst.Failed(semiring.Scaled{}, semiring.ErrLimit), semiring.ErrLimit, "limit"},
	} {
		if _, err := soft.New(c.m, 3, nil); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "soft: New: ") {
			t.Errorf("%s: %v, want %v with %q", name, err, c.want, c.text)
		}
	}
	if _, err := soft.New(arc(1, one), 3, &fst.Options{Limit: 1}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("%v, want semiring.ErrLimit", err)
	}
	reader, err := soft.New(arc(1, one), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 3))
	other := randomEmissions(t, r, 2, 2)
	var s frames.Scratch
	_, err1 := reader.PathSum(other, &s)
	_, err2 := reader.Counts(other, 1, frames.Parts{}, nil, &s)
	_, err3 := reader.Best(other, &s)
	_, err4 := reader.BestPaths(other, 2)
	_, err5 := reader.Sample(other, 2, r, &s)
	for _, err := range []error{err1, err2, err3, err4, err5} {
		if !errors.Is(err, semiring.ErrShape) || !strings.HasPrefix(err.Error(), "soft: ") {
			t.Errorf("%v, want semiring.ErrShape", err)
		}
	}
}

// TestNoStates tests a reader without states.
func TestNoStates(t *testing.T) {
	reader, err := soft.New(fst.FromArcs[weight](semiring.Scaled{}, nil), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := randomEmissions(t, rand.New(rand.NewPCG(1, 4)), 2, 2)
	if z, err := reader.PathSum(e, new(frames.Scratch)); err != nil || !z.IsZero() {
		t.Error(z, err)
	}
	if _, err := reader.Best(e, new(frames.Scratch)); !errors.Is(err, graph.ErrNoPath) {
		t.Errorf("%v, want graph.ErrNoPath", err)
	}
}
