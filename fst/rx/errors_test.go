package rx_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("(", rx.MaxDepth+1)
	for _, test := range []struct {
		text         string
		line, column int
		want         error
		message      string
	}{
		{"", 1, 1, rx.ErrSyntax, "the end, want an expression"},
		{"a |\n  ", 2, 3, rx.ErrSyntax, "want an expression"},
		{"(a\nb", 2, 2, rx.ErrSyntax, "want an operator or )"},
		{"a)", 1, 2, rx.ErrSyntax, "')', want an operator or the end"},
		{"a:b:c", 1, 4, rx.ErrSyntax, "':', want an operator or the end"},
		{"a*:b", 1, 3, rx.ErrSyntax, "':'"},
		{"αβ +_ν", 1, 7, rx.ErrSyntax, "want an expression"},
		{"a +_ b", 1, 5, rx.ErrSyntax, "want a number or the name of a coin"},
		{"a*_(1-)", 1, 7, rx.ErrSyntax, "want the name of a coin"},
		{"<1-ρ", 1, 5, rx.ErrSyntax, "want >"},
		{"a^up", 1, 2, rx.ErrSyntax, "^ without in, out, inv, rev or min"},
		{"a / b", 1, 6, rx.ErrSyntax, "the end, want __ between the contexts of a rule"},
		{"a / b _ c", 1, 7, rx.ErrSyntax, "'_', want __ between"},
		{"a /^up __", 1, 4, rx.ErrSyntax, "^ without rtl, sim, opt, longest or shortest"},
		{"a /^rtl^opt\n ^sim __", 2, 2, rx.ErrSyntax, "^sim after another direction"},
		{"a /^opt^opt __", 1, 8, rx.ErrSyntax, "^opt after another"},
		{"a / __, b c", 1, 12, rx.ErrSyntax, "want / after the change of a rule"},
		{"a / __, b /^rtl __", 1, 12, rx.ErrSyntax, "want __"},
		{"a / __ __", 1, 8, rx.ErrSyntax, "want an operator or the end"},
		{"/ __", 1, 1, rx.ErrSyntax, "want an expression"},
		{"[ab", 1, 4, rx.ErrSyntax, "want a symbol or ]"},
		{"[^", 1, 3, rx.ErrSyntax, "want a symbol or ]"},
		{"[a-", 1, 4, rx.ErrSyntax, "want a symbol"},
		{"a[]", 1, 2, rx.ErrInvalid, "a class is empty"},
		{"a[^]", 1, 2, rx.ErrInvalid, "a class is empty"},
		{"ab[z-a]", 1, 3, rx.ErrInvalid, `a range from "z" to "a"`},
		{"[a-'th']", 1, 1, rx.ErrInvalid, `a range from "a" to "th"`},
		{"'th", 1, 4, rx.ErrSyntax, "want the closing quote"},
		{"''", 1, 3, rx.ErrSyntax, "a symbol in quotes has no name"},
		{`\q`, 1, 2, rx.ErrSyntax, "want punctuation"},
		{`\u{d800}`, 1, 4, rx.ErrSyntax, "want the hexadecimal number of a character"},
		{`\u{110000}`, 1, 4, rx.ErrSyntax, "want the hexadecimal number of a character"},
		{`\u{61`, 1, 6, rx.ErrSyntax, "want }"},
		{"\xffa", 1, 1, rx.ErrSyntax, "bytes that are not UTF-8"},
		{"a\x00", 1, 2, rx.ErrSyntax, ""},
		{"@1", 1, 2, rx.ErrSyntax, "want the name of a definition"},
		{"a -> b || c _ d", 1, 3, rx.ErrSyntax, "->, want a rule as a:b / left __ right"},
		{"a:b / __ .#.", 1, 11, rx.ErrSyntax, "# begins a comment, want $ for the beginning or the end of the string"},
		{"a:b / __ #", 1, 10, rx.ErrSyntax, "# begins a comment, want $"},
		{"a:b / # __ c", 1, 13, rx.ErrSyntax, "the end, want __ between the contexts of a rule"},
		{"(a:b / __ #)*", 1, 11, rx.ErrSyntax, "# begins a comment, want $"},
		{"a (->) b", 1, 3, rx.ErrSyntax, "(->), want a rule as a:b / left __ right"},
		{"ab @-> b", 1, 4, rx.ErrSyntax, "@->, want a rule as a:b / left __ right"},
		{"[a.]", 1, 3, rx.ErrSyntax, "'.', want a symbol or ], and punctuation after a backslash: \\."},
		{"[^_a]", 1, 3, rx.ErrSyntax, "punctuation after a backslash: \\_"},
		{"<+-1>", 1, 3, rx.ErrSyntax, "a negative cost is written <-1>"},
		{"{2}", 1, 2, rx.ErrSyntax, "want the name of a group"},
		{"{δ a}", 1, 4, rx.ErrSyntax, "want a colon"},
		{"{δ: a | b", 1, 10, rx.ErrSyntax, "want an operator or }"},
		{"{δ: x = a | x = b}", 1, 1, rx.ErrInvalid, "δ has two alternatives x"},
		{"{δ: x = a | b}", 1, 1, rx.ErrInvalid, "a name is empty"},
		{"a\n  +_1.5 b", 2, 3, rx.ErrInvalid, "a probability of 1.5, want 0 to 1"},
		{"ab*_2", 1, 3, rx.ErrInvalid, "a probability of 2, want 0 to 1"},
		{"<1e999>", 1, 2, rx.ErrInvalid, "too great a number"},
		{"ab{3,2}", 1, 3, rx.ErrInvalid, "from 3 to 2 repetitions"},
		{"a{1001}", 1, 3, rx.ErrInvalid, "want at most 1000"},
		{"a{0,99999999999999999999}", 1, 5, rx.ErrInvalid, "want at most 1000"},
		{"a{2", 1, 4, rx.ErrSyntax, "want } after"},
		{deep, 1, rx.MaxDepth + 1, rx.ErrInvalid, "nested more than"},
		{"a" + strings.Repeat("*", rx.MaxDepth), 1, rx.MaxDepth + 1, rx.ErrInvalid, "nested"},
	} {
		name := test.text[:min(len(test.text), 20)]
		_, err := rx.Parse(test.text)
		var placed *rx.Error
		if !errors.As(err, &placed) || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%q: error %v, want %v: %s", name, err, test.want, test.message)
			continue
		}
		if placed.Line != test.line || placed.Column != test.column {
			t.Errorf("%q: error %v, want it at %d:%d", name, err, test.line, test.column)
		}
	}
}

