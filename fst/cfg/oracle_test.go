package cfg_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// Terminals of the tests are 1 and 2, nonterminals from 11 on.
var terminals = []int32{1, 2}

const start = 11

// brute is the oracle: weights of strings, derived by following rules over and over,
// from symbols to the strings that they derive.
type brute[W any] struct {
	ring    semiring.Semiring[W]
	strings []string // as keys
	rules   []cfg.Rule[W]
}

func newBrute[W any](ring semiring.Semiring[W], length int, rules []cfg.Rule[W]) *brute[W] {
	b := &brute[W]{ring: ring, rules: rules}
	for _, s := range fsttest.Strings(2, length) {
		b.strings = append(b.strings, fsttest.String(s...))
	}
	return b
}

// weights returns the weights of the strings that start derives in trees whose height is at most
// levels.
func (b *brute[W]) weights(start int32, levels int) map[string]W {
	derived := map[int32]map[string]W{1: {"a": b.ring.One()}, 2: {"b": b.ring.One()}}
	for range levels {
		next := map[int32]map[string]W{1: derived[1], 2: derived[2]}
		for _, r := range b.rules {
			if next[r.Left] == nil {
				next[r.Left] = map[string]W{}
			}
			for _, s := range b.strings {
				if w := b.ring.Times(r.Weight, b.sequence(derived, r.Right, s)); !b.ring.IsZero(w) {
					old, ok := next[r.Left][s]
					if !ok {
						old = b.ring.Zero()
					}
					next[r.Left][s] = b.ring.Plus(old, w)
				}
			}
		}
		derived = next
	}
	return derived[start]
}

// sequence returns the weight with which symbols derive s.
func (b *brute[W]) sequence(derived map[int32]map[string]W, symbols []int32, s string) W {
	sum := b.ring.Zero()
	if len(symbols) == 0 {
		if s == "" {
			sum = b.ring.One()
		}
		return sum
	}
	for i := range len(s) + 1 {
		if w, ok := derived[symbols[0]][s[:i]]; ok {
			sum = b.ring.Plus(sum, b.ring.Times(w, b.sequence(derived, symbols[1:], s[i:])))
		}
	}
	return sum
}

// reaches returns which nonterminals derive strings with which.
func reaches[W any](rules []cfg.Rule[W]) map[[2]int32]bool {
	r := map[[2]int32]bool{}
	for _, rule := range rules {
		for _, x := range rule.Right {
			r[[2]int32{rule.Left, x}] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for x := range maps.Clone(r) {
			for y := range maps.Clone(r) {
				if z := [2]int32{x[0], y[1]}; x[1] == y[0] && !r[z] {
					r[z], changed = true, true
				}
			}
		}
	}
	return r
}

// linear reports whether the calls of a nonterminal's component are all last or all first.
func linear[W any](rules []cfg.Rule[W], r map[[2]int32]bool, nonterminal int32) bool {
	last, first := true, true
	for _, rule := range rules {
		for i, x := range rule.Right {
			if mutual(r, rule.Left, nonterminal) && mutual(r, x, nonterminal) {
				last = last && i == len(rule.Right)-1
				first = first && i == 0
			}
		}
	}
	return last || first
}

func mutual(r map[[2]int32]bool, x, y int32) bool {
	return x == y && x > 10 || r[[2]int32{x, y}] && r[[2]int32{y, x}]
}

// leveled returns rules whose nonterminals count the calls in their component that is not
// linear; deeper calls are left out, or get a nonterminal of the form of bottom.
func leveled[W any](rules []cfg.Rule[W], depth int, bottom func(nonterminal int32) (int32, bool)) []cfg.Rule[W] {
	r := reaches(rules)
	var all []cfg.Rule[W]
	for level := range int32(depth + 1) {
		for _, rule := range rules {
			right, keep := slices.Clone(rule.Right), true
			for i, x := range right {
				switch {
				case x < 10 || !mutual(r, x, rule.Left): // at level 0
				case linear(rules, r, x):
					right[i] = x + 1000*level
				case level < int32(depth):
					right[i] = x + 1000*(level+1)
				default:
					right[i], keep = bottom(x)
				}
			}
			if keep {
				all = append(all, cfg.Rule[W]{Left: rule.Left + 1000*level, Right: right, Weight: rule.Weight})
			}
		}
	}
	return all
}

// transformed returns Mohri and Nederhof's transformation of the rules of all components that are
// not linear, one copy for each member that is called from outside.
func transformed[W any](ring semiring.Semiring[W], rules []cfg.Rule[W]) []cfg.Rule[W] {
	r := reaches(rules)
	entry := func(x int32) int32 { // from outside
		if x > 10 && !linear(rules, r, x) {
			return copied(x, x)
		}
		return x
	}
	all := map[int32]bool{}
	var result []cfg.Rule[W]
	for _, rule := range rules {
		all[rule.Left] = true
		if linear(rules, r, rule.Left) {
			right := slices.Clone(rule.Right)
			for i, x := range right {
				right[i] = entry(x)
			}
			result = append(result, cfg.Rule[W]{Left: rule.Left, Right: right, Weight: rule.Weight})
		}
	}
	for x := range all { // called from outside
		if linear(rules, r, x) {
			continue
		}
		result = append(result, cfg.Rule[W]{Left: -copied(x, x), Weight: ring.One()})
		for _, rule := range rules {
			if !mutual(r, rule.Left, x) {
				continue
			}
			next := cfg.Rule[W]{Left: copied(x, rule.Left), Weight: rule.Weight}
			for _, y := range rule.Right {
				if !mutual(r, y, x) {
					next.Right = append(next.Right, entry(y))
					continue
				}
				next.Right = append(next.Right, copied(x, y))
				result = append(result, next)
				next = cfg.Rule[W]{Left: -copied(x, y), Weight: ring.One()} // after y
			}
			next.Right = append(next.Right, -copied(x, rule.Left))
			result = append(result, next)
		}
	}
	return result
}

func copied(called, x int32) int32 { return 1_000_000*called + x }

// randomRules returns a grammar in which every nonterminal has rules.
func randomRules[W any](r *rand.Rand, weight func() W) []cfg.Rule[W] {
	n := 1 + r.IntN(3)
	var rules []cfg.Rule[W]
	for x := range n {
		for i := range 1 + r.IntN(3) {
			rule := cfg.Rule[W]{Left: start + int32(x), Weight: weight()}
			for range r.IntN(4) {
				if i > 0 && r.IntN(2) == 0 {
					rule.Right = append(rule.Right, start+r.Int32N(int32(n)))
				} else {
					rule.Right = append(rule.Right, 1+r.Int32N(2))
				}
			}
			rules = append(rules, rule)
		}
	}
	return rules
}
