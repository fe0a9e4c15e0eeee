package synchronous

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
)

// TestOrders: each order of four symbols, with words in some of the gaps, has the derivations that
// it should have, or is refused where it is one of two.
func TestOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	refused := 0
	for range 100 {
		long := Rule{Left: "A", Order: rng.Perm(4), Weight: .7}
		with := func(names, words []string) (side []string) {
			for _, name := range names {
				if side = append(side, name); rng.IntN(3) == 0 {
					side = append(side, words[rng.IntN(2)])
				}
			}
			return side
		}
		list := []string{symbols[1+rng.IntN(2)], symbols[1+rng.IntN(2)], symbols[1+rng.IntN(2)], symbols[1+rng.IntN(2)]}
		other := make([]string, 4)
		for n, i := range long.Order {
			other[n] = list[i]
		}
		long.Source, long.Target = with(list, sources), with(other, targets)
		rules := []Rule{long, Pair("A", "x", "u"), Pair("B", "x", "u"), Pair("B", "y", "v"), Pair("B", "y", "u"), Pair("C", "x", "v"), Pair("C", "x", ""), Pair("C", "", "u"), Pair("B", "y", "")}
		g, err := New("A", rules, em.Multinomial{})
		if slices.Equal(long.Order, []int{1, 3, 0, 2}) || slices.Equal(long.Order, []int{2, 0, 3, 1}) {
			if refused++; err == nil {
				t.Errorf("%v is not refused", long)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			x, y := drawn(rng, long, rules[1:])
			sum, best := 0.0, found{}
			all := derivations(g.Rules(), x, y)
			for _, d := range all {
				if sum += d.p; d.p > best.p {
					best = d
				}
			}
			got, err := p.LogProb(Example{Source: Words(x...), Target: Words(y...)})
			if err != nil || !near(got, math.Log(sum)) {
				t.Errorf("%v: ln P(%v / %v) is %v, %v, want %v", long, x, y, got, err, math.Log(sum))
			}
			d, err := p.Best(Example{Source: Words(x...), Target: Words(y...)})
			if err != nil || !near(d.LogProb, math.Log(best.p)) || !slices.Equal(d.Source, x) || !slices.Equal(d.Target, y) {
				t.Errorf("%v: the best of %v / %v is %v, %v, want ln P = %v", long, x, y, d, err, math.Log(best.p))
				continue
			}
			list := numbers(phrases(d.Root), d.Links)
			if !slices.ContainsFunc(all, func(o found) bool { return near(o.p, best.p) && slices.Equal(numbers(o.phrases, o.links), list) }) {
				t.Errorf("%v: the best of %v / %v has the links %v, none of the best derivations", long, x, y, d.Links)
			}
		}
	}
	if refused == 0 {
		t.Error("no order is refused")
	}
}

// drawn draws a pair by a rule whose symbols become words.
func drawn(rng *rand.Rand, r Rule, words []Rule) (source, target []string) {
	var below []Rule // by symbol of the source
	for _, x := range r.Source {
		if !slices.Contains(symbols, x) {
			source = append(source, x)
			continue
		}
		for {
			if w := words[rng.IntN(len(words))]; w.Left == x {
				below, source = append(below, w), append(source, w.Source...)
				break
			}
		}
	}
	n := 0
	for _, x := range r.Target {
		if !slices.Contains(symbols, x) {
			target = append(target, x)
			continue
		}
		target = append(target, below[r.Order[n]].Target...)
		n++
	}
	return source, target
}
