package rx_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Groups is called once for all groups of an expression, in the order of the text, and never again;
// alternatives have names.
func TestGroups(t *testing.T) {
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
	define(t, c, "d = {δ: x = a | y = <μ>b} <open.u> @e; e = (a:b /^opt_ν <open.v> __) | @d; f = <open.u>; g = {new: a};")
	var asked []string
	c.Groups = func(groups []string, alternatives [][]string) ([][]float64, error) {
		var weights [][]float64
		for i, g := range groups {
			asked = append(asked, g+": "+strings.Join(alternatives[i], " "))
			weights = append(weights, make([]float64, len(alternatives[i])))
		}
		asked = append(asked, "")
		return weights, nil
	}
	if err := c.Declare(rx.MustParse("a +_λ {γ: a | b*_λ | @d}"), rx.Ref("f")); err != nil {
		t.Fatal(err)
	}
	must(c.Compile(rx.MustParse("<open.v>@f{δ: y = a | x = b}")))(t)
	must(c.Compile(rx.MustParse("<1-μ>@g")))(t)
	want := []string{"λ: heads tails", "γ: 0 1 2", "δ: x y", "μ: heads tails", "ν: heads tails", "open: u v", "", "new: 0", ""}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestGroupErrors(t *testing.T) {
	boom := errors.New("boom")
	none := func([]string, [][]string) ([][]float64, error) { return nil, nil }
	for _, test := range []struct {
		text, message string
		groups        func([]string, [][]string) ([][]float64, error)
	}{
		{"a <g.z>{g: x = a | y = b}", "rx: 1:3: bad group of parameters: g has no alternative z, but 2 alternatives x, y at 1:8", nil},
		{"<g.x>{g: a | b}", "rx: 1:1: bad group of parameters: g has no alternative x, but 2 alternatives at 1:6", nil},
		{"<g.heads>{g: x = a | heads = b}", "rx: 1:10: bad group", nil},
		{"a\n+_μ b", "rx: 2:1: bad group of parameters: μ has no weights: Compiler.Groups is nil, want em.Alternatives(params, nil), for parameters to be trained, or rx.Weights", nil},
		{"@d", "rx: d: 1:5: bad group of parameters: δ has no weights", nil},
		{"a*_μ", "rx: 1:2: bad group of parameters: weights for 0 groups, want 1", none},
		{"a*_μ", "rx: 1:2: bad group of parameters: boom", func([]string, [][]string) ([][]float64, error) { return nil, boom }},
	} {
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
		c.Groups = test.groups
		define(t, c, "d = {δ: a | b};")
		_, err := c.Compile(rx.MustParse(test.text))
		if !errors.Is(err, rx.ErrGroup) || !strings.HasPrefix(err.Error(), test.message) {
			t.Errorf("%s: error %v, want %s", test.text, err, test.message)
		}
		if strings.HasSuffix(test.message, "boom") && !errors.Is(err, boom) {
			t.Errorf("%v does not wrap the error of Groups", err)
		}
		c.Groups = rx.Weights(func(_ string, alternatives []string) []float64 { return make([]float64, len(alternatives)) })
		if _, err := c.Compile(rx.MustParse("{g: u = a} {μ: v = b} @d")); err != nil {
			t.Errorf("%s: a group remains where there was an error: %v", test.text, err)
		}
	}
	if err := new(rx.Compiler[float64]).Declare(rx.Weight(rx.Number(-1))); !errors.Is(err, rx.ErrInvalid) {
		t.Errorf("Declare: error %v", err)
	}
}

// Params of log-linear alternatives: the strengths of features make the probabilities.
func TestLogLinearAlternatives(t *testing.T) {
	features := func(group, alternative string) []em.Feature {
		f := []em.Feature{{Name: alternative}}
		if group == "μ" {
			f = append(f, em.Feature{Name: "μ " + alternative, Value: em.Times(2)})
		}
		return f
	}
	params := em.NewParams()
	c := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b"))
	c.Groups = em.LogLinearAlternatives(params, "w", features, em.LogLinearOptions{})
	f := must(c.Compile(rx.MustParse("a*_λ b*_μ {γ: heads = a | c = b | d = <δ.e> | tails = ab}")))(t)
	names := []string{}
	for i := range params.Len() {
		names = append(names, params.Name(int32(i)))
	}
	want := "w[heads] w[tails] w[μ heads] w[μ tails] w[c] w[d] w[e] " +
		"w[λ/heads] w[λ/tails] w[μ/heads] w[μ/tails] w[γ/heads] w[γ/c] w[γ/d] w[γ/tails] w[δ/e]"
	if got := strings.Join(names, " "); got != want {
		t.Fatalf("parameters %s, want %s", got, want)
	}
	theta := params.Random(fsttest.Rand(1))
	m := must(cascade.Instantiate(params, f, theta, semiring.Real{}))(t)
	w := theta[:7]
	p := func(logs ...float64) (ps []float64) {
		sum := 0.0
		for _, x := range logs {
			sum += math.Exp(x)
		}
		for _, x := range logs {
			ps = append(ps, math.Exp(x)/sum)
		}
		return ps
	}
	λ, μ := p(w[0], w[1]), p(w[0]+2*w[2], w[1]+2*w[3])
	γ := p(w[0], w[4], w[5], w[1])
	for text, want := range map[string]float64{"": λ[1] * μ[1] * γ[2], "ab": λ[1]*μ[1]*γ[3] + λ[0]*λ[1]*μ[1]*γ[1] + λ[0]*λ[1]*μ[0]*μ[1]*γ[2]} {
		if got := value(t, m, text, text); math.Abs(got-want) > 1e-14 {
			t.Errorf("%q has weight %g, want %g", text, got, want)
		}
	}
}

// A separate law for each group: a log-linear law needs no adapter.
func TestAlternatives(t *testing.T) {
	own := func(group string, alternatives []string) em.Law {
		switch group {
		case "none":
			return nil
		case "tied", "wrong":
			sets := [][][]em.Term{{{{Strength: 0, Times: 1}}, {}, {{Strength: 0, Times: 2}, {Strength: 1, Times: 1}}}}
			if group == "wrong" {
				sets = append(sets, sets...)
			}
			return must(em.NewLogLinear(2, sets, em.LogLinearOptions{Sigma: 1}))(t)
		}
		return em.Multinomial{}
	}
	params := em.NewParams()
	c := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b"))
	c.Groups = em.Alternatives(params, own)
	f := must(c.Compile(rx.MustParse("a*_λ {tied: a | b | ()}")))(t)
	theta := params.Start()
	copy(theta[2:], []float64{.5, -.25})
	params.Groups()[1].Law().(*em.LogLinear).Derive(theta[2:])
	m := must(cascade.Instantiate(params, f, theta, semiring.Real{}))(t)
	z := math.Exp(.5) + 1 + math.Exp(.75)
	for text, want := range map[string]float64{"": .5 * math.Exp(.75) / z, "b": .5 / z} {
		if got := value(t, m, text, text); math.Abs(got-want) > 1e-14 {
			t.Errorf("%q has weight %g, want %g", text, got, want)
		}
	}
	if got := params.Name(3) + " " + params.Name(5); got != "tied[1] tied[1]" {
		t.Errorf("names %s", got)
	}
	for _, text := range []string{"<none.x>", "{wrong: a | b | ()}", "{wrong: a | b}"} {
		if _, err := c.Compile(rx.MustParse(text)); !errors.Is(err, rx.ErrGroup) || strings.Contains(text, "wrong") != errors.Is(err, em.ErrParameter) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// With the longest or shortest match and a coin, the outputs of a string have a total probability
// of 1, even if there are infinitely many.
func TestRulesAreDistributions(t *testing.T) {
	reals := semiring.Real{}
	alphabet := fst.NewSymbols("a", "b", "c")
	c := rx.NewCompiler(reals, alphabet)
	changes := []string{
		"(ab):c | a:b", "(a:b +_.3 a:c) | (ab):()", "(a+):(b*_.5)", "(a:(c*_.25) | b:c)+", "():c | a:(a +_.5 b)", "((ab)+):(c +_.9 ()) | c", "[ab] (. +_.5 .:())",
	}
	contexts := []string{"", "a", "b c?", "a*", "$", "~(.*a)", "(b | $)", "a{2} | c"}
	for seed := range trials.Seeds(120) {
		rng := fsttest.Rand(seed)
		pick := func(all []string) string { return all[rng.IntN(len(all))] }
		rule := func() string { return pick(contexts) + " __ " + strings.ReplaceAll(pick(contexts), "~(.*a)", "~(a.*)") }
		text := pick(changes) + " / " + pick([]string{"", "^rtl ", "^sim "}) + pick([]string{"^longest ", "^shortest "}) +
			pick([]string{"", "^opt_.3 "}) + rule()
		if rng.IntN(2) == 0 {
			text += ", " + pick(changes) + " / " + rule()
		}
		f, err := c.Compile(rx.MustParse(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, x := range fsttest.Strings(3, 4) {
			all := must(fst.Expand(fst.Compose(fst.FromString(reals, x).WithSymbols(alphabet, alphabet), f), nil))(t)
			got := must(graph.PathSum(all.Graph()))(t)
			if math.Abs(got-1) > 1e-10 {
				t.Fatalf("%s makes of %v what has the weight %g", text, x, got)
			}
		}
	}
}
