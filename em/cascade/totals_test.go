package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// Two rules that apply to "too" in two places sum to more than 1 there. Training does not detect
// this; Totals does.
func ExampleProblem_Totals() {
	params := em.NewParams()
	rules := rx.NewCompiler(params.Space(), fst.RuneSymbols("a-z23"))
	rules.Groups = em.Alternatives(params, nil)
	rule, err := rules.Compile(rx.MustParse(`("to":"2" | "too":"3") /^opt_d __`))
	if err != nil {
		log.Fatal(err)
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{rule}}
	totals, err := problem.Totals(context.Background(), params.Start(), cascade.Inputs("at", "to", "too"))
	if err != nil {
		log.Fatal(err)
	}
	for _, total := range totals {
		if math.Abs(total.Log) > 1e-9 {
			fmt.Println(total)
		}
	}
	// Output:
	// example 2 ("too") sums to 1.5
}

// TestTotals: the sums of a cascade over all outputs, inputs and pairs, and of pairs, equal the
// sums of the composed machine; weights and policy have no effect.
func TestTotals(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		params := em.NewParams()
		var stages []cascade.Stage
		for i := range 2 {
			f := cascade.Conditional(params, fmt.Sprint(i), raggedMachine(t, rng), em.Dirichlet{Alpha: 2})
			stages = append(stages, f)
		}
		problem, theta := cascade.Problem{Params: params, Stages: stages}, params.Random(rng)
		in, out := cascade.Labels(1, 2), cascade.Labels(2)
		data := cascade.Data{Examples: []cascade.Example{{X: in, Name: "in"}, {X: in, Y: out, Weight: em.Times(0)}, {X: cascade.Labels(9)}, {X: cascade.Labels(), Weight: em.Times(3)}}}
		totals, err := problem.Totals(t.Context(), theta, data)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range [][2][]int32{{{1, 2}, nil}, {{1, 2}, {2}}, {{9}, nil}, {{}, nil}} {
			want := numeric(t, problem, theta, stages, x[0], x[1])
			if got := math.Exp(totals[i].Log); !closeTo(got, want, 1e-9) {
				t.Errorf("seed %d, example %d: %g, want %g", seed, i, got, want)
			}
			if totals[i].Index != i || totals[i].Name != data.Examples[i].Name {
				t.Errorf("seed %d: example %d is called %+v", seed, i, totals[i])
			}
		}
		if data.Examples[1].Weight != em.Times(0) {
			t.Fatal("the data were changed")
		}
	}
}

// TestTotalsJoint: all pairs of a joint model sum to 1, also under a prior that is integrated
// out, and a divergent example is named.
func TestTotalsJoint(t *testing.T) {
	for _, law := range []em.Law{em.Multinomial{}, em.Variational{Alpha: 2}} {
		rng := rand.New(rand.NewPCG(1, 3))
		params := em.NewParams()
		f := cascade.Joint(params, "f", plainMachine(t, rng, true), law)
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
		all := cascade.Data{Examples: make([]cascade.Example, 1)}
		totals, err := problem.Totals(t.Context(), params.Random(rng), all)
		if err != nil || len(totals) != 1 || !closeTo(totals[0].Log, 0, 1e-9) {
			t.Errorf("%T: %v, %v", law, totals, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := problem.Totals(ctx, params.Start(), all); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
		if _, err := problem.Totals(t.Context(), nil, all); !errors.Is(err, em.ErrParameter) {
			t.Errorf("no θ: %v", err)
		}
		streamed := cascade.Data{Stream: cascade.Sequence(func(func(cascade.Example, error) bool) {})}
		if _, err := problem.Totals(t.Context(), params.Start(), streamed); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("a Stream: %v", err)
		}
	}
	params := em.NewParams()
	loop := cascade.Constants(params, fst.OneState(real(semiring.Real{}), 1, fst.Arc[float64]{In: 'a', Out: 'b', Weight: 1}))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{loop}}
	_, err := problem.Totals(t.Context(), nil, cascade.Data{Examples: []cascade.Example{{X: cascade.Text("a")}, {Name: "all"}}})
	if !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("a sum that diverges: %v", err)
	}
	wantIn(t, err, "example 1 (all)")
}

