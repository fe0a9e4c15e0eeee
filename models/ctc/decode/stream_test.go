package decode

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring/frames"
)

// spoken returns noisy frames of labels 1, 2, …, each of which takes some frames, with blanks, column
// symbols−1, between them.
func spoken(t testing.TB, r *rand.Rand, labels []int32, symbols int, noise float64) *frames.Emissions {
	t.Helper()
	var columns []int
	for _, l := range labels {
		for range 1 + r.IntN(3) {
			columns = append(columns, int(l)-1)
		}
		for range 1 + r.IntN(3) {
			columns = append(columns, symbols-1)
		}
	}
	s := make([]float64, len(columns)*symbols)
	for i := range s {
		s[i] = noise * r.NormFloat64()
	}
	for i, v := range columns {
		s[i*symbols+v] += 6
	}
	return must(frames.Scores(len(columns), symbols, s, nil))(t)
}

// someWords returns n random words of 1 to 4 of the letters 1 … letters, each once.
func someWords(r *rand.Rand, n int, letters int32) []Entry {
	var list []Entry
	seen := map[string]bool{}
	for len(list) < n {
		y := make([]int32, 1+r.IntN(4))
		var name strings.Builder
		for i := range y {
			y[i] = 1 + r.Int32N(letters)
			name.WriteByte('a' - 1 + byte(y[i]))
		}
		if k := name.String(); !seen[k] {
			seen[k] = true
			list = append(list, Entry{Word: k, Labels: y, Symbol: int32(len(list) + 2)})
		}
	}
	return list
}

// The results of a stream do not depend on the pieces in which frames arrive, and its settled
// text never changes.
func TestStream(t *testing.T) {
	for seed := range trials.Seeds(8) {
		r := rand.New(rand.NewPCG(seed, 8))
		entries := someWords(r, 20, 5)
		var labels []int32
		for range 120 {
			labels = append(labels, entries[r.IntN(len(entries))].Labels...)
			labels = append(labels, 6)
		}
		e := spoken(t, r, labels[:len(labels)-1], 7, 2)
		o := Options{Topology: ctc.Standard(7, 6), Symbols: fst.NewSymbols("a", "b", "c", "d", "e", " "), Separators: []int32{6},
			Beam: frames.BeamOptions{Width: 30, Margin: 12}, Horizon: []int{0, 200, 40, 3}[seed%4]}
		if seed%2 == 1 {
			o.Lexicon, o.Unknown, o.Language = entries, 1, bigram(t, r, 21)
			o.Letters, o.LettersWeight = bigram(t, r, 6), -3
		}
		d := must(New(o))(t)
		want, report, err := d.Decode(t.Context(), e, 3)
		if err != nil || len(want) == 0 {
			t.Fatal(len(want), err)
		}
		for trial := range 2 {
			s := must(d.Online(t.Context()))(t)
			settled := ""
			for lo := 0; lo < e.Frames(); {
				hi := min(lo+1+r.IntN(40), e.Frames())
				if err := s.Push(e.Slice(lo, hi)); err != nil {
					t.Fatal(err)
				}
				lo = hi
				final := s.Final()
				if !strings.HasPrefix(final, settled) {
					t.Fatalf("seed %d: %q was settled, now %q", seed, settled, final)
				}
				settled = final
				if trial == 0 {
					continue
				}
				best, err := s.Best()
				if err != nil || !strings.HasPrefix(best.Text, final) {
					t.Fatalf("seed %d: the best text is %q, settled %q, %v", seed, best.Text, final, err)
				}
			}
			got, again, err := s.Close(3)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, report) {
				t.Fatalf("seed %d: in pieces %+v, want %+v; %+v, want %+v", seed, got, want, again, report)
			}
			if !strings.HasPrefix(got[0].Text, settled) {
				t.Errorf("seed %d: text %q, settled %q", seed, got[0].Text, settled)
			}
			if err := s.Push(e); err == nil {
				t.Error("a closed stream reads")
			}
		}
		// Segments are in order and in range, and cover the labels and words of the text.
		for _, x := range want {
			last := -1
			for _, p := range x.Pieces {
				if p.First <= last || p.Last < p.First || p.Last >= e.Frames() || !(p.Confidence >= 0 && p.Confidence <= 1) {
					t.Fatalf("seed %d: piece %+v after frame %d", seed, p, last)
				}
				last = p.Last
			}
			last = -1
			var names []string
			for _, w := range x.Words {
				if w.First <= last || w.Last < w.First || !(w.Confidence >= 0 && w.Confidence <= 1) {
					t.Fatalf("seed %d: word %+v after frame %d", seed, w, last)
				}
				last, names = w.Last, append(names, w.Name)
			}
			if got := strings.Join(names, " "); got != strings.Trim(x.Text, " ") && !strings.Contains(x.Text, "  ") {
				t.Errorf("seed %d: words %q of %q", seed, got, x.Text)
			}
		}
	}
}

// A stream of many frames takes the memory of its horizon. By default there are 20,000 frames,
// for PATHSUM_LONG ten times as many.
func TestStreamMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	entries := someWords(r, 40, 5)
	d := must(New(Options{Topology: ctc.Standard(7, 6), Lexicon: entries, Separators: []int32{6}, Language: bigram(t, r, 41),
		Beam: frames.BeamOptions{Width: 20, Margin: 10}, Horizon: 200}))(t)
	s := must(d.Online(t.Context()))(t)
	nodes, pasts, states, n := 0, 0, 0, 0
	for range trials.Seeds(20) {
		var labels []int32
		for range 60 {
			labels = append(labels, entries[r.IntN(len(entries))].Labels...)
			labels = append(labels, 6)
			n++
		}
		if err := s.Push(spoken(t, r, labels, 7, 1)); err != nil {
			t.Fatal(err)
		}
		nodes, pasts, states = max(nodes, s.b.Size().Nodes), max(pasts, len(s.p.node)), max(states, len(s.p.states.Keys()))
	}
	if nodes > 20*(2*200+64) || pasts > 50_000 || states > 100_000 {
		t.Errorf("%d nodes, %d contexts, %d states", nodes, pasts, states)
	}
	list, report, err := s.Close(1)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if words := len(list[0].Words); words < n*9/10 {
		t.Errorf("%d words of %d, %+v", words, n, report)
	}
	t.Logf("%d frames: at most %d nodes, %d contexts, %d states; %+v", report.Frames, nodes, pasts, states, report)
}
