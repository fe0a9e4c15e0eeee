package fstio_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// mass returns −ln of the path sum of a machine that is read over ring.
func mass[W any](t *testing.T, ring semiring.Semiring[W], read func(semiring.Semiring[W]) (*fst.FST[W], error)) float64 {
	t.Helper()
	f := must(read(ring))(t)
	prober := must(semiring.Require[semiring.Probabilistic[W]](ring))(t)
	return -prober.Log(must(graph.PathSum(f.Graph()))(t))
}

// A log machine as fstprint writes it: two paths of −ln ½ sum to 1, in whatever ring and from
// whatever form.
func TestTextHasCosts(t *testing.T) {
	const text = "0\t1\t1\t1\t0.693147182\n0\t2\t2\t2\t0.693147182\n1\n2\n"
	for _, x := range []struct {
		what string
		got  float64
		want float64
	}{
		{"Log", mass(t, semiring.Log{}, textOver[semiring.LogProb](text)), 0},
		{"Real", mass(t, reals, textOver[float64](text)), 0},
		{"Scaled", mass(t, semiring.Scaled{}, textOver[semiring.ScaledFloat](text)), 0},
		{"Viterbi", mass(t, semiring.Viterbi{}, textOver[semiring.ScaledFloat](text)), math.Ln2},
		{"Tropical", mass(t, tropical, textOver[semiring.Cost](text)), math.Ln2},
	} {
		if !(math.Abs(x.got-x.want) < 1e-8) {
			t.Errorf("%s: −ln of the path sum is %g, want %g", x.what, x.got, x.want)
		}
	}
	f := must(fstio.ReadStringMap(strings.NewReader("a\tb\t0.6931471805599453\na\tc\t0.6931471805599453\n"), reals, nil))(t)
	if got := must(fst.PathSum(f, nil))(t); math.Abs(got-1) > 1e-15 {
		t.Errorf("a list of strings sums to %g, want 1", got)
	}
}

func textOver[W any](text string) func(semiring.Semiring[W]) (*fst.FST[W], error) {
	return func(ring semiring.Semiring[W]) (*fst.FST[W], error) {
		return fstio.ReadText(strings.NewReader(text), ring, nil)
	}
}

// Text and binary form of a machine are read as the same weights, over every ring of
// probabilities and from each to each.
func TestTextAndBinaryAgree(t *testing.T) {
	for seed := range uint64(40) {
		f := random(seed, 3, false)
		agree(t, over[float64](f, reals))
		agree(t, over[semiring.LogProb](f, semiring.Log{}))
		agree(t, over[semiring.ScaledFloat](f, semiring.Scaled{}))
		agree(t, over[semiring.ScaledFloat](f, semiring.Viterbi{}))
		agree(t, f)
	}
}

// over returns f with weights of the same probabilities.
func over[W any](f *fst.FST[semiring.Cost], ring semiring.Semiring[W]) *fst.FST[W] {
	prober, _ := semiring.As[semiring.Probabilistic[W]](ring)
	return fsttest.Frozen(fst.Map(f, ring, func(c semiring.Cost) W { return prober.FromLog(-float64(c)) }))
}

func agree[W any](t *testing.T, f *fst.FST[W]) {
	t.Helper()
	var binary bytes.Buffer
	if err := fstio.WriteBinary(&binary, f, &fstio.Binary{Arc: fstio.Log64}); err != nil {
		t.Fatal(err)
	}
	// Reading text numbers states in order of appearance, so compare the written texts.
	fromText := must(fstio.ReadText(strings.NewReader(write(t, f, nil)), f.Semiring(), nil))(t)
	fromBinary := must(fstio.ReadBinary(&binary, f.Semiring()))(t)
	a := write(t, must(fstio.ReadText(strings.NewReader(write(t, fromBinary, nil)), f.Semiring(), nil))(t), nil)
	if b := write(t, fromText, nil); a != b {
		t.Errorf("the binary form has\n%sand the text\n%s", a, b)
	}
	same := must(fstio.ReadText(strings.NewReader(write(t, f, &fstio.Options{Weights: fstio.Native})), f.Semiring(), &fstio.Options{Weights: fstio.Native}))(t)
	for e, w := range same.Graph().Weights() {
		if d := f.Semiring().(semiring.Metric[W]).Dist(w, fromText.Graph().Weights()[e]); d > 1e-14 {
			t.Errorf("%T: arc %d has the weight %v as native text, %v as cost", f.Semiring(), e, w, fromText.Graph().Weights()[e])
		}
	}
}

// Native weights are read back to the same bits, in rings whose weights are numbers and in
// others.
func TestNativeWeights(t *testing.T) {
	native := &fstio.Options{Weights: fstio.Native}
	b := fst.NewBuilder(reals)
	b.AddStart(b.AddState(), 1)
	for i, w := range []float64{.1, 1. / 3, -3, 5e-324, 1e308} {
		b.AddArc(0, fst.Arc[float64]{In: int32(i + 1), Out: 1, To: 0, Weight: w})
	}
	b.SetFinal(0, .7)
	f := must(b.Freeze())(t)
	g := must(fstio.ReadText(strings.NewReader(write(t, f, native)), reals, native))(t)
	if same, err := fst.Equal(f, g, &fst.Options{Delta: math.SmallestNonzeroFloat64}); !same || err != nil {
		t.Errorf("%v is read back as %v, %v", f, g, err)
	}
	if err := fstio.WriteText(new(bytes.Buffer), f, nil); err == nil || !strings.Contains(err.Error(), "state 0: a weight -3 has −ln p = NaN") {
		t.Errorf("a negative weight as cost: %v", err)
	}
	lex := must(semiring.Lex[semiring.Cost, float64](tropical, reals))(t)
	h := fst.FromString(lex, []int32{1})
	h = must(h.WithWeights([]semiring.Pair[semiring.Cost, float64]{{First: 2, Second: .5}}, h.Graph().Starts(), h.Graph().Finals()))(t)
	for _, o := range []*fstio.Options{nil, native} {
		if got := write(t, h, o); got != "0\t1\t1\t1\t(2,0.5)\n1\n" {
			t.Errorf("weights of two parts are written as %q", got)
		}
	}
}

