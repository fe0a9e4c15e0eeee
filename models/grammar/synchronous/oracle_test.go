package synchronous

import (
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/models/grammar/treebank"
)

var (
	symbols = []string{"A", "B", "C"}
	sources = []string{"x", "y"}
	targets = []string{"u", "v"}
)

// randomRules returns rules of every kind over symbols, sources and targets. A unary rule has the
// later symbol on the right.
func randomRules(rng *rand.Rand, empty bool) []Rule {
	var rules []Rule
	add := func(r Rule) {
		r.Weight = .1 + rng.Float64()
		rules = append(rules, r)
	}
	for i, left := range symbols {
		for j, b := range symbols {
			if j > i && rng.IntN(3) == 0 {
				add(Rule{Left: left, Source: []string{b}, Target: []string{b}})
			}
			for _, c := range symbols {
				if rng.IntN(12) == 0 {
					add(Straight(left, b, c))
				}
				if rng.IntN(12) == 0 {
					add(Inverted(left, b, c))
				}
			}
		}
		for _, x := range append(sources[:2:2], "") {
			for _, y := range append(targets[:2:2], "") {
				likely := x == "x" && y == "u" || rng.IntN(3) == 0
				if x+y != "" && likely && (empty || x != "" && y != "") {
					add(Pair(left, x, y))
				}
			}
		}
		for range rng.IntN(2) {
			if r := mixed(rng, left); !slices.ContainsFunc(rules, func(o Rule) bool { return o.String() == r.String() }) {
				add(r)
			}
		}
	}
	return rules
}

// mixed returns a rule of up to three symbols with a word at least on either side, or of words.
func mixed(rng *rand.Rand, left string) Rule {
	r := Rule{Left: left}
	list := make([]string, rng.IntN(4))
	for i := range list {
		list[i] = symbols[rng.IntN(3)]
	}
	r.Order = rng.Perm(len(list))
	other := make([]string, len(list))
	for n, i := range r.Order {
		other[n] = list[i]
	}
	if slices.IsSorted(r.Order) {
		r.Order = nil
	}
	with := func(list, words []string) []string {
		side := slices.Clone(list)
		for range 1 + rng.IntN(2) {
			side = slices.Insert(side, rng.IntN(len(side)+1), words[rng.IntN(2)])
		}
		return side
	}
	r.Source, r.Target = with(list, sources), with(other, targets)
	return r
}

// found is a derivation: the uses of rules, phrases and links, and its probability.
type found struct {
	p       float64
	rules   []int
	phrases []Phrase // without P
	links   []Link
}

// spans are those of the symbols and the gaps of words before, between and after them, in
// one way in which a side of a rule is the words i … j−1.
type spans struct{ symbols, gaps []treebank.Span }

// split returns all ways in which a side of a rule is the words i … j−1.
func split(side, words []string, i, j int) (all []spans) {
	var walk func(rest []string, at, gap int, s spans)
	walk = func(rest []string, at, gap int, s spans) {
		if len(rest) == 0 {
			if at == j {
				all = append(all, spans{slices.Clone(s.symbols), append(slices.Clone(s.gaps), treebank.Span{I: gap, J: at})})
			}
			return
		}
		if !slices.Contains(symbols, rest[0]) {
			if at < j && words[at] == rest[0] {
				walk(rest[1:], at+1, gap, s)
			}
			return
		}
		for end := at; end <= j; end++ {
			walk(rest[1:], end, end, spans{append(slices.Clone(s.symbols), treebank.Span{I: at, J: end}), append(slices.Clone(s.gaps), treebank.Span{I: gap, J: at})})
		}
	}
	walk(side, i, i, spans{})
	return all
}

// enumeration lists derivations of a pair, those of each phrase once.
type enumeration struct {
	rules          []Rule
	source, target []string
	of             map[Phrase][]found
}

// list returns all derivations of the words s of the source and t of the target from a symbol.
func (e *enumeration) list(symbol string, s, t treebank.Span) (all []found) {
	phrase := Phrase{symbol, s, t, 0}
	if known, ok := e.of[phrase]; ok {
		return known
	}
	for n, r := range e.rules {
		if r.Left != symbol {
			continue
		}
		var names []string
		for _, x := range r.Source {
			if slices.Contains(symbols, x) {
				names = append(names, x)
			}
		}
		for _, a := range split(r.Source, e.source, s.I, s.J) {
			for _, b := range split(r.Target, e.target, t.I, t.J) {
				some := []found{{p: r.Weight, rules: []int{n}, phrases: []Phrase{phrase}}}
				at := make([]int, len(names)) // places in the target
				of := make([]treebank.Span, len(names))
				for n := range names {
					at[n] = n
				}
				for n, in := range r.Order {
					at[in] = n
				}
				for n := range names {
					of[n] = b.symbols[at[n]]
				}
				if nothing(a.symbols, of) {
					continue
				}
				for g := range a.gaps {
					h := g // the same gap of the target, if there is one
					if 0 < g && g < len(names) {
						if h = at[g]; at[g-1] != h-1 {
							continue
						}
					}
					for i, k := a.gaps[g].I, b.gaps[h].I; i < a.gaps[g].J && k < b.gaps[h].J; i, k = i+1, k+1 {
						some[0].links = append(some[0].links, Link{i, k})
					}
				}
				for i, name := range names {
					below := e.list(name, a.symbols[i], of[i])
					var next []found
					for _, f := range some {
						for _, x := range below {
							next = append(next, found{f.p * x.p, slices.Concat(f.rules, x.rules), slices.Concat(f.phrases, x.phrases), slices.Concat(f.links, x.links)})
						}
					}
					some = next
				}
				all = append(all, some...)
			}
		}
	}
	e.of[phrase] = all
	return all
}

// nothing reports whether a symbol is to make nothing on both sides.
func nothing(s, t []treebank.Span) bool {
	for i := range s {
		if s[i].I == s[i].J && t[i].I == t[i].J {
			return true
		}
	}
	return false
}

// derivations lists all derivations of a pair.
func derivations(rules []Rule, source, target []string) []found {
	e := &enumeration{rules, source, target, map[Phrase][]found{}}
	return e.list("A", treebank.Span{J: len(source)}, treebank.Span{J: len(target)})
}

// sentence returns up to most words, at least one.
func sentence(rng *rand.Rand, words []string, most int) []string {
	s := make([]string, 1+rng.IntN(most))
	for i := range s {
		s[i] = words[rng.IntN(2)]
	}
	return s
}

func random(rng *rand.Rand, empty bool) *Grammar {
	g, err := New("A", randomRules(rng, empty), em.Multinomial{})
	if err != nil {
		panic(err)
	}
	return g
}
