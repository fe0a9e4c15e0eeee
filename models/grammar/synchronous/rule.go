package synchronous

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
)

// ErrInvalid is wrapped by errors about rules that make no grammar, and examples that a grammar
// cannot take.
var ErrInvalid = nested.ErrInvalid

// Rule says that the symbol Left may become Source on one tape and Target on the other. A name
// that is Left of some rule is a symbol, any other name is a word. Both sides have the same
// symbols, two at most: in the same order, or in the reverse one if Inverted is true. Either side
// may be empty, but not both.
//
// Words between the same neighbors on both sides are linked one to one from the left.
type Rule struct {
	Left           string
	Source, Target []string
	Inverted       bool
	// Weight is its probability among the rules of Left, up to a factor: a finite number ≥ 0.
	// Training starts from these probabilities.
	Weight float64
}

// Straight returns the rule left → [first second] of weight 1.
func Straight(left, first, second string) Rule {
	return Rule{Left: left, Source: []string{first, second}, Target: []string{first, second}, Weight: 1}
}

// Inverted returns the rule left → ⟨first second⟩ of weight 1, which writes the second symbol
// first in the target.
func Inverted(left, first, second string) Rule {
	return Rule{Left: left, Source: []string{first, second}, Target: []string{second, first}, Inverted: true, Weight: 1}
}

// Pair returns the rule left → source/target of weight 1, of two words; "" stands for ε, no word.
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

// String returns the rule without its weight: "A → Source / Target", and "A → ⟨Source / Target⟩"
// if it is inverted.
func (r Rule) String() string {
	side := func(names []string) string {
		if len(names) == 0 {
			return "ε"
		}
		return strings.Join(names, " ")
	}
	s := side(r.Source) + " / " + side(r.Target)
	if r.Inverted {
		s = "⟨" + s + "⟩"
	}
	return r.Left + " → " + s
}

// Bracketing returns the rules of a grammar, to begin with "S", that aligns the words of pairs in
// every order that brackets can make. A symbol A is straight, B is inverted, and C becomes any two
// words of one of the pairs, or one word and ε. Of several bracketings of the same alignment of
// words it has one alone, but for the places of words that are not aligned (Wu 1997, §6). All
// weights are 1. O(pairs of words).
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

// check returns the error of a rule, given the symbols.
func (r Rule) check(symbols map[string]int32) error {
	of := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(x string) bool { _, ok := symbols[x]; return !ok })
	}
	source, target := of(r.Source), of(r.Target)
	if r.Inverted {
		slices.Reverse(target)
	}
	reserved := func(x string) bool { return x == "" || x == fst.EpsilonName }
	switch {
	case reserved(r.Left) || slices.ContainsFunc(r.Source, reserved) || slices.ContainsFunc(r.Target, reserved):
		return fmt.Errorf("a name is empty or %s", fst.EpsilonName)
	case len(r.Source)+len(r.Target) == 0:
		return fmt.Errorf("both sides are empty, want a word or symbol")
	case !(r.Weight >= 0) || math.IsInf(r.Weight, 1):
		return fmt.Errorf("weight %g, want a finite number ≥ 0", r.Weight)
	case len(source) > 2:
		return fmt.Errorf("the source has %d symbols, want at most 2", len(source))
	case r.Inverted && len(source) < 2:
		return fmt.Errorf("it is inverted, and the source has fewer than two symbols")
	case !slices.Equal(source, target):
		return fmt.Errorf("the target must have the symbols of the source, in the same order, or in the reverse one if Inverted is set")
	}
	return nil
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
