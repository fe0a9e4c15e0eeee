package rx_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// Expressions are printed in one canonical form, whatever the form of the text.
func TestString(t *testing.T) {
	a, b := rx.Symbol("a"), rx.Symbol("b")
	half, λ := rx.Number(.5), rx.Coin("λ")
	unlike := λ.Not()
	for _, test := range []struct {
		text string
		e    rx.Expr
		want string
	}{
		{" ( ) ", rx.Expr{}, "()"},
		{"((a))", a, "a"},
		{"a b", rx.Concat(a, b), "ab"},
		{"(ab)b", rx.Concat(rx.Concat(a, b), b), "(ab)b"},
		{"a|b|a", rx.Union(a, b, a), "a | b | a"},
		{"a|(b|a)", rx.Union(a, rx.Union(b, a)), "a | (b | a)"},
		{"a|b +_.50 a|b", rx.Union(rx.ProbUnion(half, rx.Union(a, b), a), b), "((a | b) +_0.5 a) | b"},
		{"a +_(1-λ)b", rx.ProbUnion(λ.Not(), a, b), "a +_(1-λ) b"},
		{"a +_(λ) b", rx.ProbUnion(λ.Not().Not(), a, b), "a +_λ b"},
		{"a*_λ b", rx.Concat(rx.ProbStar(λ, a), b), "a*_λ b"},
		{"a:b*", rx.Star(rx.Cross(a, b)), "a:b*"},
		{"a:(b*)", rx.Cross(a, rx.Star(b)), "a:(b*)"},
		{"a*+?", rx.Optional(rx.Plus(rx.Star(a))), "a*+?"},
		{"a{2 }{2 , }{0,1}", rx.Optional(rx.Repeat(rx.Repeat(a, 2, 2), 2, rx.Unlimited)), "a{2}{2,}?"},
		{"a>>b|a>>b", rx.Compose(a, rx.Union(b, a), b), "a >> b | a >> b"},
		{"(a >> b)^inv b^in", rx.Concat(rx.Invert(rx.Compose(a, b)), rx.ProjectIn(b)), "(a >> b)^inv b^in"},
		{"a:b/__", rx.Rewrite(rx.RewriteOptions{}, rx.Rule{Change: rx.Cross(a, b)}), "a:b / __"},
		{"a|b / ^rtl ^opt b|$__()", rx.Rewrite(rx.RewriteOptions{Direction: rewrite.RightToLeft, Application: rewrite.Optional}, rx.Rule{rx.Union(a, b), rx.Union(b, rx.Edge()), rx.Concat()}), "a | b /^rtl^opt b | $ __"},
		{"a /^sim ~a __ b, (b/__) / __ $", rx.Rewrite(rx.RewriteOptions{Direction: rewrite.Simultaneous}, rx.Rule{a, rx.Complement(a), b},
			rx.Rule{rx.Rewrite(rx.RewriteOptions{}, rx.Rule{Change: b}), rx.Expr{}, rx.Edge()}), "a /^sim ~a __ b, (b / __) / __ $"},
		{"a >> b / @x __ a | b, b / __ >> a", rx.Compose(a, rx.Rewrite(rx.RewriteOptions{}, rx.Rule{b, rx.Ref("x"), rx.Union(a, b)}, rx.Rule{Change: b}), a), "a >> b / @x __ a | b, b / __ >> a"},
		{"a /^longest^opt_.5 ^rtl __", rx.Rewrite(rx.RewriteOptions{Direction: rewrite.RightToLeft, Application: rewrite.Optional, Match: rewrite.Longest, Coin: &half}, rx.Rule{Change: a}), "a /^rtl^opt_0.5^longest __"},
		{"a /^opt_(1-λ)^shortest b __", rx.Rewrite(rx.RewriteOptions{Application: rewrite.Optional, Match: rewrite.Shortest, Coin: &unlike}, rx.Rule{Change: a, Left: b}), "a /^opt_(1-λ)^shortest b __"},
		{`"ab":"b" "" @"a.tsv"@x`, rx.Concat(rx.Cross(rx.Text("ab"), b), rx.Concat(), rx.Ref("a.tsv"), rx.Ref("x")), `(ab):b()@"a.tsv" @x`},
		{`"a\"' #\u{41}"`, rx.Text(`a"' #A`), `a\"\'' '\#A`},
		{"<δ.x><λ.heads><λ.tails><δ.0>", rx.Concat(rx.Weight(rx.Param("δ", "x")), rx.Weight(λ), rx.Weight(λ.Not()), rx.Weight(rx.Param("δ", "0"))), "<δ.x><λ><1-λ><δ.0>"},
		{"@f( a|b , a>>b,(a/__)>>b,())(a)", rx.Concat(rx.Call("f", rx.Union(a, b), rx.Compose(a, b), rx.Compose(rx.Rewrite(rx.RewriteOptions{}, rx.Rule{Change: a}), b), rx.Concat()), a), "@f(a | b, a >> b, (a / __) >> b, ())a"},
		{"@f (a|b)@f(@x)*", rx.Concat(rx.Ref("f"), rx.Union(a, b), rx.Star(rx.Call("f", rx.Ref("x")))), "@f (a | b)@f(@x)*"},
		{"a|b || a|b", rx.Union(rx.Otherwise(rx.Union(a, b), a), b), "((a | b) || a) | b"},
		{"a||b||a^min", rx.Otherwise(rx.Otherwise(a, b), rx.Minimal(a)), "(a || b) || a^min"},
		{"< +2 ><-.5>", rx.Concat(rx.Weight(rx.Cost(2)), rx.Weight(rx.Cost(-.5))), "<+2><-0.5>"},
		{"a^out^rev", rx.Reverse(rx.ProjectOut(a)), "a^out^rev"},
		{"@x1 :@y a", rx.Concat(rx.Cross(rx.Ref("x1"), rx.Ref("y")), a), "@x1:@y a"},
		{"<1 - λ>< .25 ><1e-7>", rx.Concat(rx.Weight(λ.Not()), rx.Weight(rx.Number(.25)), rx.Weight(rx.Number(1e-7))), "<1-λ><0.25><1e-07>"},
		{"a*_0.5.", rx.Concat(rx.ProbStar(half, a), rx.Any()), "a*_0.5 ."},
		{"a*_1e", rx.Concat(rx.ProbStar(rx.Number(1), a), rx.Symbol("e")), "a*_1 e"},
		{"{δ:a|b b}", rx.Choice("δ", rx.Alternative{Expr: a}, rx.Alternative{Expr: rx.Concat(b, b)}), "{δ: a | bb}"},
		{"{δ:x=a|y=()}", rx.Choice("δ", rx.Alternative{"x", a}, rx.Alternative{"y", rx.Concat()}), "{δ: x = a | y = ()}"},
		{`[^ a-z 'th' \]]`, rx.NoneOf(rx.Range('a', 'z'), rx.One("th"), rx.One("]")), `[^a-z'th'\]]`},
		{`'a'\* \n'\u{3b5}\''\ \u{7}`, rx.Concat(a, rx.Symbol("*"), rx.Symbol("\n"), rx.Symbol("ε'"), rx.Symbol(" "), rx.Symbol("\a")), `a\*'\u{a}''ε\''' ''\u{7}'`},
		{"日本 # comment\n ε", rx.Text("日本ε"), "日本ε"},
	} {
		e := must(rx.Parse(test.text))(t)
		if !e.Equal(test.e) {
			t.Errorf("%q was read as %v, want %v", test.text, e, test.e)
		}
		if test.want != "" && e.String() != test.want {
			t.Errorf("%q was written as %s, want %s", test.text, e, test.want)
		}
		if again := must(rx.Parse(e.String()))(t); !again.Equal(e) {
			t.Errorf("%q was written as %s and read as %s", test.text, e, again)
		}
	}
}