// A text with too deep nesting is not read to its end.
func TestDepthBoundsMemory(t *testing.T) {
	for what, text := range map[string]string{
		"stars":         "a" + strings.Repeat("*", 1<<20),
		"mixed":         "a" + strings.Repeat("+?^inv{2}", 1<<17),
		"differences":   "a" + strings.Repeat("-a", 1<<19),
		"probabilities": "a" + strings.Repeat("+_.5 a", 1<<18),
		"complements":   strings.Repeat("~", 1<<20) + "a",
		"parentheses":   strings.Repeat("(", 1<<20),
	} {
		var err error
		memory := memtest.Allocated(func() { _, err = rx.Parse(text) })
		if !errors.Is(err, rx.ErrInvalid) || memory > 24<<20 {
			t.Errorf("%s: %d bytes are allocated, error %v", what, memory, err)
		}
	}
}

// NewCompiler rejects a nil ring or alphabet, and DefineMachine a nil machine.
func TestNilArguments(t *testing.T) {
	reals := semiring.Real{}
	for what, do := range map[string]func(){
		"rx: NewCompiler: nil ring":      func() { rx.NewCompiler[float64](nil, fst.NewSymbols("a")) },
		"rx: NewCompiler: nil alphabet":  func() { rx.NewCompiler(reals, nil) },
		"rx: DefineMachine: nil machine": func() { rx.NewCompiler(reals, fst.NewSymbols("a")).DefineMachine("m", nil) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, what) {
					t.Errorf("panic %q, want %q", got, what)
				}
			}()
			do()
		}()
	}
}

func TestExpected(t *testing.T) {
	_, err := rx.Parse("(a")
	var placed *rx.Error
	if !errors.As(err, &placed) || placed.Expected != "an operator or )" {
		t.Errorf("error %v", err)
	}
}

