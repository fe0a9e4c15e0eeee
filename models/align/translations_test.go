package align

import (
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// The lexicon is estimated word by word by the law, from counts and what the prior adds.
func TestLexiconEstimate(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		c := randomCorpus(r, 20, 5)
		l := newLexicon(c)
		stem := func(w string) string { return string('a' + (w[0]-'a')/2) }
		pairs := func(e, f string) float64 { return float64((int(e[0])*7 + int(f[0])) % 3) }
		law := []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 1.5}, em.Variational{Alpha: .1}}[seed%3]
		known := Prior{Law: law, Pair: pairs, Stem: stem, Strength: []float64{.5, 2}[seed%2]}
		if seed%5 == 0 {
			known.Stem, known.Strength = nil, 0
		}
		if seed%7 == 0 {
			known.Pair = nil
		}
		p, err := newPrior(known, l, c)
		if err != nil {
			t.Fatal(err)
		}
		group := &translations{lexicon: l, numF: len(c.words[1].words), prior: p}
		theta, links := make([]float64, 2*len(l.col)), make([]float64, 2*len(l.col))
		group.Start(theta)
		for i := range links {
			links[i] = r.ExpFloat64()
		}
		counts := slices.Clone(links)
		if err := group.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(counts, links) {
			t.Fatal("the M step changes counts")
		}
		for d := range 2 {
			checkLexicon(t, l, c, theta, links, d, known)
		}
	}
}

func checkLexicon(t *testing.T, l *lexicon, c *Corpus, theta, links []float64, d int, known Prior) {
	t.Helper()
	stem, pairs, law := known.Stem, known.Pair, known.Law
	if stem == nil {
		stem = strings.Clone
	}
	if pairs == nil {
		pairs = func(_, _ string) float64 { return 0 }
	}
	given, other := c.words[d].words, c.words[1-d].words
	tokens, classTokens := map[string]float64{}, map[string]float64{}
	for _, w := range c.text[1-d].words {
		tokens[other[w]]++
		classTokens[stem(other[w])]++
	}
	classes, total := map[[2]string]float64{}, map[string]float64{}
	each := func(visit func(g, o string, slot int32)) {
		for e := range c.words[0].words {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				names := [2]string{c.words[0].words[e], c.words[1].words[l.col[slot]]}
				visit(names[d], names[1-d], slot)
			}
		}
	}
	seen := func(g, o string) float64 {
		if d == fe {
			g, o = o, g
		}
		return pairs(g, o)
	}
	each(func(g, o string, slot int32) {
		x := links[2*int(slot)+d] + seen(g, o)
		classes[[2]string{stem(g), stem(o)}] += x
		total[stem(g)] += x
	})
	for _, g := range given {
		var want, own []float64
		var slots []int32
		each(func(h, o string, slot int32) {
			if h != g {
				return
			}
			back := classes[[2]string{stem(h), stem(o)}] / total[stem(h)] * tokens[o] / classTokens[stem(o)]
			want, slots = append(want, links[2*int(slot)+d]+seen(h, o)+known.Strength*back), append(slots, slot)
		})
		own = make([]float64, len(want))
		law.Start(own)
		if err := law.Maximize(own, want); err != nil {
			t.Fatal(err)
		}
		p := em.NewParams()
		p.Group("word", len(own), law)
		for n, v := range p.Values(own) {
			if got := theta[2*int(slots[n])+d]; !near(got, v.Float64()) {
				t.Fatalf("%T: direction %d: word %s: translation %d has probability %v, want %v", law, d, g, n, got, v.Float64())
			}
		}
	}
}
