package rx_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// A letter that is written twice: a variable is the same letter wherever it stands. The class
// itself is any letter, each time.
func ExampleEach() {
	compiler, err := rx.Load(semiring.Tropical{}, `
letter = [a-z];
consonant = @letter - [aeiou];
doubled(set) = {@x in @set: @x @x};
ing = {@x in @consonant: [aeiou] @x (():@x)} ():"ing" / __ $;`)
	if err != nil {
		log.Fatal(err)
	}
	ing, err := compiler.Machine("ing")
	if err != nil {
		log.Fatal(err)
	}
	out, err := fst.BestText(ing, "run", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Text)
	for _, text := range []string{"@doubled(@letter)", "@letter @letter"} {
		f, err := compiler.Compile(rx.MustParse(text))
		if err != nil {
			log.Fatal(err)
		}
		n := 0
		for range f.Paths() {
			n++
		}
		fmt.Println(text, "has", n, "strings")
	}
	// Output:
	// running
	// @doubled(@letter) has 26 strings
	// @letter @letter has 676 strings
}

// TestEachWrittenOut: an expression with a variable is the union of its instances for each symbol,
// also if variables have the same name or occur in arguments.
func TestEachWrittenOut(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 53))
		g := &grower{rng: rng, numbers: true, composes: true, sets: true, bounded: func(*tree) bool { return true }}
		g.refer = func(depth int, _, _ bool) *tree { return &tree{op: "ref", name: string("xy"[rng.IntN(2)])} }
		inner, beside := g.grow(3, true, true), g.grow(2, true, true)
		class := func() string { return []string{"a", "b", "ab"}[rng.IntN(3)] }
		names := [2]string{"x", "y"}
		if rng.IntN(3) == 0 {
			names[1] = "x"
		}
		sets := [2]string{class(), class()}

		// {@x in …: {@y in …: inner} beside}, in which other names are symbols.
		given := map[string]*tree{"x": {op: "symbol", name: "b"}, "y": {op: "symbol", name: "a"}}
		with := func(args map[string]*tree, name string, r rune) map[string]*tree {
			all := map[string]*tree{name: {op: "symbol", name: string(r)}}
			for k, v := range args {
				if k != name {
					all[k] = v
				}
			}
			return all
		}
		oneOf := func(set string) rx.Expr { return (&tree{op: "class", set: set}).expr() }
		short := rx.Each(names[0], oneOf(sets[0]), rx.Concat(rx.Each(names[1], oneOf(sets[1]), inner.expr()), beside.expr()))
		long := &tree{op: "union"}
		for _, r := range sets[0] {
			outside := with(given, names[0], r)
			union := &tree{op: "union"}
			for _, r := range sets[1] {
				union.kids = append(union.kids, inner.instance(with(outside, names[1], r)))
			}
			long.kids = append(long.kids, &tree{op: "concat", kids: []*tree{union, beside.instance(outside)}})
		}

		compile := func(e rx.Expr) (string, error) {
			c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
			c.Groups = rx.Weights(func(group string, alternatives []string) []float64 {
				var weights []float64
				for _, a := range alternatives {
					if a == "heads" || a == "x" {
						weights = append(weights, coins[group])
					} else {
						weights = append(weights, 1-coins[group])
					}
				}
				return weights
			})
			// Free names are definitions; a parameter of the same name is the argument.
			err := c.DefineAll([]rx.Definition{{Name: "x", Expr: rx.Symbol("b")}, {Name: "y", Expr: rx.Symbol("a")},
				{Name: "call", Params: []string{"it"}, Expr: rx.Each("x", oneOf("a"), rx.Ref("it"))}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := c.Compile(e)
			if err != nil {
				return "", err
			}
			return f.String(), nil
		}
		want, wantErr := compile(long.expr())
		for _, e := range []rx.Expr{short, rx.Call("call", short)} {
			got, err := compile(e)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("seed %d: %s:\n%s (%v), want that of %s:\n%s (%v)", seed, e, got, err, long.expr(), want, wantErr)
			}
		}
		if again := must(rx.Parse(short.String()))(t); !again.Equal(short) {
			t.Fatalf("%s was read as %s", short, again)
		}
	}
}

// all returns the strings that the machine of an expression reads, in the order of its paths.
func all(t *testing.T, c *rx.Compiler[float64], e rx.Expr) string {
	t.Helper()
	var all []string
	f, err := c.Compile(e)
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	for p := range f.Paths() {
		all = append(all, fmt.Sprintf("%s:%g", strings.Join(must(f.InSymbols().Decode(p.In))(t), ""), p.Weight))
	}
	return strings.Join(all, " ")
}

