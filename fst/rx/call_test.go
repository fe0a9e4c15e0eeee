package rx_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// Definitions with parameters: deletion, insertion, and a list with separators.
func ExampleCall() {
	alphabet := fst.NewSymbols("a", "b", "c", ",", " ")
	compiler := rx.NewCompiler(semiring.Boolean{}, alphabet)
	err := compiler.Load(`
delete(x) = @x:();
insert(x) = ():@x;
list(element, between) = @element (@between @element)*;
spaced = @list([abc], @delete(\,) @insert(" "));`)
	if err != nil {
		log.Fatal(err)
	}
	spaced, err := compiler.Machine("spaced")
	if err != nil {
		log.Fatal(err)
	}
	in, _ := alphabet.EncodeRunes("a,b,c")
	for p, err := range fst.Apply(spaced, in, nil) {
		if err != nil {
			log.Fatal(err)
		}
		names, _ := alphabet.Decode(p.Out)
		fmt.Println(strings.Join(names, ""))
	}
	_, err = compiler.Compile(rx.MustParse("a @list(b)"))
	fmt.Println(err)
	// Output:
	// a b c
	// rx: 1:3: invalid input: @list has 1 arguments, want 2 arguments
}

// instance returns t with its parameters replaced by arguments.
func (t *tree) instance(args map[string]*tree) *tree {
	if arg, ok := args[t.name]; ok && t.op == "ref" {
		return arg
	}
	c := *t
	c.kids, c.known, c.rest = nil, nil, nil
	for _, k := range t.kids {
		c.kids = append(c.kids, k.instance(args))
	}
	return &c
}

// A call has the same machine as the expression written out.
func TestCallWrittenOut(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 47))
		var defined []rx.Definition
		g := &grower{rng: rng, numbers: true, composes: true, sets: true, bounded: func(*tree) bool { return true }}
		parameter := func(depth int, _, _ bool) *tree { return &tree{op: "ref", name: string("xy"[rng.IntN(2)])} }
		// The definition f has the parameters x and y; g has them too, and calls f with what
		// they make.
		g.refer = parameter
		inner := g.grow(3, true, true)
		first, second := g.grow(2, true, true), g.grow(2, true, true)
		g.refer = nil
		x, y := g.grow(2, true, true), g.grow(2, true, true)
		defined = append(defined,
			rx.Definition{Name: "f", Params: []string{"x", "y"}, Expr: inner.expr()},
			rx.Definition{Name: "g", Params: []string{"y", "x"}, Expr: rx.Concat(rx.Call("f", first.expr(), second.expr()), rx.Call("f", rx.Ref("x"), rx.Ref("x")))})

		compile := func(e rx.Expr, ds ...rx.Definition) (string, error) {
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
			if err := c.DefineAll(ds); err != nil {
				t.Fatal(err)
			}
			f, err := c.Compile(e)
			if err != nil {
				return "", err
			}
			return f.String(), nil
		}
		args := map[string]*tree{"x": x, "y": y}
		long := &tree{op: "concat", kids: []*tree{
			inner.instance(map[string]*tree{"x": first.instance(args), "y": second.instance(args)}),
			inner.instance(map[string]*tree{"x": x, "y": x}),
		}}
		want, wantErr := compile(long.expr())
		got, err := compile(rx.Call("g", y.expr(), x.expr()), defined...)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s %s with x=%s y=%s:\n%s (%v), want\n%s (%v)", defined[0], defined[1], x.expr(), y.expr(), got, err, want, wantErr)
		}
		// The text is another way to say it.
		var text strings.Builder
		for _, d := range defined {
			text.WriteString(d.String())
		}
		again := must(rx.ParseDefinitions(text.String()))(t)
		for i, d := range again {
			if d.String() != defined[i].String() || !d.Expr.Equal(defined[i].Expr) {
				t.Fatalf("%s was read as %s", defined[i], d)
			}
		}
	}
}

