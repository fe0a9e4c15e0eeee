package synchronous

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
)

// ErrInvalid is wrapped by errors about invalid rules and examples.
var ErrInvalid = nested.ErrInvalid

// Rule rewrites the symbol Left as Source on one tape and as Target on the other. A name that is
// Left of some rule is a symbol; any other name is a word. Both sides have the same symbols. Either
// side may be empty, but not both.
//
// Words in the same gap of both sides are linked one to one from the left: before the first symbol,
// after the last one, or between two symbols that are adjacent in the same order on both sides.
type Rule struct {
	Left           string
	Source, Target []string
	// Order contains the indices in Source of the symbols of Target, from 0; nil for the same
	// order. Brackets must be able to make the order by joining two neighbors, in the same or
	// reverse order, until one is left. All orders of up to three symbols are valid, and all of
	// four except [1 3 0 2] and [2 0 3 1].
	Order []int
	// Weight is its probability among the rules of Left, up to a factor: a finite number ≥ 0.
	// Training starts from these probabilities.
	Weight float64
}

// Straight returns the rule left → [first second] of weight 1.
func Straight(left, first, second string) Rule {
	return Rule{Left: left, Source: []string{first, second}, Target: []string{first, second}, Weight: 1}
}

// Inverted returns the rule left → ⟨first second⟩ of weight 1, whose target has the second symbol
// first.
func Inverted(left, first, second string) Rule {
	return Rule{Left: left, Source: []string{first, second}, Target: []string{second, first}, Order: []int{1, 0}, Weight: 1}
}

// Pair returns the rule left → source/target of weight 1, of two words; "" stands for ε, the empty
// string.
func Pair(left, source, target string) Rule {
	r := Rule{Left: left, Weight: 1}
	if source != "" {
		r.Source = []string{source}
	}
	if target != "" {
		r.Target = []string{target}
	}
	return r
}

// String returns the rule without its weight: "A → Source / Target", followed by Order unless it is
// nil.
func (r Rule) String() string {
	side := func(names []string) string {
		if len(names) == 0 {
			return "ε"
		}
		return strings.Join(names, " ")
	}
	s := r.Left + " → " + side(r.Source) + " / " + side(r.Target)
	if r.Order != nil {
		s += fmt.Sprint(" ", r.Order)
	}
	return s
}

// Bracketing returns the rules of a grammar with start symbol "S" that aligns the words of pairs in
// every order that brackets can make. A symbol A is straight, B is inverted, and C becomes any two
// words of one of the pairs, or one word and ε. Each alignment of words has only one bracketing, up
// to the positions of words that are not aligned (Wu 1997, §6). All weights are 1. O(pairs of
// words).
func Bracketing(pairs [][2][]string) []Rule {
	rules := []Rule{{Left: "S", Source: []string{"A"}, Target: []string{"A"}, Weight: 1},
		{Left: "S", Source: []string{"B"}, Target: []string{"B"}, Weight: 1},
		{Left: "S", Source: []string{"C"}, Target: []string{"C"}, Weight: 1}}
	for _, second := range []string{"B", "C"} {
		for _, first := range []string{"A", "B", "C"} {
			rules = append(rules, Straight("A", first, second))
		}
	}
	for _, second := range []string{"A", "C"} {
		for _, first := range []string{"A", "B", "C"} {
			rules = append(rules, Inverted("B", first, second))
		}
	}
	seen := map[[2]string]bool{{"", ""}: true}
	for _, p := range pairs {
		for _, x := range append([]string{""}, p[0]...) {
			for _, y := range append([]string{""}, p[1]...) {
				if !seen[[2]string{x, y}] {
					seen[[2]string{x, y}] = true
					rules = append(rules, Pair("C", x, y))
				}
			}
		}
	}
	return rules
}

// form is a decomposed rule: the symbols of the source, their positions in the target, and the
// words before, between and after the symbols of each side.
type form struct {
	symbols, place []int32
	source, target [][]string
}

// form returns the form of a rule, given the symbols, or an error if the rule is invalid.
func (r Rule) form(symbols map[string]int32) (f form, err error) {
	reserved := func(x string) bool { return x == "" || x == fst.EpsilonName }
	switch {
	case reserved(r.Left) || slices.ContainsFunc(r.Source, reserved) || slices.ContainsFunc(r.Target, reserved):
		return f, fmt.Errorf("a name is empty or %s", fst.EpsilonName)
	case len(r.Source)+len(r.Target) == 0:
		return f, fmt.Errorf("both sides are empty, want a word or symbol")
	case !(r.Weight >= 0) || math.IsInf(r.Weight, 1):
		return f, fmt.Errorf("weight %g, want a finite number ≥ 0", r.Weight)
	}
	var other []int32
	f.source, f.symbols = segments(r.Source, symbols)
	f.target, other = segments(r.Target, symbols)
	if len(other) != len(f.symbols) || r.Order != nil && len(r.Order) != len(other) {
		return f, fmt.Errorf("%d symbols in the source, %d in the target and %d in the order, want as many in each, or no order",
			len(f.symbols), len(other), len(r.Order))
	}
	f.place = slices.Repeat([]int32{-1}, len(other))
	for n, x := range other {
		in := n
		if r.Order != nil {
			in = r.Order[n]
		}
		if in < 0 || in >= len(other) || f.place[in] >= 0 || f.symbols[in] != x {
			return f, fmt.Errorf("symbol %d of the target is not symbol %d of the source, or that comes twice: set Order", n, in)
		}
		f.place[in] = int32(n)
	}
	return f, nil
}

// segments returns the words before, between and after the symbols of one side, and the symbols.
func segments(side []string, symbols map[string]int32) (words [][]string, nonterminals []int32) {
	words = [][]string{nil}
	for _, x := range side {
		if number, ok := symbols[x]; ok {
			nonterminals, words = append(nonterminals, number), append(words, nil)
		} else {
			words[len(words)-1] = append(words[len(words)-1], x)
		}
	}
	return words, nonterminals
}