// TestLogLikelihood: the result is the sum of the ln of the examples' totals. A total of 0 is an
// error, unless the policy skips such examples.
func TestLogLikelihood(t *testing.T) {
	params := em.NewParams()
	coin := cascade.Joint(params, "coin", fst.OneState(real(semiring.Real{}), .2,
		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .5}, fst.Arc[float64]{In: 'b', Out: 'b', Weight: .3}), em.Multinomial{})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{coin}}
	theta := params.Start()
	want := math.Log(.5*.2) + math.Log(.3*.3*.2)
	for _, data := range []cascade.Data{cascade.Inputs("a", "bb"), cascade.Outputs("a", "bb", "c")} {
		data.Underivable = em.Skip
		got, err := em.LogLikelihood(t.Context(), likelihood(t, problem, data), theta)
		if err != nil || !closeTo(got, want, 1e-12) {
			t.Errorf("%g, %v, want %g", got, err, want)
		}
	}
	_, err := em.LogLikelihood(t.Context(), likelihood(t, problem, cascade.Inputs("a", "c")), theta)
	if !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("an example of probability 0: %v", err)
	}
	wantIn(t, err, `1 of 2 examples (numbered from 0), the first is example 1 ("c")`)
}

// TestInverse: inverted data have the results of the inverted model, from memory and as a stream;
// the sides are not copied.
func TestInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	params := em.NewParams()
	f := cascade.Joint(params, "f", plainMachine(t, rng, false), em.Multinomial{})
	forth, back := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, cascade.Problem{Params: params, Stages: []cascade.Stage{fst.Invert(f)}}
	data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 2), Y: cascade.Labels(2), Weight: em.Times(2)}, {Y: cascade.Labels(1)}, {X: cascade.Labels(2)}}, Underivable: em.Skip}
	value := func(p cascade.Problem, d cascade.Data) float64 {
		x, err := em.LogLikelihood(t.Context(), likelihood(t, p, d), params.Start())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	want := value(forth, data)
	if want == 0 || closeTo(value(back, data), want, 1e-6) {
		t.Fatalf("%g is the same in both directions", want)
	}
	stream := cascade.Data{Stream: cascade.Sequence(func(yield func(cascade.Example, error) bool) {
		for _, x := range data.Examples {
			if !yield(x, nil) {
				return
			}
		}
	}), Underivable: em.Skip}
	for _, inverse := range []cascade.Data{data.Inverse(), stream.Inverse()} {
		if got := value(back, inverse); !closeTo(got, want, 1e-9) {
			t.Errorf("%g turned round, want %g", got, want)
		}
	}
	if data.Examples[1].Y.Unknown() || !data.Inverse().Inverse().Examples[1].X.Unknown() {
		t.Error("the data were changed, or turned twice are others")
	}
	if got := cascade.Outputs("u", "v").Inverse(); fmt.Sprint(got) != fmt.Sprint(cascade.Inputs("u", "v")) {
		t.Errorf("%v", got)
	}
}

// TestNamesOfTexts: examples made from texts are named by their beginnings.
func TestNamesOfTexts(t *testing.T) {
	long := "ein sehr langer Satz, nämlich ein überlanger"
	var got []string
	for _, d := range []cascade.Data{cascade.Pairs([][2]string{{"u", "mm"}, {"", long}}), cascade.Inputs("a\"b"), cascade.Outputs("日本")} {
		for _, x := range d.Examples {
			got = append(got, x.Name)
		}
	}
	want := []string{`"u" and "mm"`, `"" and "ein sehr langer Satz, nä…"`, `"a\"b"`, `"日本"`}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestParamsNames: indices and names equal the results of Name; empty groups have none.
func TestParamsNames(t *testing.T) {
	params := em.NewParams()
	for _, n := range []int{0, 2, 0, 3, 0} {
		params.Group(fmt.Sprint("g", len(params.Groups())), n, em.Multinomial{})
	}
	n := 0
	for i, name := range params.Names() {
		if i != n || name != params.Name(int32(i)) {
			t.Errorf("parameter %d is number %d, %s", n, i, name)
		}
		if found, ok := params.Lookup(name); !ok || found != i {
			t.Errorf("%s is found as %d, %v", name, found, ok)
		}
		n++
	}
	for range params.Names() {
		n++
		break
	}
	if n != params.Len()+1 {
		t.Errorf("%d names, want %d", n-1, params.Len())
	}
}
