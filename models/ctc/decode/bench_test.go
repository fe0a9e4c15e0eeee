package decode

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// speech is a task like the recognition of speech: 50,000 words of 26 letters, a trigram of
// 400,000 words, and utterances of 20 words in noisy frames.
type speech struct {
	entries    []Entry
	language   *ngram.Model
	utterances []utterance
}

type utterance struct {
	words []string
	e     *frames.Emissions
}

const (
	space = 27 // the label between words
	blank = 27 // the column
)

// talk yields n symbols of words 1 … words, the next of which depends on the two before.
func talk(r *rand.Rand, n, words int) []int32 {
	text := make([]int32, n)
	a, b := uint64(1), uint64(1)
	for i := range text {
		u := r.Float64()
		next := uint64(float64(words) * u * u * u * u) // many words are rare
		if r.Float64() < .8 {                          // one of few that often follow
			next = (a*7919 + b*104729 + uint64(8*u*u)*15485863) % uint64(words)
			next = next * next / uint64(words)
		}
		text[i] = int32(next) + 1
		a, b = b, next
	}
	return text
}

var newSpeech = sync.OnceValue(func() *speech {
	r := rand.New(rand.NewPCG(50, 1))
	x := &speech{}
	const words = 50_000
	seen := map[string]bool{}
	for len(x.entries) < words {
		y := make([]int32, 2+r.IntN(5)+r.IntN(5))
		last := int32(r.IntN(26))
		var name strings.Builder
		for i := range y {
			u := r.Float64()
			last = (last*7 + int32(12*u*u)) % 26
			y[i] = last + 1
			name.WriteByte('a' + byte(last))
		}
		if k := name.String(); !seen[k] {
			seen[k] = true
			x.entries = append(x.entries, Entry{Word: k, Labels: y, Symbol: int32(len(x.entries) + 1)})
		}
	}
	text := talk(r, 400_000, words)
	var err error
	x.language, err = ngram.Fit(3, words, func(yield func([]int32, float64) bool) {
		for s := range slices.Chunk(text, 20) {
			if !yield(s, 1) {
				return
			}
		}
	}, nil)
	if err != nil {
		panic(err)
	}
	for range 20 {
		var u utterance
		var labels []int32
		for i, w := range talk(r, 20, words) {
			if i > 0 {
				labels = append(labels, space)
			}
			u.words, labels = append(u.words, x.entries[w-1].Word), append(labels, x.entries[w-1].Labels...)
		}
		u.e = noisy(r, labels)
		x.utterances = append(x.utterances, u)
	}
	return x
})

// noisy returns frames of labels: about 2 for a label and 1 for a blank, with confusions.
func noisy(r *rand.Rand, labels []int32) *frames.Emissions {
	var columns []int
	for _, l := range labels {
		for range 1 + r.IntN(3) {
			columns = append(columns, int(l)-1)
		}
		for range 1 + r.IntN(2) {
			columns = append(columns, blank)
		}
	}
	s := make([]float64, 28*len(columns))
	for i := range s {
		s[i] = 1.8 * r.NormFloat64()
	}
	for i, v := range columns {
		s[28*i+v] += 5.5
	}
	e, err := frames.Scores(len(columns), 28, s, nil)
	if err != nil {
		panic(err)
	}
	return e
}

func (x *speech) options() Options {
	names := fst.NewSymbols(strings.Split("abcdefghijklmnopqrstuvwxyz ", "")...)
	return Options{Topology: ctc.Standard(28, blank), Symbols: names, Separators: []int32{space}, Lexicon: x.entries, Language: x.language}
}

// BenchmarkWords decodes with a lexicon of 50,000 words and a trigram, by width.
func BenchmarkWords(b *testing.B) {
	x := newSpeech()
	for _, beam := range []frames.BeamOptions{{Width: 10}, {Width: 30}, {Width: 100}, {Width: 300}, {Width: 1000},
		{Width: 1000, Margin: 8}, {Width: 1000, Margin: 12}} {
		for _, path := range []bool{false, true} {
			name := fmt.Sprintf("width=%d/margin=%g", beam.Width, beam.Margin)
			if path {
				name = "path/" + name
			}
			b.Run(name, func(b *testing.B) {
				o := x.options()
				o.Beam = beam
				d := must(New(o))(b)
				read, wrong, words, states, rounds := 0, 0.0, 0, 0.0, 0
				begin := benchtime.CPU()
				for b.Loop() {
					read, wrong, words, states = 0, 0, 0, 0
					rounds++
					for _, u := range x.utterances {
						var t Text
						var report *Report
						var err error
						if path {
							t, report, err = d.BestPath(b.Context(), u.e)
						} else {
							var list []Text
							if list, report, err = d.Decode(b.Context(), u.e, 1); len(list) > 0 {
								t = list[0]
							}
						}
						if err != nil {
							b.Fatal(err)
						}
						var got []string
						for _, w := range t.Words {
							got = append(got, w.Name)
						}
						errors := must(nbest.EditDistance(got, u.words))(b)
						read, wrong, words = read+u.e.Frames(), wrong+errors, words+len(u.words)
						states += report.Size.Mean * float64(u.e.Frames())
					}
				}
				b.ReportMetric(float64(read*rounds)/(benchtime.CPU()-begin).Seconds(), "frames/cpu-s")
				b.ReportMetric(100*wrong/float64(words), "%wrong")
				b.ReportMetric(states/float64(read), "states/frame")
			})
		}
	}
}

