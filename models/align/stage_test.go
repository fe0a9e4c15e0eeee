package align

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
)

// everyStage is the combinations that training can have.
func everyStage(visit func(s Stage)) {
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		for _, step := range []EStep{Own, Joint} {
			for _, how := range []Counting{Separate, Averaged, Multiplied} {
				visit(Stage{kind, 1, step, how})
			}
		}
	}
}

// likelihoodOf returns the likelihood of a stage, without a prior.
func likelihoodOf(t *testing.T, m *Model, c *Corpus, s Stage) *stage {
	t.Helper()
	l, err := m.stage(s, new(FitOptions), c.slots(), &prior{law: em.Multinomial{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestStageByEnumeration: what a stage counts of links, NULL and jumps, and its objective, are
// what sums over all alignments say.
func TestStageByEnumeration(t *testing.T) {
	everyStage(func(s Stage) {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			for seed := range trials.Seeds(20) {
				r := random(seed)
				c := randomCorpus(r, 1+r.IntN(5), 4)
				m := randomModelOf(r, s.Positions, c)
				e, err := likelihoodOf(t, m, c, s).Expect(t.Context(), em.Query{Theta: m.theta})
				if err != nil {
					continue // such as no sentence with a probability
				}
				want, logLikelihood := stageByHand(m, c, s)
				if !near(e.LogLikelihood, logLikelihood) {
					t.Fatalf("seed %d: log likelihood %v, want %v", seed, e.LogLikelihood, logLikelihood)
				}
				for i, x := range want {
					if math.Abs(e.Counts[i]-x) > 1e-10*(1+x) {
						t.Fatalf("seed %d: %s is counted %v times, want %v", seed, m.table.params.Name(int32(i)), e.Counts[i], x)
					}
				}
			}
		})
	})
}

// stageByHand returns the counts of a stage, up to those of the last jumps, and its log
// likelihood, from the formulas.
func stageByHand(m *Model, c *Corpus, s Stage) (counts []float64, logLikelihood float64) {
	last := m.table.positions[fe][HMM]
	counts = make([]float64, last.First()+last.Len())
	weight := 1.0
	if s.Counting == Averaged {
		weight = .5
	}
	for n := range c.Len() {
		words := [2][]int32{c.text[0].sentence(n), c.text[1].sentence(n)}
		var all [2]*enumerated
		for d := range all {
			all[d] = &enumerated{m: m, d: d, step: s.EStep, hidden: words[d], seen: words[1-d]}
			all[d].sum()
		}
		if all[ef].total == 0 || all[fe].total == 0 {
			continue
		}
		for i, e := range words[0] {
			for j, f := range words[1] {
				p := [2]float64{all[ef].links[[2]int{i, j}], all[fe].links[[2]int{j, i}]}
				switch s.Counting {
				case Averaged:
					p[ef] = (p[ef] + p[fe]) / 2
					p[fe] = p[ef]
				case Multiplied:
					p[ef] *= p[fe]
					p[fe] = p[ef]
				}
				slot := m.lexicon.find(e, f)
				counts[2*slot+ef] += p[ef]
				counts[2*slot+fe] += p[fe]
			}
		}
		for d, x := range all {
			logLikelihood += weight * math.Log(x.total)
			for j, w := range x.seen {
				counts[m.table.null[d].First()+int(w)] += weight * x.null[j]
			}
			if s.Positions != HMM {
				continue
			}
			for i, u := range slices.Concat(append([][]float64{x.start, x.end}, x.inner...)...) {
				counts[m.table.positions[d][HMM].First()+i] += weight * u
			}
		}
	}
	return counts, logLikelihood
}

// TestStageDerivatives: where a stage is not a heuristic, the derivatives of its log likelihood
// are those of the expected log probability that the M step raises, which is what the counts
// are for: Σ counts·ln θ, or the score of a law. In the HMM this holds of all but jumps, whose
// probabilities are normalized where a sentence has no room for some.
func TestStageDerivatives(t *testing.T) {
	everyStage(func(s Stage) {
		derivatives := s.EStep == Own && s.Counting == Separate || s.EStep == Joint && s.Counting == Averaged
		jumps := s.Positions == HMM
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			for seed := range trials.Seeds(8) {
				r := random(seed)
				c := randomCorpus(r, 3, 4)
				m := randomModelOf(r, s.Positions, c)
				m.floor = 0
				l := likelihoodOf(t, m, c, s)
				if l.Heuristic() == (derivatives && !jumps) {
					t.Fatalf("heuristic: %v", l.Heuristic())
				}
				e, err := l.Expect(t.Context(), em.Query{Theta: m.theta})
				if err != nil || !derivatives || len(e.Skipped) > 0 {
					continue
				}
				for _, g := range m.table.params.Groups() {
					if jumps && (g == m.table.positions[ef][HMM] || g == m.table.positions[fe][HMM]) {
						continue
					}
					for k, x := range g.In(m.theta) {
						const h = 5e-7
						if x == 0 {
							continue
						}
						var value, score [2]float64
						for side, factor := range []float64{1 + h, 1 - h} {
							theta := slices.Clone(m.theta)
							g.In(theta)[k] *= factor
							there, err := l.Expect(t.Context(), em.Query{Theta: theta})
							if err != nil {
								t.Fatal(err)
							}
							value[side] = there.LogLikelihood
							if law, ok := g.Law().(em.Scorer); ok {
								score[side] = law.Score(g.In(theta), g.In(e.Counts))
							} else {
								score[side] = g.In(e.Counts)[k] * math.Log(factor)
							}
						}
						got, want := (score[0]-score[1])/(2*h), (value[0]-value[1])/(2*h)
						if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
							t.Fatalf("seed %d: the derivative by ln of %s is %v, want %v", seed, g.Name(k), got, want)
						}
					}
				}
			}
		})
	})
}