func TestDefinitionErrors(t *testing.T) {
	for _, test := range []struct{ text, message string }{
		{"a = b", "1:6: syntax error: the end, want an operator or ;"},
		{"a = b; = c;", "1:8: syntax error: '=', want the name of a definition"},
		{"a b;", "1:3: syntax error: 'b', want ="},
		{"a = b;\nb = c*_7;", "2:6: invalid input: a probability of 7"},
	} {
		if ds, err := rx.ParseDefinitions(test.text); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%q: %v with error %v, want %s", test.text, ds, err, test.message)
		}
	}
	const text = "a = bc | d; # comment\n\nb = @a*; "
	ds := must(rx.ParseDefinitions(text))(t)
	if len(ds) != 2 || ds[0].String() != "a = bc | d;" || ds[1].String() != "b = @a*;" {
		t.Errorf("%q was read as %v", text, ds)
	}
}

func TestCompileErrors(t *testing.T) {
	const definitions = `
one = @two | x; two = a @three; three = @one*;
good = @bad; bad = a [q];
tossed = a +_λ b;`
	for _, test := range []struct {
		text, message string
		want          error
	}{
		{"a @none", "rx: 1:3: bad name: none is not defined", rx.ErrName},
		{"@one", "rx: three: 2:41: bad name: a definition that needs itself: @one → @two → @three → @one", rx.ErrName},
		{"a >> @one", "rx: three: 2:41: bad name", rx.ErrName},
		{"@good", `rx: bad: 3:22: symbols do not match: "q" is not in the alphabet`, fst.ErrSymbol},
		{"a (good b)", `rx: 1:4: symbols do not match: "g" is not in the alphabet; a reference to the definition of good is written @good`, fst.ErrSymbol},
		{"a q7 b", `rx: 1:3: symbols do not match: "q" is not in the alphabet, and there is no definition of q7, which would be written @q7`, fst.ErrSymbol},
		{"a*q1", `rx: 1:3: symbols do not match: "q" is not in the alphabet, and there is no definition of q1`, fst.ErrSymbol},
		{"a(bq)", `rx: 1:4: symbols do not match: "q"`, fst.ErrSymbol},
		{"(ab):(aq)", `rx: 1:8: symbols do not match: "q"`, fst.ErrSymbol},
		{"[^q]", `rx: 1:1: symbols do not match: "q"`, fst.ErrSymbol},
		{"a'<eps>'", "rx: 1:2: symbols do not match: \"<eps>\" is ε, which is written ()", fst.ErrSymbol},
		{"a\n[0-9]", "rx: 2:1: invalid input: no symbol of the alphabet is in [0-9]", rx.ErrInvalid},
		{"[^abx]", "rx: 1:1: invalid input: no symbol of the alphabet is in [^abx]", rx.ErrInvalid},
		{"a:b a:(b:x)", "rx: 1:9: invalid input: an operand of : that is not an acceptor", rx.ErrInvalid},
		{"{λ: a | b | x} a*_λ", "rx: 1:17: bad group of parameters: λ has 2 alternatives heads, tails, but 3 alternatives at 1:1", rx.ErrGroup},
		{"@tossed {λ: a | b | x}", "rx: 1:9: bad group of parameters: λ has 3 alternatives, but 2 alternatives heads, tails at 4:12", rx.ErrGroup},
		{"{δ: u=a | v=b}{δ: u=a | w=b}", "rx: 1:15: bad group of parameters: δ has 2 alternatives u, w, but 2 alternatives u, v at 1:1", rx.ErrGroup},
		{"{δ: u=a | v=b}{δ: a | b}", "rx: 1:15: bad group", rx.ErrGroup},
		{"{δ: a | b}{δ: u=a | v=b}", "rx: 1:11: bad group", rx.ErrGroup},
		{"<none>", "rx: 1:1: bad group of parameters: there is no none", rx.ErrGroup},
		{"<short>", "rx: 1:1: bad group of parameters: short has 2 alternatives heads, tails, but 1 weights", rx.ErrGroup},
		{"a(b?)*", "rx: 1:6: sum diverges", semiring.ErrDiverges},
		{"(a*_.5 <2>)+", "rx: 1:12: sum diverges", semiring.ErrDiverges},
		{"((a{1000}){1000}){1000}", "rx: 1:11: limit exceeded: more than 100000 states and arcs", semiring.ErrLimit},
		{"a:b\n | $", "rx: 2:4: invalid input: $ outside the contexts of a rule", rx.ErrInvalid},
		{"$:a / __", "rx: 1:1: invalid input: $ outside the contexts of a rule", rx.ErrInvalid},
		{"a / (b:a / $ __) $ __", "rx: 1:5: invalid input: a context that is not an acceptor", rx.ErrInvalid},
		{"a / (() / () __ $:b) __", "rx: 1:18: invalid input: a context", rx.ErrInvalid},
		{"a / __ a:b", "rx: 1:9: invalid input: a context that is not an acceptor", rx.ErrInvalid},
		{"a:b / __ q", `rx: 1:10: symbols do not match: "q"`, fst.ErrSymbol},
		{"a:b / __ @none", "rx: 1:10: bad name: none is not defined", rx.ErrName},
		{"a:b / [ab]{300} __ [ab]{300}", "rx: 1:5: limit exceeded: more than 100000 states and arcs", semiring.ErrLimit},
		{"a{100} >> a{100}", "rx: 1:8: limit exceeded: more than 700 states and arcs", semiring.ErrLimit},
	} {
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", "x"))
		c.Groups = rx.Weights(func(name string, alternatives []string) []float64 {
			switch name {
			case "none":
				return nil
			case "short":
				return []float64{1}
			}
			return make([]float64, len(alternatives))
		})
		if c.Limit = 100_000; strings.Contains(test.text, ">> a") {
			c.Limit = 700
		}
		define(t, c, definitions)
		_, err := c.Compile(rx.MustParse(test.text))
		if !errors.Is(err, test.want) || !strings.HasPrefix(err.Error(), test.message) {
			t.Errorf("%q: error %v, want %v: %s", test.text, err, test.want, test.message)
		}
	}
}