// BenchmarkComposed is BestPath by the search of compositions of package fst: topology, lexicon and
// n-gram with arcs of back-off. It has no estimate for incomplete words.
func BenchmarkComposed(b *testing.B) {
	x := newSpeech()
	o := x.options()
	d := must(New(o))(b)
	one := semiring.NewScaled(1)
	l := fst.NewBuilder(semiring.Scaled{})
	nodes := int32(d.lexicon.nodes())
	l.AddStates(int(nodes) + 1)
	l.AddStart(0, one)
	l.SetFinal(nodes, one)
	l.AddArc(nodes, arc{In: space, To: 0, Weight: one})
	for s := range nodes {
		for _, c := range d.lexicon.children(s) {
			l.AddArc(s, arc{In: c.label, To: c.node, Weight: one})
			for _, e := range d.lexicon.wordsAt(c.node) {
				l.AddArc(s, arc{In: c.label, Out: d.lexicon.words[e.word].symbol, To: nodes, Weight: one})
			}
		}
	}
	grammar := fst.Match[weight](must(ngram.BackoffAcceptor(x.language, semiring.Scaled{}, nil))(b),
		fst.Matching{Tape: fst.Input, Failure: x.language.Vocabulary() + 1})
	lexicon := must(l.Freeze())(b)
	for _, width := range []int{30, 100} {
		b.Run(fmt.Sprintf("width=%d", width), func(b *testing.B) {
			read, rounds := 0, 0
			begin := benchtime.CPU()
			for b.Loop() {
				read = 0
				rounds++
				for _, u := range x.utterances[:5] {
					m := fst.Compose(o.Topology.Machine, fst.Compose[weight](lexicon, grammar))
					s := must(frames.NewBeam(b.Context(), m, 28, &frames.BeamOptions{Width: width, Best: true}))(b)
					if err := s.Push(b.Context(), u.e); err != nil {
						b.Fatal(err)
					}
					must(s.Lattice())(b)
					read += u.e.Frames()
				}
			}
			b.ReportMetric(float64(read*rounds)/(benchtime.CPU()-begin).Seconds(), "frames/cpu-s")
		})
	}
}

// BenchmarkExact decodes utterances of 3 words with a bigram of letters, exactly and by width: how
// often the best text is the one of the exact search, and how much of its sum a search misses.
func BenchmarkExact(b *testing.B) {
	r := rand.New(rand.NewPCG(51, 1))
	x := newSpeech()
	spelt := func(words []int32) []int32 {
		var labels []int32
		for i, w := range words {
			if i > 0 {
				labels = append(labels, space)
			}
			labels = append(labels, x.entries[w-1].Labels...)
		}
		return labels
	}
	bigram := must(ngram.Fit(2, space, func(yield func([]int32, float64) bool) {
		for s := range slices.Chunk(talk(r, 3000, len(x.entries)), 3) {
			if !yield(spelt(s), 1) {
				return
			}
		}
	}, nil))(b)
	var utterances []*frames.Emissions
	for range 10 {
		utterances = append(utterances, noisy(r, spelt(talk(r, 3, len(x.entries)))))
	}
	var best []Text
	for _, width := range []int{0, 10, 30, 100, 300, 1000} {
		b.Run(fmt.Sprintf("width=%d", width), func(b *testing.B) {
			o := Options{Topology: ctc.Standard(28, blank), Separators: []int32{space}, Language: bigram, Beam: frames.BeamOptions{Width: width}}
			d := must(New(o))(b)
			read, same, less, exact, rounds := 0, 0, 0.0, 0, 0
			begin := benchtime.CPU()
			for b.Loop() {
				read, same, less, exact = 0, 0, 0, 0
				rounds++
				for i, e := range utterances {
					list, report, err := d.Decode(b.Context(), e, 1)
					if err != nil || len(list) != 1 {
						b.Fatal(len(list), err)
					}
					if width == 0 && len(best) <= i {
						best = append(best, list[0])
					}
					if read += e.Frames(); report.Exact {
						exact++
					}
					if i < len(best) && slices.Equal(list[0].Labels, best[i].Labels) {
						same++
						less += best[i].LogProb - list[0].LogProb
					}
				}
			}
			b.ReportMetric(float64(read*rounds)/(benchtime.CPU()-begin).Seconds(), "frames/cpu-s")
			b.ReportMetric(10*float64(same), "%same")
			b.ReportMetric(10*float64(exact), "%certain")
			b.ReportMetric(less/max(float64(same), 1), "nats-less")
		})
	}
}
