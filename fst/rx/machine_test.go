package rx_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// Exceptions before the rule, and the costliest alternative last: the rule does not apply to a
// listed plural.
func ExampleOtherwise() {
	alphabet := fst.NewSymbols("a", "c", "e", "f", "i", "m", "n", "o", "s", "t", "x")
	compiler := rx.NewCompiler(semiring.Tropical{}, alphabet)
	err := compiler.Load(`
listed = "ox":"oxen" | "man":"men" | "man":"mans"<+2>;
plural = @listed || .* ():s;`)
	if err != nil {
		log.Fatal(err)
	}
	plural, err := compiler.Machine("plural")
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range []string{"cat", "ox", "man"} {
		in, _ := alphabet.EncodeRunes(word)
		for p, err := range fst.Apply(plural, in, nil) {
			if err != nil {
				log.Fatal(err)
			}
			out, _ := alphabet.Decode(p.Out)
			fmt.Println(word, strings.Join(out, ""), p.Weight)
		}
	}
	// Output:
	// cat cats 0
	// ox oxen 0
	// man men 0
	// man mans 2
}

// A machine that a grammar uses again and again is made small once.
func ExampleMinimal() {
	alphabet := fst.NewSymbols(strings.Split("0123456789abcdefghijklmnopqrstuvwxyz ", "")...)
	compiler := rx.NewCompiler(semiring.Tropical{}, alphabet)
	err := compiler.Load(`
digit = 1:"one" | 2:"two" | 3:"three" | 4:"four" | 5:"five" | 6:"six" | 7:"seven" | 8:"eight" | 9:"nine";
teen = "14":"fourteen" | "16":"sixteen" | "17":"seventeen" | "18":"eighteen" | "19":"nineteen";
ty = 6:"sixty" | 7:"seventy" | 8:"eighty" | 9:"ninety";
number = @digit | @teen | @ty (0:() | ():" " @digit);
small = @number^min;`)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"number", "small"} {
		f, err := compiler.Machine(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, f.NumStates(), f.NumArcs())
	}
	// Output:
	// number 90 115
	// small 61 82
}

// E || F is what it is written out, and E^min is E, both for any weights of paths.
func TestOtherwiseWrittenOut(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 48))
		g := &grower{rng: rng, numbers: true, composes: true, sets: true, bounded: func(*tree) bool { return true }}
		a, b := g.grow(3, false, true).expr(), g.grow(3, false, true).expr()
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
		c.Groups = rx.Weights(func(group string, alternatives []string) []float64 {
			weights := make([]float64, len(alternatives))
			for i := range weights {
				weights[i] = .25 + .5*float64(i)
			}
			return weights
		})
		for _, pair := range [][2]rx.Expr{
			{rx.Otherwise(a, b), rx.Union(a, rx.Compose(rx.Complement(rx.ProjectIn(a)), b))},
			{rx.Minimal(a), a},
			{rx.Minimal(rx.Union(a, b, a)), rx.Union(a, b, a)},
		} {
			got, want := must(c.Compile(pair[0]))(t), must(c.Compile(pair[1]))(t)
			distance := func(a, b float64) float64 { return math.Abs(a-b) / max(1, math.Abs(a)) }
			if difference := fsttest.DiffWeights(got, want, 2, 3, distance, 1e-12); difference != "" {
				t.Fatalf("%s and %s: %s", pair[0], pair[1], difference)
			}
		}
	}
}

// The result of an operation on whole machines in a definition is made once: otherwise these would
// be 2⁶⁰ compositions.
func TestDefinitionsAreMadeOnce(t *testing.T) {
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
	c.Limit = 4000
	name, text := "d", "d = a | b;"
	for i := range 60 {
		next := fmt.Sprintf("d%d", i)
		text += fmt.Sprintf("%s = @%s >> @%s;", next, name, name)
		name = next
	}
	define(t, c, text+"f(x) = @x >> @x; start = @f(@f(@"+name+"));")
	f := must(c.Machine("start"))(t)
	if f.NumArcs() != 2 || f.NumStates() != 2 {
		t.Errorf("made %s", f)
	}
}

// The end $ of a context is another one in the left and in the right context.
func TestDefinitionsKnowTheirEdge(t *testing.T) {
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
	define(t, c, "end = $ & $; rule = a:b / @end __ , b:a / __ @end;")
	f := must(c.Compile(rx.MustParse("(aabb) >> @rule")))(t)
	for p := range f.Paths() {
		if names := must(f.OutSymbols().Decode(p.Out))(t); strings.Join(names, "") != "baba" {
			t.Errorf("aabb became %v", names)
		}
	}
}

// A parameter of a machine to train stays on an arc of its own.
func TestMinimalKeepsParameters(t *testing.T) {
	params := em.NewParams()
	c := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b"))
	c.Groups = em.Alternatives(params, nil)
	f := must(c.Compile(rx.MustParse("({g: x = ab | y = ab | z = ba} | {g: x = ab | y = ab | z = ba})^min")))(t)
	var got []string
	for _, w := range f.Graph().Weights() {
		got = append(got, params.Space().String(w))
	}
	if all := strings.Join(got, " "); strings.Contains(all, "+") || strings.Contains(all, "/") || f.NumStates() > 4 {
		t.Errorf("weights %s of %d states", all, f.NumStates())
	}
}

// A cost is exact in rings of costs, and a number elsewhere, unless it is out of range.
func TestCost(t *testing.T) {
	alphabet := fst.NewSymbols("a")
	costs := rx.NewCompiler(semiring.Tropical{}, alphabet)
	for _, cost := range []float64{2, .1, -3.7, 1000, 0} {
		w := rx.Weight(rx.Cost(cost))
		if again := must(rx.Parse(w.String()))(t); !again.Equal(w) {
			t.Errorf("cost %v was written as %s", cost, w)
		}
		if f := must(costs.Compile(rx.Concat(rx.Symbol("a"), w)))(t); f.Graph().Weights()[0] != semiring.Cost(cost) {
			t.Errorf("cost %v is %v", cost, f.Graph().Weights())
		}
	}
	reals := rx.NewCompiler(semiring.Real{}, alphabet)
	f := must(reals.Compile(rx.MustParse("a<+2><-.5>")))(t)
	if w := f.Graph().Weights()[0]; math.Abs(w-math.Exp(-1.5)) > 1e-15 {
		t.Errorf("cost 1.5 is the number %v", w)
	}
	for _, text := range []string{"<+1000>", "<-1000>"} {
		if _, err := reals.Compile(rx.MustParse(text)); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%s: error %v", text, err)
		}
	}
	if _, err := rx.NewCompiler(semiring.Boolean{}, alphabet).Compile(rx.MustParse("<+1000>a")); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]error{"a*_(+2)": rx.ErrInvalid, "a +_(-1) b": rx.ErrInvalid, "a*_+2": rx.ErrSyntax, "<+1e999>": rx.ErrInvalid, "<+λ>": rx.ErrSyntax} {
		if _, err := rx.Parse(text); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", text, err, want)
		}
	}
}
