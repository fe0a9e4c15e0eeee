package rx_test

import (
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// coins are the heads of the coins of random trees, and the first alternative of
// the group δ.
var coins = map[string]float64{"λ0": .7, "λ1": .25, "λ2": .5, "δ": .375}

// prob returns the probability of t.
func (t *tree) prob() float64 {
	if t.coin != "" {
		return coins[t.coin]
	}
	return t.number
}

// of is the oracle that follows the meaning of t: the weight of the pair of x and
// y, by recursion on t and on all ways to cut the strings.
func (t *tree) of(x, y string) float64 {
	if t.known == nil {
		t.known = map[[2]string]float64{}
	}
	pair := [2]string{x, y}
	w, ok := t.known[pair]
	if !ok {
		w = t.meaning(x, y)
		t.known[pair] = w
	}
	return w
}

func (t *tree) meaning(x, y string) float64 {
	unit := indicator(x == "" && y == "")
	switch t.op {
	case "symbol":
		return indicator(x == t.name && y == t.name)
	case "class":
		sum := 0.0
		for _, c := range t.set {
			sum += indicator(x == string(c) && y == string(c))
		}
		return sum
	case "weight":
		return unit * t.prob()
	case "concat":
		if len(t.kids) == 0 {
			return unit
		}
		if t.rest == nil {
			t.rest = &tree{op: "concat", kids: t.kids[1:]}
		}
		return cuts(x, y, t.kids[0].of, t.rest.of)
	case "union":
		sum := 0.0
		for _, k := range t.kids {
			sum += k.of(x, y)
		}
		return sum
	case "probUnion":
		return t.prob()*t.kids[0].of(x, y) + (1-t.prob())*t.kids[1].of(x, y)
	case "choice":
		p := coins["δ"]
		if t.labels[0] == "y" {
			p = 1 - p
		}
		return p*t.kids[0].of(x, y) + (1-p)*t.kids[1].of(x, y)
	case "probStar":
		p := t.prob()
		return (1 - p) * t.kids[0].star(p, x, y)
	case "repeat":
		return t.kids[0].powers(t.lo, t.hi, x, y)
	case "cross":
		return t.kids[0].of(x, x) * t.kids[1].of(y, y)
	case "compose":
		return over(func(z string) float64 { return t.kids[0].of(x, z) * t.kids[1].of(z, y) })
	case "inv":
		return t.kids[0].of(y, x)
	case "in":
		return indicator(x == y) * over(func(z string) float64 { return t.kids[0].of(x, z) })
	case "out":
		return indicator(x == y) * over(func(z string) float64 { return t.kids[0].of(z, y) })
	case "rev":
		return t.kids[0].of(reversed(x), reversed(y))
	case "intersect":
		return t.kids[0].of(x, y) * t.kids[1].of(x, y)
	case "subtract":
		return t.kids[0].of(x, y) * indicator(t.kids[1].of(x, x) == 0)
	case "complement":
		return indicator(x == y && !strings.Contains(x, "$") && t.kids[0].of(x, x) == 0)
	case "edge":
		return indicator(x == "$" && y == "$")
	case "rules":
		return t.rewriting().of(x, y)
	}
	panic(t.op)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// cuts returns the sum over all ways to cut x and y in two.
func cuts(x, y string, f, g func(x, y string) float64) float64 {
	sum := 0.0
	for i := range len(x) + 1 {
		for j := range len(y) + 1 {
			if w := f(x[:i], y[:j]); w != 0 {
				sum += w * g(x[i:], y[j:])
			}
		}
	}
	return sum
}

// star returns the weight of t, each time with p, repeated any number of times:
// S = 1 + p·t·S, where the empty pair is divided out.
func (t *tree) star(p float64, x, y string) float64 {
	sum := indicator(x == "" && y == "")
	for i := range len(x) + 1 {
		for j := range len(y) + 1 {
			if i+j == 0 {
				continue
			}
			if w := t.of(x[:i], y[:j]); w != 0 {
				sum += p * w * t.star(p, x[i:], y[j:])
			}
		}
	}
	return sum / (1 - p*t.of("", ""))
}

// powers returns the weight of lo to hi times t.
func (t *tree) powers(lo, hi int, x, y string) float64 {
	switch {
	case lo > 0:
		less := hi
		if hi != rx.Unlimited {
			less--
		}
		return cuts(x, y, t.of, func(x, y string) float64 { return t.powers(lo-1, less, x, y) })
	case hi == rx.Unlimited:
		return t.star(1, x, y)
	}
	sum := indicator(x == "" && y == "")
	if hi > 0 {
		sum += cuts(x, y, t.of, func(x, y string) float64 { return t.powers(0, hi-1, x, y) })
	}
	return sum
}

// texts are the strings of a b by length; short ones are enough for the tapes, and
// long ones are needed where something finite is summed over.
var short, long = texts(2), texts(6)

func texts(length int) []string {
	all := []string{""}
	for done := 0; len(all[done]) < length; done++ {
		all = append(all, all[done]+"a", all[done]+"b")
	}
	return all
}

func over(f func(z string) float64) float64 {
	sum := 0.0
	for _, z := range long {
		sum += f(z)
	}
	return sum
}

func reversed(s string) string {
	r := ""
	for _, c := range s {
		r = string(c) + r
	}
	return r
}

// value returns the weight that m gives the pair of x and y.
func value(t *testing.T, m *fst.FST[float64], x, y string) float64 {
	t.Helper()
	in, out := must(m.InSymbols().EncodeRunes(x))(t), must(m.InSymbols().EncodeRunes(y))(t)
	return must(fst.Weight(m, in, out, nil))(t)
}

func TestWeights(t *testing.T) {
	alphabet := fst.NewSymbols("a", "b")
	reals := semiring.Real{}
	for seed := range trials.Seeds(250) {
		g := &grower{rng: fsttest.Rand(seed), composes: true, sets: true, rules: true, numbers: true, wide: true}
		g.bounded = func(t *tree) bool {
			p := 1.0
			if t.op == "probStar" {
				p = t.prob()
			}
			return p*t.kids[0].of("", "") < .9
		}
		tree := g.grow(3, seed%2 == 0, false)
		e := tree.expr()

		plain := rx.NewCompiler(reals, alphabet)
		plain.Groups = rx.Weights(func(name string, _ []string) []float64 { return []float64{coins[name], 1 - coins[name]} })
		params := em.NewParams()
		parametric := rx.NewCompiler(params.Space(), alphabet)
		parametric.Groups = em.Alternatives(params, nil)
		must(plain.Compile(rx.MustParse("{δ: x = () | y = ()}")))(t) // the order of its alternatives
		must(parametric.Compile(rx.MustParse("{δ: x = () | y = ()}")))(t)

		machines := map[string]*fst.FST[float64]{"plain": must(plain.Compile(e))(t)}
		f := must(parametric.Compile(must(rx.Parse(e.String()))(t)))(t)
		theta := make([]float64, params.Len())
		for _, g := range params.Groups() {
			name, _, _ := strings.Cut(g.Name(0), "[")
			copy(g.In(theta), []float64{coins[name], 1 - coins[name]})
		}
		machines["parametric"] = must(cascade.Instantiate(params, f, theta, reals))(t)
		for _, x := range short {
			for _, y := range short {
				want := tree.of(x, y)
				for kind, m := range machines {
					if got := value(t, m, x, y); math.Abs(got-want) > 1e-12*math.Max(1e-3, want) {
						t.Fatalf("seed %d: %s, %s: (%s, %s) has weight %g, want %g", seed, e, kind, x, y, got, want)
					}
				}
			}
		}
	}
}