// TestStageVectors: E steps add to the vectors that a query brings, the same bits for any number
// of workers.
func TestStageVectors(t *testing.T) {
	everyStage(func(s Stage) {
		c := textOf(t, lines...)
		m, err := New(c, &Options{Classes: 2})
		if err != nil {
			t.Fatal(err)
		}
		m.prepare(c, c.lexicon(), &prior{law: em.Multinomial{}}, &FitOptions{Stages: []Stage{s}})
		m.enter(s.Positions)
		likelihoodtest.Check(t, likelihoodOf(t, m, c, s), em.Query{Theta: m.theta})
	})
}

// find looks for a pair in its row, from one end to the other.
func (l *lexicon) find(e, f int32) int32 {
	if e >= 0 && f >= 0 {
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			if l.col[slot] == f {
				return slot
			}
		}
	}
	return unknown
}

// slots appends to dst the slots of all pairs of a sentence.
func (l *lexicon) slots(dst, e, f []int32) []int32 {
	for _, x := range e {
		for _, y := range f {
			dst = append(dst, l.find(x, y))
		}
	}
	return dst
}

// TestLongRow: a word with more partners than there are ranks of 16 bits.
func TestLongRow(t *testing.T) {
	c := NewCorpus()
	for n := range 20 {
		s := Sentence{Source: []string{"a", fmt.Sprint("b", n)}}
		for i := range 4000 {
			s.Target = append(s.Target, fmt.Sprint(n*4000+i))
		}
		if err := c.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	l := c.lexicon()
	if n := l.row[1] - l.row[0]; n != 80000 {
		t.Fatalf("%d partners", n)
	}
	known := newSearch(l, len(c.words[1].words))
	searched, err := searchCells(c, known)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 7, 19} {
		got := c.slots().slots(nil, n)
		if want := known.slots(nil, c.text[0].sentence(n), c.text[1].sentence(n)); !slices.Equal(got, want) {
			t.Errorf("sentence %d: other slots", n)
		}
		if !slices.Equal(searched.slots(nil, n), got) {
			t.Errorf("sentence %d: other slots where they are searched", n)
		}
		if k := 3999; got[k] != int32(n*4000+k) {
			t.Errorf("sentence %d: pair %d of the first word has slot %d", n, k, got[k])
		}
	}
}

// TestSlots: the slots of cells, by rank, are those that are found, and so are those of a search.
func TestSlots(t *testing.T) {
	for seed := range trials.Seeds(50) {
		r := random(seed)
		c := randomCorpus(r, 1+r.IntN(30), 8)
		l, x := c.lexicon(), c.slots()
		known := newSearch(l, len(c.words[1].words))
		for n := range c.Len() {
			e, f := c.text[0].sentence(n), c.text[1].sentence(n)
			want := l.slots(nil, e, f)
			for k, slot := range want {
				if slot < 0 || l.col[slot] != f[k%len(f)] || l.of(slot) != e[k/len(f)] {
					t.Fatalf("seed %d: slot %d of cell %d", seed, slot, k)
				}
			}
			if got := x.slots(nil, n); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
			e, f = append([]int32{unknown}, e...), append([]int32{unknown}, f...)
			if got, want := known.slots(nil, e, f), l.slots(nil, e, f); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
	}
}
