package align

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
)

// benchCorpus has sentences of some ten words with frequencies like those of a
// language, each translated word by word.
func benchCorpus(sentences int) *Corpus {
	r, c := random(1), NewCorpus()
	zipf := rand.NewZipf(r, 1.1, 8, 20000)
	for range sentences {
		var s Sentence
		for range 5 + r.IntN(12) {
			w := zipf.Uint64()
			s.Source = append(s.Source, fmt.Sprint("e", w))
			if s.Target = append(s.Target, fmt.Sprint("f", w)); r.IntN(6) == 0 {
				s.Target = append(s.Target, fmt.Sprint("f", zipf.Uint64()))
			}
		}
		if err := c.Add(s); err != nil {
			panic(err)
		}
	}
	return c
}

// BenchmarkFit is the first iteration of both directions with one worker: ns per cell, of
// which a sentence has E·F; the lexicon's preparation is not in it.
func BenchmarkFit(b *testing.B) {
	c := benchCorpus(5000)
	for _, run := range []struct {
		name    string
		classes int
		stage   Stage
		prior   Prior
	}{
		{"Model1", 1, Stage{Model1, 1, Own, Separate}, Prior{}},
		{"HMM", 1, Stage{HMM, 1, Own, Separate}, Prior{}},
		{"HMM/agreement", 1, Stage{HMM, 1, Joint, Averaged}, Prior{}},
		{"HMM/product", 1, Stage{HMM, 1, Own, Multiplied}, Prior{}},
		{"HMM/backoff", 1, Stage{HMM, 1, Own, Multiplied}, Prior{Classes: 2}},
		{"HMM/classes", 20, Stage{HMM, 1, Own, Multiplied}, Prior{Classes: 2, Jumps: 500}},
	} {
		b.Run(run.name, func(b *testing.B) {
			m, err := New(c, &Options{Floor: 1e-12, Classes: run.classes})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			n, start := 0, m.theta
			for b.Loop() {
				m.become(slices.Clone(start)) // what is trained on and on ends where numbers are hard
				if _, err := m.Fit(b.Context(), c, &FitOptions{Stages: []Stage{run.stage}, Prior: run.prior, Options: em.Options{Workers: 1}}); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/float64(c.cells), "ns/cell")
		})
	}
	b.Run("hand/Model1", func(b *testing.B) { benchByHand(b, c) })
}

// benchByHand is the loop that one would write for Model 1: no scaling, no checks, no
// shards, a lexicon in a flat array.
func benchByHand(b *testing.B, c *Corpus) {
	l := c.lexicon()
	cells := c.slots()
	var slots []int32
	for n := range c.Len() {
		slots = cells.slots(slots, n)
	}
	t, links := make([][2]float64, len(l.col)), make([][2]float64, len(l.col))
	for slot := range t {
		t[slot] = [2]float64{1, 1}
	}
	const null = 1e-3
	total := [2][]float64{make([]float64, len(c.words[0].words)), make([]float64, len(c.words[1].words))}
	n := 0
	for b.Loop() {
		clear(links)
		at := 0
		for s := range c.Len() {
			e, f := c.text[0].sentence(s), c.text[1].sentence(s)
			cells := slots[at : at+len(e)*len(f)]
			for j := range f {
				sum := null
				for i := range e {
					sum += t[cells[i*len(f)+j]][ef]
				}
				for i := range e {
					slot := cells[i*len(f)+j]
					links[slot][ef] += t[slot][ef] / sum
				}
			}
			for i := range e {
				sum := null
				for _, slot := range cells[i*len(f) : (i+1)*len(f)] {
					sum += t[slot][fe]
				}
				for _, slot := range cells[i*len(f) : (i+1)*len(f)] {
					links[slot][fe] += t[slot][fe] / sum
				}
			}
			at += len(cells)
		}
		for d := range total {
			clear(total[d])
		}
		for e := range l.row[1:] {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				total[ef][e] += links[slot][ef]
				total[fe][l.col[slot]] += links[slot][fe]
			}
		}
		for e := range l.row[1:] {
			for slot := l.row[e]; slot < l.row[e+1]; slot++ {
				t[slot] = [2]float64{links[slot][ef] / total[ef][e], links[slot][fe] / total[fe][l.col[slot]]}
			}
		}
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/float64(c.cells), "ns/cell")
}

// BenchmarkAdapt is a sentence of new text, of some ten words, aligned with Recipe.
func BenchmarkAdapt(b *testing.B) {
	c := benchCorpus(2000)
	m, err := New(c, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := m.Fit(b.Context(), c, nil); err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		if _, _, err := adapt(m, c.Sentence(n%c.Len()), nil); err != nil {
			b.Fatal(err)
		}
		n++
	}
}