// The limit also applies to exponential growth through definitions.
func TestGrowthIsLimited(t *testing.T) {
	for _, step := range []string{" = @d @d;", " = @d | @d;"} {
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a"))
		c.Limit = 100_000
		name := "d"
		text := "d = ();"
		for range 60 {
			text += name + "d" + strings.ReplaceAll(step, "@d", "@"+name)
			name += "d"
		}
		define(t, c, text)
		if _, err := c.Machine(name); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%s: error %v, want %v", step, err, semiring.ErrLimit)
		}
	}
}

// An expression that shares its parts may be longer, written out, than any text.
func TestSharedParts(t *testing.T) {
	e := rx.Symbol("a")
	for range 100 {
		e = rx.Concat(e, e)
	}
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a"))
	c.Limit = 1000
	if _, err := c.Compile(e); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want %v", err, semiring.ErrLimit)
	}
	if !e.Equal(e) {
		t.Error("not equal to itself")
	}
}

// Functions do not validate their arguments; Define and Compile do.
func TestInvalidExpressions(t *testing.T) {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a"))
	a := rx.Symbol("a")
	coin, two := rx.Coin("λ"), rx.Number(2)
	for _, e := range []rx.Expr{
		rx.Symbol(""), rx.Symbol("\xff"), rx.OneOf(), rx.OneOf(rx.One("")), rx.Ref(""), rx.Ref("\xff"),
		rx.Weight(rx.Number(-1)), rx.Weight(rx.Number(math.NaN())), rx.Weight(rx.Number(math.Inf(1))), rx.Weight(rx.Coin("a-b")),
		rx.ProbStar(rx.Number(1.5), a), rx.ProbUnion(rx.Number(1.5).Not(), a, a), rx.Choice("δ"), rx.Choice("", rx.Alternative{Expr: a}),
		rx.Rewrite(rx.RewriteOptions{Application: rewrite.Optional}), rx.Rewrite(rx.RewriteOptions{Direction: 3}, rx.Rule{}), rx.Rewrite(rx.RewriteOptions{Application: -1}, rx.Rule{}),
		rx.Rewrite(rx.RewriteOptions{Match: 3}, rx.Rule{}), rx.Rewrite(rx.RewriteOptions{Coin: &coin}, rx.Rule{}), rx.Rewrite(rx.RewriteOptions{Application: rewrite.Optional, Coin: &two}, rx.Rule{}),
		rx.Rewrite(rx.RewriteOptions{}, rx.Rule{Right: rx.Symbol("")}), rx.Repeat(a, -1, 2), rx.Repeat(a, 2, -2), rx.Repeat(a, rx.MaxRepeat+1, rx.Unlimited),
	} {
		if _, err := c.Compile(rx.Concat(a, e)); !errors.Is(err, rx.ErrInvalid) {
			t.Errorf("%v: error %v, want %v", e, err, rx.ErrInvalid)
		}
		if err := c.Define("b", e); !errors.Is(err, rx.ErrInvalid) || !strings.HasPrefix(err.Error(), "rx: b: ") {
			t.Errorf("%v: error %v, want %v", e, err, rx.ErrInvalid)
		}
	}
}