// TestEach: the symbols of a variable, and the scope of its name.
func TestEach(t *testing.T) {
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b", "c", "th"))
	if err := c.Load(`
x = c;
with(y) = {@x in [ab]: @x @y};
twice(x) = @x @x;
doubled(set) = {@x in @set: @twice(@x)};
some = [ab] | c;
hides(x) = {@x in [bc]: @x} @x;`); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"{@x in [ab]: @x @x}":                    "aa:1 bb:1",
		"{@x in .: @x}":                          "a:1 b:1 c:1 th:1",
		"{@x in [^a'th']: @x<.5>}":               "b:0.5 c:0.5",
		"{@x in @some: @x @x}":                   "aa:1 bb:1 cc:1",
		"{@x in (a|b|a): @x}":                    "a:1 b:1",
		"{@x in (@some - b): @x}":                "a:1 c:1",
		"{@x in (@some & [b'th']): @x}":          "b:1",
		"{@x in 'th': @x @x}":                    "thth:1",
		"{@x in [ab]: c}":                        "c:1 c:1",
		"@with(@x)":                              "ac:1 bc:1",
		"{@x in [bc]: @with(@x)}":                "ab:1 bb:1 ac:1 bc:1",
		"@doubled([ab])":                         "aa:1 bb:1",
		"@twice([ab])":                           "aa:1 ab:1 ba:1 bb:1",
		"{@x in [ab]: {@x in [bc]: @x @x} @x}":   "bba:1 cca:1 bbb:1 ccb:1",
		"{@x in [ab]: {@x in (@x|c): @x} @x}":    "aa:1 ca:1 bb:1 cb:1",
		"@hides(a)":                              "ba:1 ca:1",
		"{@x in [ab]: @x} @x":                    "ac:1 bc:1",
		"{@x in [ab]: a >> (@x:b / __) >> .}^in": "a:1 a:1",
	} {
		e := must(rx.Parse(text))(t)
		if got := all(t, c, e); got != want {
			t.Errorf("%s has %s, want %s", text, got, want)
		}
	}
}

// TestEachNetwork: recursive definitions may have variables: a context-free grammar of palindromes.
func TestEachNetwork(t *testing.T) {
	networks := make([]string, 2)
	for i, text := range []string{"S = {@x in [ab]: @x @S @x}?;", "S = (a @S a | b @S b)?;"} {
		start, parts, err := callNetwork(t, text).Network("S")
		if err != nil {
			t.Fatal(err)
		}
		networks[i] = fmt.Sprint(start, len(parts), parts[start])
	}
	if networks[0] != networks[1] {
		t.Errorf("%s, want %s", networks[0], networks[1])
	}
}

// TestEachErrors: an error contains the cause, the line and the file.
func TestEachErrors(t *testing.T) {
	for _, test := range []struct {
		text, message string
		want          error
	}{
		{"start = a\n {@x on [ab]: @x};", "rx: g.rx:2:6: syntax error: 'o', want in after the name of a variable", rx.ErrSyntax},
		{"start = {@x in a*: @x};", "rx: g.rx:1:17: syntax error: '*', want a colon after the symbols of a variable", rx.ErrSyntax},
		{"start = {@ in a: @x};", "rx: g.rx:1:11: syntax error: ' ', want the name of a variable", rx.ErrSyntax},
		{"start = {@x in [ab]: @x;", "rx: g.rx:1:24: syntax error: ';', want an operator or }", rx.ErrSyntax},
		{"start =\n{@x in [ab]: @x(a)};", "rx: start: g.rx:2:14: invalid input: @x is a variable, which takes no arguments", rx.ErrInvalid},
		{"start =\n a {@x in \"ab\": @x};", "rx: start: g.rx:2:11: invalid input: no set of symbols for a variable: want a class, a symbol, or sets of them with |, - or & between", rx.ErrInvalid},
		{"start = {@x in @s: @x};\ns = [ab] |\n a b;", "rx: s: g.rx:3:2: invalid input: no set of symbols for a variable", rx.ErrInvalid},
		{"start = {@x in @m: @x};", "rx: start: g.rx:1:16: invalid input: no set of symbols for a variable", rx.ErrInvalid},
		{"start = {@x in @s: @x};", "rx: start: g.rx:1:16: bad name: s is not defined", rx.ErrName},
		{"start = {@x in @x: @x};", "rx: start: g.rx:1:16: bad name: x is not defined", rx.ErrName},
		{"start = {@x in @s: @x}; s = a | @s;", "rx: s: g.rx:1:33: bad name: a definition that needs itself: @s → @s", rx.ErrName},
		{"start = {@x in (a - [ab]): @x};", "rx: start: g.rx:1:19: invalid input: no symbol for a variable is left", rx.ErrInvalid},
		{"start = {@x in [c]: @x};", "rx: start: g.rx:1:16: symbols do not match: \"c\" is not in the alphabet", fst.ErrSymbol},
		{"start =\n {@x in [ab]: (@x:b):@x};", "rx: start: g.rx:2:18: invalid input: an operand of : that is not an acceptor", rx.ErrInvalid},
		{"start = " + strings.Repeat("{@x in [ab]: @x ", 30) + strings.Repeat("}", 30) + ";", "limit exceeded: ", semiring.ErrLimit},
		{"s0(x) = @x; " + doublingSets(40) + "start = {@x in @s40(a): @x};", "limit exceeded: ", semiring.ErrLimit},
	} {
		c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
		c.Limit = 100_000
		err := c.DefineMachine("m", fst.FromString(semiring.Boolean{}, nil))
		if err == nil {
			err = c.LoadFile(fstest.MapFS{"g.rx": {Data: []byte(test.text)}}, "g.rx")
		}
		if err == nil {
			_, err = c.Machine("start")
		}
		var placed *rx.Error
		if !errors.Is(err, test.want) || !errors.As(err, &placed) || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%.40s: error %v, want %v: %s", test.text, err, test.want, test.message)
		}
	}
	// Expressions that no text was parsed for are checked as well.
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
	for _, e := range []rx.Expr{rx.Each("1", rx.Any(), rx.Ref("1")), rx.Each("x", rx.Any(), rx.Call("x", rx.Symbol("a"))), rx.Each("x", rx.OneOf(), rx.Ref("x"))} {
		if _, err := c.Compile(e); !errors.Is(err, rx.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", e, err)
		}
	}
}

// doublingSets returns definitions each of which is twice as large as its predecessor.
func doublingSets(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s%d(x) = @s%d(@x | @x);", i+1, i)
	}
	return b.String()
}
