package rx_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// formulas are sums of products of letters and formulas in parentheses. Detecting recursive
// definitions here requires following definitions that are not recursive.
const formulas = `E = @T (@plus @T)*; T = @F (\* @F)*; F = @atom | @paren; paren = \( @E \); plus = \+; atom = a;`

// formula returns the rest of text after a formula with parentheses nested at most depth deep. It
// returns false if text does not begin with a formula.
func formula(text string, depth int) (string, bool) {
	for {
		switch {
		case strings.HasPrefix(text, "a"):
			text = text[1:]
		case strings.HasPrefix(text, "(") && depth > 0:
			rest, ok := formula(text[1:], depth-1)
			if !ok || !strings.HasPrefix(rest, ")") {
				return "", false
			}
			text = rest[1:]
		default:
			return "", false
		}
		if text == "" || text[0] != '+' && text[0] != '*' {
			return text, true
		}
		text = text[1:]
	}
}

func TestNetwork(t *testing.T) {
	truths := semiring.Boolean{}
	alphabet := fst.NewSymbols("a", "+", "*", "(", ")")
	c := rx.NewCompiler(truths, alphabet)
	define(t, c, formulas)
	start, parts, err := c.Network("E")
	if err != nil || start != 6 || len(parts) != 4 || parts[6] == nil {
		t.Fatalf("starts with %d of %d parts, %v, want E, T, F and paren", start, len(parts), err)
	}
	g := must(cfg.New(start, parts))(t)
	// An E in parentheses is four calls deeper than the one around them, and an a two.
	for depth := range 3 {
		w := fsttest.NewWeigher(must(fst.Connect(g.Subset(4*depth+2), nil))(t))
		for _, labels := range fsttest.Strings(5, 5) {
			text := strings.Join(must(alphabet.Decode(labels))(t), "")
			rest, ok := formula(text, depth)
			if got := w.Weight(labels, labels); got != (ok && rest == "") {
				t.Fatalf("depth %d: %q is %v", depth, text, got)
			}
		}
	}
}

// Weights and groups are on the correct arcs; definitions that are not recursive are inserted.
func TestNetworkWeights(t *testing.T) {
	reals := semiring.Real{}
	c := rx.NewCompiler(reals, fst.NewSymbols("a", "b"))
	c.Groups = rx.Weights(func(string, []string) []float64 { return []float64{.75, .25} })
	define(t, c, "S = {g: @A @S @B | ()}; A = a; B = b<.5>; L = <.5>a @L | b; N = @A;")
	start, parts, err := c.Network("S")
	if err != nil || len(parts) != 1 {
		t.Fatal(len(parts), err)
	}
	f := must(fst.Expand(must(cfg.New(start, parts))(t).Subset(3), nil))(t)
	if got := value(t, f, "aab", "aab"); got != 0 {
		t.Errorf("aab has weight %g", got)
	}
	for n := range 5 {
		word, want := strings.Repeat("a", n)+strings.Repeat("b", n), .25
		for range n {
			want *= .75 * .5
		}
		if n > 3 {
			want = 0
		}
		if got := value(t, f, word, word); got-want > 1e-15 || want-got > 1e-15 {
			t.Errorf("%s has weight %g, want %g", word, got, want)
		}
	}
	start, parts, err = c.Network("L")
	if err != nil {
		t.Fatal(err)
	}
	if g := must(cfg.New(start, parts))(t); !g.StronglyRegular() {
		t.Error("a right-linear grammar is not strongly regular")
	}
	_, parts, err = c.Network("N")
	if err != nil || len(parts) != 1 {
		t.Error(len(parts), err)
	}
}

// An alphabet may have the greatest label: definitions then get others.
func TestNetworkOfGreatLabels(t *testing.T) {
	alphabet := fst.NewSymbols("a")
	for name, label := range map[string]int32{"b": math.MaxInt32, "c": math.MaxInt32 - 1} {
		if err := alphabet.Set(name, label); err != nil {
			t.Fatal(err)
		}
	}
	c := rx.NewCompiler(semiring.Real{}, alphabet)
	define(t, c, "S = a @T b | (); T = @S; U = ~(a c) & .*_.5; V = a:b / $ __ c;")
	start, parts, err := c.Network("S")
	if err != nil {
		t.Fatal(err)
	}
	for label := range parts {
		if _, taken := alphabet.Name(label); taken || label <= 0 {
			t.Errorf("a part has the label %d", label)
		}
	}
	for depth, want := range []float64{0, 1} {
		f := must(fst.Expand(must(cfg.New(start, parts))(t).Subset(3*depth), nil))(t)
		if got := value(t, f, "ab", "ab"); got != want {
			t.Errorf("depth %d: ab has weight %g, want %g", depth, got, want)
		}
	}
	for _, name := range []string{"U", "V"} {
		if _, err := c.Machine(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNetworkErrors(t *testing.T) {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a", "b"))
	define(t, c, "A = a (~@A b); B = a @C; C = (@B | b)^inv; D = a:@D; E = b @none; F = a / @F __; G = (a @G)^rev; H = @H & a;")
	for name, x := range map[string]struct {
		err  error
		says string
	}{
		"A": {rx.ErrName, "rx: A: 1:9: bad name: a definition that needs itself: @A"},
		"B": {rx.ErrName, "needs itself: @B → @C"}, "D": {rx.ErrName, "rx: D: "}, "F": {rx.ErrName, "rx: F: "},
		"G": {rx.ErrName, "rx: G: "}, "H": {rx.ErrName, "rx: H: "}, "E": {rx.ErrName, "none is not defined"},
		"X": {rx.ErrName, "X is not defined"},
	} {
		_, _, err := c.Network(name)
		var placed *rx.Error
		if !errors.As(err, &placed) || !errors.Is(err, x.err) || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v, want %v: %s", name, err, x.err, x.says)
		}
	}
}

// Machines that have failed are rejected with their own error.
func TestFailedMachines(t *testing.T) {
	ring := semiring.Real{}
	c := rx.NewCompiler(ring, fst.NewSymbols("a"))
	bad := fst.OneState(ring, 1, fst.Arc[float64]{To: 1, Weight: 1})
	if err := c.DefineMachine("bad", bad); !errors.Is(err, fst.Err(bad)) || strings.Count(err.Error(), "OneState") != 1 {
		t.Errorf("DefineMachine: %v", err)
	}
	if _, err := c.Decompile(bad); !errors.Is(err, fst.Err(bad)) || strings.Count(err.Error(), "OneState") != 1 {
		t.Errorf("Decompile: %v", err)
	}
	if err := c.DefineMachine("many", fst.Star(fst.FromString(ring, []int32{1}))); err != nil {
		t.Errorf("a lazy machine: %v", err)
	}
	if f := must(c.Compile(rx.Ref("many")))(t); value(t, f, "aa", "aa") != 1 {
		t.Errorf("any number of a: %s", f)
	}
}