func TestNotEqual(t *testing.T) {
	texts := []string{
		"()", "a", "'ab'", "ab", "ba", "[ab]", "[^ab]", "[a-b]", ".", "@a", "<.5>", "<a>", "<1-a>", "a|b", "a +_.5 b", "a +_a b", "{a: a|b}",
		"{b: a|b}", "{a: x=a|y=b}", "a*", "a+", "a*_.5", "a:b", "a >> b", "a^inv", "a^in", "a^out", "a^rev", "a{2}", "a{2,}", "$",
		"a / __", "a / a __", "a / __ a", "a /^rtl __", "a /^sim __", "a /^opt __", "a /^sim^opt __", "a / __, a / __",
		"@a(b)", "@a(b, b)", "@a(a)", "@a b", "a || b", "a^min", "<+2>", "<2>", "a /^opt_0 __", "a /^opt_.5 __", "a /^opt_λ __", "a /^longest __", "a /^shortest __", "<g.x>", "<g.y>", "<h.x>",
	}
	for i, x := range texts {
		for j, y := range texts {
			if same := rx.MustParse(x).Equal(rx.MustParse(y)); same != (i == j) {
				t.Errorf("%s and %s: equal %v", x, y, same)
			}
		}
	}
}

func TestClasses(t *testing.T) {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b", "c", "é", "th", "0", "9"))
	for text, want := range map[string]string{
		"[a-c]": "a b c", "[b-z]": "b c", "[0-9'th']": "th 0 9", "[^a-z0]": "é th 9", ".": "a b c é th 0 9",
		"[aa-b]": "a b", "[^'th']": "a b c é 0 9", "['a'-b]": "a b", `[\u{0}-\u{10ffff}]`: "a b c é 0 9",
	} {
		f := must(c.Compile(rx.MustParse(text)))(t)
		names := must(f.InSymbols().Decode(f.In()))(t)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s, want %s", text, got, want)
		}
	}
}