func TestDefine(t *testing.T) {
	alphabet := fst.NewSymbols("a")
	space, other := expr.New(), expr.New()
	c := rx.NewCompiler(space, alphabet)
	machine := func(s *expr.Space) *fst.FST[expr.W] { return fst.FromString(s, []int32{1}) }
	for _, test := range []struct {
		err  error
		want error
	}{
		{c.Define("x", rx.Symbol("a")), nil},
		{c.Define("x", rx.Symbol("a")), rx.ErrName},
		{c.DefineMachine("x", machine(space)), rx.ErrName},
		{c.DefineMachine("y", machine(space)), nil},
		{c.Define("y", rx.Symbol("a")), rx.ErrName},
		{c.Define("", rx.Symbol("a")), rx.ErrInvalid},
		{c.DefineMachine("z", machine(other)), fst.ErrMismatch},
		{c.DefineMachine("z", machine(space).WithSymbols(fst.NewSymbols("b"), nil)), fst.ErrMismatch},
		{c.DefineMachine("z", machine(space).WithSymbols(fst.NewSymbols("a"), nil)), nil},
	} {
		if !errors.Is(test.err, test.want) {
			t.Errorf("error %v, want %v", test.err, test.want)
		}
	}
	if _, err := c.Compile(rx.MustParse("a*_λ")); !errors.Is(err, rx.ErrGroup) {
		t.Errorf("without groups: error %v", err)
	}
}

// A ring without numbers or closures suffices for expressions that use neither.
func TestCapabilities(t *testing.T) {
	words := rx.NewCompiler(semiring.LeftString{}, fst.NewSymbols("a", "b"))
	for text, ok := range map[string]bool{
		"a*_0 (a +_1 b)* <1> | b{2,3}": true,
		"a<.5>":                        false, "a >> a": false, "a^rev": false, "(a:b)^inv^in": true,
	} {
		_, err := words.Compile(rx.MustParse(text))
		if (err == nil) != ok || !ok && !errors.Is(err, semiring.ErrCapability) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	rx.MustParse("(")
}

// A name denotes the same group in all expressions of a compiler.
func TestTying(t *testing.T) {
	params := em.NewParams()
	c := trainable(params, fst.NewSymbols("a"))
	for _, text := range []string{"a*_λ a*_λ", "<1-λ>a", "a +_(1-λ) ()", "{μ: a | () | aa}"} {
		must(c.Compile(rx.MustParse(text)))(t)
	}
	if n := params.Len(); n != 5 {
		t.Errorf("%d parameters, want 2 of λ and 3 of μ", n)
	}
}

// Operations on sets require acceptors, and their work is bounded by the limit.
func TestSetErrors(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{"a & (a:b)", fst.ErrInvalid}, {"(a:b) - a", fst.ErrInvalid}, {"a - (b:a)", fst.ErrInvalid}, {"~(a:b)", fst.ErrInvalid},
		{"~(.*a.{12})", semiring.ErrLimit}, {". - .*a.{12}", semiring.ErrLimit}, {".{20} & .{10}.{10}", semiring.ErrLimit},
	} {
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
		c.Limit = 250
		_, err := c.Compile(rx.MustParse(test.text))
		if at := new(rx.Error); !errors.Is(err, test.want) || !errors.As(err, &at) || at.Line != 1 {
			t.Errorf("%s: %v, want %v", test.text, err, test.want)
		}
	}
}

// A comment with a text is also a comment in a context.
func TestCommentInContext(t *testing.T) {
	want := rx.MustParse("a:b / c __ d")
	for _, text := range []string{"a:b / c # left\n__ d # right", "a:b / c\n# ----\n__ d", "a:b / c __ d#no blank"} {
		if got, err := rx.Parse(text); err != nil || got.String() != want.String() {
			t.Errorf("%q is read as %v, %v, want %v", text, got, err, want)
		}
	}
	if got, err := rx.Parse("a # \nb #."); err != nil || got.String() != rx.MustParse("a b").String() {
		t.Errorf("outside of contexts: %v, %v", got, err)
	}
}