// Names are bound where they stand: an argument's do not mean the parameters of what it is
// given to.
func TestCallBinding(t *testing.T) {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b", "c"))
	if err := c.Load(`
x = c;
pair(x, y) = @x @y;
swap(x, y) = @pair(@y, @x);
twice(x) = @pair(@pair(@x, @x), @swap(@x, @outer));
outer = @x;`); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"@pair(a, b)": "ab", "@swap(a, b)": "ba", "@pair(@x, a)": "ca", "@pair(a, @x)": "ac", "@swap(@x, a)": "ac",
		"@twice(a b)": "ababcab", "@pair((), a >> a)": "a", "@pair(a >> (a:b / __), @outer)^out": "bc", "@outer (a)": "ca",
		"@pair(@pair(a, b), @pair(b, a))": "abba",
	} {
		f, err := c.Compile(rx.MustParse(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var all []string
		for p := range f.Paths() {
			all = append(all, strings.Join(must(f.OutSymbols().Decode(p.Out))(t), ""))
			if len(all) > 1 {
				break
			}
		}
		if len(all) != 1 || all[0] != want {
			t.Errorf("%s has %v, want %s", text, all, want)
		}
	}
}

func TestCallErrors(t *testing.T) {
	for _, test := range []struct {
		text, message string
		want          error
	}{
		{"f(x) = @x;\nstart = a @f;", "rx: start: 2:11: invalid input: @f has 0 arguments, want 1", rx.ErrInvalid},
		{"f(x) = @x;\nstart = a @f(a, b);", "rx: start: 2:11: invalid input: @f has 2 arguments, want 1", rx.ErrInvalid},
		{"f = a;\nstart = @f(a);", "rx: start: 2:9: invalid input: @f has 1 arguments, want no arguments", rx.ErrInvalid},
		{"start = @m(a);", "rx: start: 1:9: invalid input: @m has 1 arguments, want no arguments", rx.ErrInvalid},
		{"start = @h(a);", "rx: start: 1:9: bad name: h is not defined", rx.ErrName},
		{"f(x) = @x @y; start = @f(a);", "rx: f: 1:11: bad name: y is not defined", rx.ErrName},
		{"f(x) = a\n@f(@x a)?; start = @f(a);", "rx: start: 2:20: bad name: a definition that needs itself: @f → @f", rx.ErrName},
		{"f(x) = a @g(@x); g(x) = b @h(@x); h(x) = @f(@x)?; start = @g(a);", "rx: start: 1:59: bad name: a definition that needs itself: @g → @h → @f → @g", rx.ErrName},
		{"f(x) = @x?; start = a @f(@start);", "rx: f: 1:26: bad name: a definition that needs itself: @start → @f → @start", rx.ErrName},
		{"f(x) = @x(a);", "rx: f: 1:8: invalid input: @x is a parameter, which takes no arguments", rx.ErrInvalid},
		{"f(x, x) = @x;", "rx: f: 1:1: invalid input: two parameters x", rx.ErrInvalid},
		{"f(x = @x;", "rx: 1:5: syntax error: '=', want a comma or )", rx.ErrSyntax},
		{"f() = a;", "rx: 1:3: syntax error: ')', want the name of a parameter", rx.ErrSyntax},
		{"start = @f();", "rx: 1:12: syntax error: ')', want an expression", rx.ErrSyntax},
		{"start = @f(a / __);", "rx: 1:14: syntax error: '/', want an operator, a comma or )", rx.ErrSyntax},
		{"f(x) = @x:b; start = @f(a:b);", "rx: f: 1:26: invalid input: an operand of : that is not an acceptor", rx.ErrInvalid},
		{"f0(x) = @x @x;" + doubling(40) + "start = @f40(a);", "limit exceeded: definitions with their arguments", semiring.ErrLimit},
	} {
		c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
		c.Limit = 100_000
		err := c.DefineMachine("m", fst.FromString(semiring.Boolean{}, nil))
		if err == nil {
			err = c.Load(test.text)
		}
		if err == nil {
			_, err = c.Machine("start")
		}
		var placed *rx.Error
		if !errors.Is(err, test.want) || !errors.As(err, &placed) || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%.40s: error %v, want %v: %s", test.text, err, test.want, test.message)
		}
	}
	if _, _, err := callNetwork(t, "f(x) = @x;").Network("f"); !errors.Is(err, rx.ErrInvalid) {
		t.Errorf("network of a definition with parameters: %v", err)
	}
}

// doubling returns definitions each of which is twice as large as its predecessor.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d(x) = @f%d(@x a) | @f%d(@x b);", i+1, i, i)
	}
	return b.String()
}

func callNetwork(t *testing.T, text string) *rx.Compiler[bool] {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
	if err := c.Load(text); err != nil {
		t.Fatal(err)
	}
	return c
}

// A context-free grammar may call definitions with parameters that are not recursive.
func TestCallNetwork(t *testing.T) {
	networks := make([]string, 2)
	for i, text := range []string{"around(x, y) = @x @y @x; S = @around(a, @S)?;", "S = (a @S a)?;"} {
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
