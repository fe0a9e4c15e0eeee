package rx_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

func ExampleTokens() {
	// A number is read as a whole, and a word that touches it gets a blank.
	compiler, err := rx.Load(semiring.Tropical{}, `
		number = 1:"one" | 2:"two" | "12":"twelve";
		line = {* [0-9], [a-z]: @number | (():" "<+1>)? [a-z]+ | \ };`)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := compiler.Machine("line")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"12", "21", "ab 2", "12ab"} {
		fmt.Print(text, " →")
		for out, err := range fst.ApplyText(f, text, nil) {
			fmt.Printf(" %q", out.Text)
			if err != nil {
				fmt.Println(err)
			}
		}
		fmt.Println()
	}
	// Output:
	// 12 → "twelve"
	// 21 →
	// ab 2 → "ab two" " ab two"
	// 12ab → "twelve ab"
}

// pairToken is a pair of strings with a weight.
type pairToken struct {
	in, out string
	w       float64
}

// sequences adds the weights of pairs of strings in sequences of tokens to sums, by definition,
// token by token. most bounds the number of symbols of a string. in and out are the last symbols of
// the tapes so far, or 0.
func sequences(sums map[[2]string]float64, all []pairToken, classes []string, x, y string, in, out rune, w float64, most int) {
	sums[[2]string{x, y}] += w
	apart := func(last rune, text string) bool {
		for _, c := range classes {
			if last != 0 && text != "" && strings.ContainsRune(c, last) && strings.ContainsRune(c, rune(text[0])) {
				return false
			}
		}
		return true
	}
	last := func(before rune, text string) rune {
		if text == "" {
			return before
		}
		return rune(text[len(text)-1])
	}
	for _, t := range all {
		if len(x+t.in) <= most && len(y+t.out) <= most && apart(in, t.in) && apart(out, t.out) {
			sequences(sums, all, classes, x+t.in, y+t.out, last(in, t.in), last(out, t.out), w*t.w, most)
		}
	}
}

// For random tokens and classes, the machine equals the enumeration of allowed sequences of tokens.
func TestTokensWrittenOut(t *testing.T) {
	const letters, most = "abc", 5
	for seed := range trials.Seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		text := func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = letters[rng.IntN(len(letters))]
			}
			return string(b)
		}
		quote := func(s string) string {
			if s == "" {
				return "()"
			}
			return `"` + s + `"`
		}
		var all []pairToken
		var alternatives, classes, sets []string
		for range 1 + rng.IntN(4) {
			k := pairToken{text(rng.IntN(4)), text(rng.IntN(4)), .25 + float64(rng.IntN(3))/8}
			if k.in+k.out == "" {
				k.in = "a"
			}
			all = append(all, k)
			alternatives = append(alternatives, fmt.Sprintf("<%g> %s:%s", k.w, quote(k.in), quote(k.out)))
		}
		for range 1 + rng.IntN(2) {
			c := text(1 + rng.IntN(2))
			classes = append(classes, c)
			sets = append(sets, "["+c+"]")
		}
		minimal := []string{"", "^min"}[rng.IntN(2)]
		text1 := fmt.Sprintf("{* %s: (%s)%s}", strings.Join(sets, ", "), strings.Join(alternatives, " | "), minimal)
		e := must(rx.Parse(text1))(t)
		f := must(rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", "c")).Compile(e))(t)
		sums := map[[2]string]float64{}
		sequences(sums, all, classes, "", "", 0, 0, 1, most)
		check := func(x, y string) {
			t.Helper()
			got := must(fst.Weight(f, abc(x), abc(y), nil))(t)
			if want := sums[[2]string{x, y}]; math.Abs(got-want) > 1e-12 {
				t.Errorf("seed %d: %s: %q, %q: weight %g, want %g", seed, text1, x, y, got, want)
			}
		}
		for pair := range sums {
			check(pair[0], pair[1])
		}
		for range 50 {
			check(text(rng.IntN(most+1)), text(rng.IntN(most+1)))
		}
	}
}

// The empty token is one of them any number of times, as in a closure.
func TestTokensEmpty(t *testing.T) {
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
	f := must(c.Compile(rx.MustParse("{* [a]: <.5> | <.25>a | <.25>b}")))(t)
	for text, want := range map[string]float64{"": 2, "a": 1, "ab": .5, "aa": 0, "bb": .5, "aba": .25} {
		if got := must(fst.Weight(f, abc(text), abc(text), nil))(t); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: weight %g, want %g", text, got, want)
		}
	}
	if _, err := c.Compile(rx.MustParse("{* [a]: () | a}")); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("the empty token with weight 1: %v", err)
	}
}