// A weight that is more than a probability cannot be stored in a binary form.
func TestBinaryKeepsWholeWeights(t *testing.T) {
	ring := semiring.Expectation[float64, float64](reals, semiring.Scalar[float64](reals))
	for v, fits := range map[float64]bool{0: true, 2: false} {
		weight := semiring.Expected[float64, float64]{P: .5, V: v}
		f := must(fst.Expand(fst.OneState(ring, ring.One(), fst.Arc[semiring.Expected[float64, float64]]{In: 1, Out: 1, Weight: weight}), nil))(t)
		err := fstio.WriteBinary(new(bytes.Buffer), f, nil)
		if fits != (err == nil) || !fits && !strings.Contains(err.Error(), "more components than a probability") {
			t.Errorf("V = %g: %v", v, err)
		}
		start := must(f.WithWeights(f.Graph().Weights(), []fst.Start[semiring.Expected[float64, float64]]{{Weight: semiring.Expected[float64, float64]{P: 1, V: v}}}, f.Graph().Finals()))(t)
		if err := fstio.WriteBinary(new(bytes.Buffer), start, nil); fits != (err == nil) {
			t.Errorf("V = %g of a start: %v", v, err)
		}
	}
}

// A probability that the ring cannot hold is not read as 0, and an infinite one not at all.
func TestCostErrors(t *testing.T) {
	for _, cost := range []float64{800, -800} {
		f := must(fst.Expand(fst.OneState(tropical, semiring.Cost(cost)), nil))(t)
		if _, err := fstio.ReadBinary(bytes.NewReader(writeBinary(t, f, nil)), reals); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("a cost of %g in binary form: %v", cost, err)
		}
		if g := must(fstio.ReadBinary(bytes.NewReader(writeBinary(t, f, nil)), semiring.Scaled{}))(t); g.Final(0).Log() != -cost {
			t.Errorf("a cost of %g is read as %v", cost, g.Final(0))
		}
	}
	if _, err := fstio.ReadText(strings.NewReader("0"), tropical, &fstio.Options{Weights: 2}); err == nil {
		t.Error("there is a third kind of weights")
	}
	if f := must(fstio.ReadText(strings.NewReader("0 Infinity"), reals, nil))(t); f.Final(0) != 0 {
		t.Errorf("an infinite cost is read as %g", f.Final(0))
	}
}

// fstcompile reads costs of log machines as the library writes them, over whatever ring, and
// fstshortestdistance finds the same sums; what fstprint writes is read as the same machine.
func TestOpenFstLogText(t *testing.T) {
	for seed := range uint64(12) {
		f := random(seed, 3, true)
		want := mass(t, semiring.Log{}, func(ring semiring.Semiring[semiring.LogProb]) (*fst.FST[semiring.LogProb], error) {
			return over(f, ring), nil
		})
		for what, text := range map[string]string{
			"Log": write(t, over[semiring.LogProb](f, semiring.Log{}), nil), "Real": write(t, over[float64](f, reals), nil),
			"Scaled": write(t, over[semiring.ScaledFloat](f, semiring.Scaled{}), nil),
		} {
			if text == "" { // without a path
				continue
			}
			compiled := tool(t, []byte(text), "fstcompile", "--arc_type=log64")
			printed := string(tool(t, compiled, "fstprint"))
			near := func(got float64) bool { return math.Abs(got-want) < 1e-6*(1+math.Abs(want)) || got == want }
			if got := float64(shortestDistance(t, compiled)); !near(got) {
				t.Fatalf("seed %d: %s: fstshortestdistance finds %g, want %g, in\n%s", seed, what, got, want, text)
			}
			for ring, got := range map[string]float64{
				"Log":    mass(t, semiring.Log{}, textOver[semiring.LogProb](printed)),
				"Real":   mass(t, reals, textOver[float64](printed)),
				"Scaled": mass(t, semiring.Scaled{}, textOver[semiring.ScaledFloat](printed)),
			} {
				if !near(got) {
					t.Fatalf("seed %d: read over %s, what fstprint writes sums to %g, want %g:\n%s", seed, ring, got, want, printed)
				}
			}
		}
	}
}

// A text of probabilities, for which no logarithm is wanted.
func ExampleOptions() {
	native := &fstio.Options{Form: fstio.Acceptor, Weights: fstio.Native}
	f, err := fstio.ReadText(strings.NewReader("0 1 7 .25\n1\n"), semiring.Real{}, native)
	if err != nil {
		fmt.Println(err)
		return
	}
	var costs strings.Builder
	fmt.Println(fst.Weight(f, []int32{7}, []int32{7}, nil))
	fmt.Println(fstio.WriteText(&costs, f, &fstio.Options{Form: fstio.Acceptor}))
	fmt.Print(costs.String())
	// Output:
	// 0.25 <nil>
	// <nil>
	// 0	1	7	1.3862943611198906
	// 1
}