// perByte is the limit of allocations of Parse per byte of a text, and of Compile per unit of its
// limit.
const perByte = 400

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "a", "()", "(a:p)*_λ (b:(p +_ν q))*_μ", "(p:x<1-ρ> | q:z)* (p:()<ρ> (p:() | q:z)*)?", "@b >> @c",
		`[a-z'th'\]][^x-z].`, `'it''s \u{1f600}\n'\*\ `, "a{2}b{2,}c{2,3}d?e+f*", "{op: sub = a:b | ins = ():b}{δ: a | b}",
		"a^inv^in b^out^rev", "<.5>a*_0.5 .7<1e-3>", "a +_(1-λ) b | c +_.5 d # comment\n", "a*_1e5 e a*_1e e", "a +_b+_c", "[^]", "a{1001}",
		"a & b b & (c | d) - e", "~a* ~~b & .", "~(a:b)", "a - (b - c)", "~", "a &", "{g: a - b | ~a}", "a-b*-c",
		"a:b / c __ d | $ >> b:() /^rtl^opt $ __", "a / __, b / __, () / [ab] __ ~a", "a:b /^sim^rtl __", "a / b", "$", "a / ($ / __) __", "__",
		"a:b /^opt_λ^longest a __ b", "a /^shortest^opt_.5 __", "a /^opt_(1-λ)__", `"ab\"c":"d" @"x.tsv" ""`, "<g.x><g.0>", "*_(g.x)", "/^opt_",
		"a || b:a || (a|b)^min", "<+2>a<-.5> | (a b)^min b", "a ||", "<+", "a^min^rev || ~a",
		"{@x in [ab]: @x @x} {@x in (.-a|b): {@y in @x: @y:@x} @y >> @x}", "{ @x in @b: @c(@x){2} }*", "{@x in", "{@x in a:", "{@x in .: @x(a)}", "{@x in .:{@y in .:{@z in .:@x@y@z}}}",
		"@f(a, b|c)(d) @f (e)", "@f(@f(a >> b), (a / __))*", "@f(", "@f()",
		"(((((", "a:b:c", "\xff", "'", "<1-2>", "_", "a b\n  c;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var e rx.Expr
		var err error
		memtest.Bound(t, len(text), perByte, func() { e, err = rx.Parse(text) })
		if err != nil {
			return
		}
		again, err := rx.Parse(e.String())
		if err != nil {
			t.Fatalf("%q was written as %q: %v", text, e, err)
		}
		if !again.Equal(e) {
			t.Errorf("%q was written as %q and read as %q", text, e, again)
		}
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", "th"))
		c.Groups = rx.Weights(func(_ string, alternatives []string) []float64 { return make([]float64, len(alternatives)) })
		c.Limit = 2000
		var placed *rx.Error
		var m *fst.FST[float64]
		memtest.Bound(t, len(text)+c.Limit, perByte, func() { m, err = c.Compile(e) })
		if err != nil && !errors.As(err, &placed) {
			t.Errorf("%q: error without a position: %v", text, err)
		} else if err == nil && m.NumStates()+m.NumArcs() > 5*c.Limit {
			t.Errorf("%q: %d states and %d arcs", text, m.NumStates(), m.NumArcs())
		}
	})
}