// Tokens have parameters like everything else, and stand anywhere: in definitions with
// parameters, below other operators, in themselves.
func TestTokensAnywhere(t *testing.T) {
	params := em.NewParams()
	c := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b"))
	c.Groups = em.Alternatives(params, nil)
	if err := c.Load("tokens(x, set) = {* @set: @x}; both = @tokens({g: one = a+ | two = b}, [a])^min; twice = {* [a]: b @both | a}; pair = @both:a;"); err != nil {
		t.Fatal(err)
	}
	for name, strings := range map[string]map[string]float64{
		"both":  {"aab": .25, "bb": .25, "aa": .5},
		"twice": {"a": 1, "ba": 1.5, "baa": .5, "bab": 1.75},
	} {
		f := must(instantiate(params, must(c.Machine(name))(t), params.Start()))(t)
		for text, want := range strings {
			if got := must(fst.Weight(f, abc(text), abc(text), nil))(t); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %q: weight %g, want %g", name, text, got, want)
			}
		}
	}
	if _, err := c.Machine("pair"); err != nil {
		t.Error(err)
	}
}

func TestTokensText(t *testing.T) {
	set, a := rx.OneOf(rx.One("a"), rx.One("b")), rx.Symbol("a")
	for _, test := range []struct {
		text string
		e    rx.Expr
		want string
	}{
		{"{*[ab]:a}", rx.Tokens(a, set), "{* [ab]: a}"},
		{"{ * [ab] , @x,(a|b) : a >> a}*", rx.Star(rx.Tokens(rx.Compose(a, a), set, rx.Ref("x"), rx.Union(a, rx.Symbol("b")))), "{* [ab], @x, (a | b): a >> a}*"},
	} {
		e := must(rx.Parse(test.text))(t)
		if !e.Equal(test.e) || e.String() != test.want || !must(rx.Parse(e.String()))(t).Equal(e) {
			t.Errorf("%q was read as %v, want %v", test.text, e, test.e)
		}
	}
	if rx.Tokens(a, set).Equal(rx.Tokens(a, a)) {
		t.Error("tokens of other classes are equal")
	}
}

func TestTokensErrors(t *testing.T) {
	many := strings.Repeat("a, ", 16) + "a"
	for _, test := range []struct {
		text, message string
		want          error
	}{
		{"{* [ab] a}", "'a', want a comma, or a colon after the classes that keep tokens apart", rx.ErrSyntax},
		{"{*: a}", "':', want an expression", rx.ErrSyntax},
		{"{* [ab]: a", "the end, want an operator or }", rx.ErrSyntax},
		{"{* " + many + ": a}", "tokens of 17 classes, want 1 to 16", rx.ErrInvalid},
		{"{* \"ab\": a}", "no set of symbols", rx.ErrInvalid},
		{"{* [c]: a}", `"c" is not in the alphabet`, fst.ErrSymbol},
		{"{* [a]: (a | b{0,1000}){300}}", "limit", semiring.ErrLimit},
	} {
		c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
		c.Limit = 100_000
		e, err := rx.Parse(test.text)
		if err == nil {
			_, err = c.Compile(e)
		}
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v, want %v: %s", test.text, err, test.want, test.message)
		}
	}
	if _, err := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a")).Compile(rx.Tokens(rx.Symbol("a"))); !errors.Is(err, rx.ErrInvalid) {
		t.Errorf("no classes: %v", err)
	}
}

// The machine of tokens is about as large as the machine of one token: states are split only where
// the classes of the first and last symbols may matter.
func TestTokensSize(t *testing.T) {
	c := must(rx.Load(semiring.Tropical{}, thousands+`
word = [a-z]+;
one = @number | @word | \ ;
many = {* [0-9], [a-z]: @one};`))(t)
	one, many := must(c.Machine("one"))(t), must(c.Machine("many"))(t)
	if many.NumStates() > one.NumStates()+20 || many.NumArcs() > 2*one.NumArcs() {
		t.Errorf("%d states and %d arcs of tokens, %d and %d of one", many.NumStates(), many.NumArcs(), one.NumStates(), one.NumArcs())
	}
	if !slices.Contains(many.Out(), 'z') {
		t.Error("words are lost")
	}
}

// abc returns labels of letters from a on.
func abc(text string) []int32 {
	var all []int32
	for _, r := range text {
		all = append(all, r-'a'+1)
	}
	return all
}