// Definitions are read as they are written; networks are made of them or not, within the
// limit.
func FuzzDefinitions(f *testing.F) {
	for _, text := range []string{
		"", "a = b;", formulas, "S = (a @S b)?; T = @S;", "A = a (~@A b); B = a @C; C = (@B | b)^inv;", "a = @b; b = @a | @c;",
		"x = a / @x __; y = @y:a;", "a = b; a = c;", "a = (((;", "x = {g: @x | a} @x*_.5 +_λ ();", "a = b # c;", `"a.tsv" = "ab":"b"; b = @"a.tsv"; import = a; b=<g.x>{g:x=a|y=b};`, `import "x"; a = b;`,
		"f(x, y) = @x (@y @x)*; g(x) = @f(@x, @x:b); a = @g(a) @f(a | b, ());", "f(x) = @f(@x a); a = @f(b);", "f(x)=@g(@x a)|@g(@x b);g(x)=@x @x;a=@f(@f(a));", "S = @f(@S)?; f(x) = a @x b;",
		"f(s) = {@x in @s: @x @x}; a = @f([^a]) | {@x in [ab]: @f(@x) @b:@x}; b = {@x in (a|b): @x}; S = {@x in .: @x @S @x}?;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var ds []rx.Definition
		var err error
		memtest.Bound(t, len(text), perByte, func() { ds, err = rx.ParseDefinitions(text) })
		if err != nil {
			return
		}
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", "+", "*", "(", ")"))
		c.Groups = rx.Weights(func(_ string, alternatives []string) []float64 { return make([]float64, len(alternatives)) })
		c.Limit = 1000
		var written strings.Builder
		for _, d := range ds {
			written.WriteString(d.String())
			if err := c.DefineAll([]rx.Definition{d}); err != nil && !errors.Is(err, rx.ErrName) {
				t.Errorf("%s: %v", d, err)
			}
		}
		again, err := rx.ParseDefinitions(written.String())
		if err != nil || len(again) != len(ds) {
			t.Fatalf("%q was written as %q: %v", text, written.String(), err)
		}
		for _, d := range ds {
			var start int32
			var parts map[int32]fst.Machine[float64]
			var placed *rx.Error
			memtest.Bound(t, (len(text)+c.Limit)*(1+len(ds)), perByte, func() { start, parts, err = c.Network(d.Name) })
			if err != nil && !errors.As(err, &placed) {
				t.Errorf("%q: error without a position: %v", text, err)
			}
			if err != nil {
				continue
			}
			g, err := cfg.New(start, parts)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			above := g.Superset(1)
			if _, err := fst.Expand(above, &fst.Options{Limit: 1000}); err != nil && !errors.Is(err, semiring.ErrLimit) || fst.Err(above) != nil {
				t.Fatalf("%q: %v, %v", text, err, fst.Err(above))
			}
		}
	})
}
