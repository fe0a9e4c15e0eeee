package decode

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

func must[T any](x T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// TestTwoFrames: of two frames (a .4, b 0, blank .6), the best path is empty, and the best text is
// a, of .64.
func TestTwoFrames(t *testing.T) {
	e := must(frames.Probabilities(2, 3, []float64{.4, 0, .6, .4, 0, .6}, nil))(t)
	for _, beam := range []frames.BeamOptions{{}, {Width: 10}, {Margin: 20}} {
		d := must(New(Options{Topology: ctc.Standard(3, 2), Symbols: fst.NewSymbols("a", "b"), Beam: beam}))(t)
		list, report, err := d.Decode(t.Context(), e, 5)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 2 || list[0].Text != "a" || list[1].Text != "" || math.Abs(list[0].Posterior-.64) > 1e-12 || !report.Exact {
			t.Errorf("%+v: %+v, %+v", beam, list, report)
		}
		if p := list[0].Pieces; len(p) != 1 || p[0].Name != "a" || math.Abs(p[0].Confidence-confidence(p[0])) > 1e-9 {
			t.Errorf("pieces %+v", p)
		}
		best, _, err := d.BestPath(t.Context(), e)
		if err != nil || best.Text != "" || math.Abs(best.LogProb-math.Log(.36)) > 1e-12 {
			t.Errorf("%+v, %v", best, err)
		}
	}
}

// confidence is the posterior of TestTwoFrames that a begins in the frames of a piece.
func confidence(s Segment) float64 {
	p := 0.0
	if s.First == 0 {
		p += .4 // a begins in the first frame: a a, a –
	}
	if s.Last == 1 {
		p += .24 // – a
	}
	return p
}

// collapsed returns the labels of a string of columns by CTC.
func collapsed(columns []int, blank int) []int32 {
	var y []int32
	for t, v := range columns {
		if v != blank && (t == 0 || columns[t-1] != v) {
			y = append(y, int32(v+1))
		}
	}
	return y
}

// reading is a text by enumeration.
type reading struct {
	labels []int32
	weight float64
}

// enumerated returns all texts by their weights, the greatest first: the sum over all strings of
// columns, times the weight of the labels.
func enumerated(e *frames.Emissions, blank int, of func(labels []int32) float64) []reading {
	sum := map[string]*reading{}
	columns := make([]int, e.Frames())
	var visit func(t int, w float64)
	visit = func(t int, w float64) {
		if t == e.Frames() {
			y := collapsed(columns, blank)
			k := string(labelBytes(y))
			if sum[k] == nil {
				sum[k] = &reading{labels: y}
			}
			sum[k].weight += w
			return
		}
		for v := range e.Symbols() {
			columns[t] = v
			visit(t+1, w*e.Weight(t, v).Float64())
		}
	}
	visit(0, 1)
	var list []reading
	for _, r := range sum {
		if r.weight *= of(r.labels); r.weight > 0 {
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b reading) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.labels, b.labels))
	})
	return list
}

func labelBytes(y []int32) []byte {
	b := make([]byte, len(y))
	for i, l := range y {
		b[i] = byte(l)
	}
	return b
}

func scores(t testing.TB, r *rand.Rand, n, symbols int, sharpness float64) *frames.Emissions {
	t.Helper()
	s := make([]float64, n*symbols)
	for i := range s {
		s[i] = sharpness * r.NormFloat64()
	}
	return must(frames.Scores(n, symbols, s, nil))(t)
}

// bigram returns a random bigram of labels 1 … n.
func bigram(t testing.TB, r *rand.Rand, n int32) *ngram.Model {
	t.Helper()
	return must(ngram.Fit(2, n, func(yield func([]int32, float64) bool) {
		for range 20 {
			s := make([]int32, r.IntN(5))
			for i := range s {
				s[i] = 1 + r.Int32N(n)
			}
			if !yield(s, 1) {
				return
			}
		}
	}, nil))(t)
}

// check compares decoding, exact and by a wide beam, with the texts by enumeration.
func check(t *testing.T, name string, o Options, e *frames.Emissions, want []reading) {
	t.Helper()
	total := 0.0
	for _, r := range want {
		total += r.weight
	}
	for _, o.Beam = range []frames.BeamOptions{{}, {Width: 100_000}} {
		d := must(New(o))(t)
		list, report, err := d.Decode(t.Context(), e, 4)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(list) != min(4, len(want)) || !report.Exact || math.Abs(report.Kept-math.Log(total)) > 1e-9 && total > 0 {
			t.Fatalf("%s, width %d: %d texts, %+v; want %d, %v", name, o.Beam.Width, len(list), report, min(4, len(want)), math.Log(total))
		}
		for i, x := range list {
			// Equal weights may come in any order.
			k := slices.IndexFunc(want, func(r reading) bool { return slices.Equal(r.labels, x.Labels) })
			if k < 0 || math.Abs(want[k].weight/want[i].weight-1) > 1e-9 || math.Abs(x.LogProb-math.Log(want[i].weight)) > 1e-9 ||
				math.Abs(x.Posterior-want[i].weight/total) > 1e-9 {
				t.Errorf("%s, width %d: text %d is %+v, want %v", name, o.Beam.Width, i, x, want[i])
			}
		}
	}
	// Narrow searches bracket the sum, and say that texts are certain only if they are.
	for _, o.Beam = range []frames.BeamOptions{{Width: 2}, {Width: 5}, {Margin: 1}, {Width: 4, Margin: 3}} {
		list, report, err := must(New(o))(t).Decode(t.Context(), e, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if lower, upper := math.Exp(report.Kept), math.Exp(report.Kept)+math.Exp(report.Lost); lower > total*(1+1e-12) || upper < total*(1-1e-12) {
			t.Errorf("%s, %+v: %v is not within %v and %v", name, o.Beam, total, lower, upper)
		}
		for _, x := range list {
			k := slices.IndexFunc(want, func(r reading) bool { return slices.Equal(r.labels, x.Labels) })
			if k < 0 || report.Exact && want[k].weight < want[0].weight*(1-1e-9) || math.Exp(x.LogProb) > want[k].weight*(1+1e-9) ||
				math.Exp(x.LogProb)+math.Exp(report.Lost) < want[k].weight*(1-1e-9) {
				t.Errorf("%s, %+v: text %+v, %+v", name, o.Beam, x, report)
			}
		}
	}
}

// Texts, weights and posteriors are those by enumeration of all strings of columns.
func TestEnumeration(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		symbols := 2 + r.IntN(3)
		n := 1 + r.IntN(5)
		if symbols == 4 {
			n = min(n, 4)
		}
		blank := r.IntN(symbols)
		e := scores(t, r, n, symbols, 2)
		o := Options{Topology: ctc.Standard(symbols, blank)}
		one := func([]int32) float64 { return 1 }
		check(t, "labels", o, e, enumerated(e, blank, one))

		o.Language, o.LanguageScale, o.WordBonus = bigram(t, r, int32(symbols)), .5+r.Float64(), r.NormFloat64()
		weigh := func(y []int32) float64 {
			return math.Exp(o.LanguageScale*o.Language.LogProb(y) + o.WordBonus*float64(len(y)))
		}
		check(t, "bigram", o, e, enumerated(e, blank, weigh))

		var labels []int32
		for l := range int32(symbols) {
			if int(l) != blank {
				labels = append(labels, l+1)
			}
		}
		hot := []int32{labels[r.IntN(len(labels))]}
		if r.IntN(2) == 0 {
			hot = append(hot, labels[r.IntN(len(labels))])
		}
		o.HotWords = []HotWord{{Labels: hot, Bonus: 2}}
		check(t, "hot labels", o, e, enumerated(e, blank, func(y []int32) float64 {
			w := weigh(y)
			for i := range y {
				if len(y) >= i+len(hot) && slices.Equal(y[i:i+len(hot)], hot) {
					w *= math.Exp(2)
				}
			}
			return w
		}))
	}
}

// words returns the words of labels that separators part, and whether no separator is twice in
// a row.
func words(y []int32, separates func(int32) bool) (list [][]int32, ok bool) {
	begin := 0
	for i, l := range y {
		if !separates(l) {
			continue
		}
		if i > 0 && y[i-1] == l {
			return nil, false
		}
		if begin < i {
			list = append(list, y[begin:i])
		}
		begin = i + 1
	}
	if begin < len(y) {
		list = append(list, y[begin:])
	}
	return list, true
}

// Words of a lexicon, those that letters spell, and hot words weigh what their models say.
func TestWords(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		const symbols, blank = 4, 3 // labels 1, 2: letters; 3: the separator
		e := scores(t, r, 5, symbols, 1.5)
		var entries []Entry
		seen := map[string]bool{}
		for range 1 + r.IntN(4) {
			y := make([]int32, 1+r.IntN(3))
			for i := range y {
				y[i] = 1 + r.Int32N(2)
			}
			if k := string(labelBytes(y)); !seen[k] {
				seen[k] = true
				entries = append(entries, Entry{Word: "w" + strings.Repeat("i", len(entries)), Labels: y,
					Symbol: int32(len(entries) + 2), LogWeight: -r.Float64()})
			}
		}
		language := bigram(t, r, int32(len(entries)+1)) // symbol 1: unknown words
		letters := bigram(t, r, 3)
		o := Options{Topology: ctc.Standard(symbols, blank), Lexicon: entries, Separators: []int32{3},
			Language: language, LanguageScale: 1 + r.Float64(), Unknown: 1, WordBonus: .3}
		if seed%3 > 0 {
			o.Letters, o.LettersWeight = letters, -.5
		}
		if seed%2 > 0 {
			o.HotWords = []HotWord{{Word: entries[0].Word, Bonus: 1}}
			if !seen[string([]byte{2, 1})] {
				o.HotWords = append(o.HotWords, HotWord{Word: "hot", Labels: []int32{2, 1}, Bonus: .7})
			}
		}
		separates := func(l int32) bool { return l == 3 }
		weigh := func(y []int32) float64 {
			list, ok := words(y, separates)
			if !ok {
				return 0
			}
			logp, text := 0.0, []int32{}
			for _, w := range list {
				logp += o.WordBonus
				k := slices.IndexFunc(entries, func(e Entry) bool { return slices.Equal(e.Labels, w) })
				switch {
				case k >= 0:
					logp += entries[k].LogWeight
					text = append(text, entries[k].Symbol)
					if k == 0 && len(o.HotWords) > 0 {
						logp++
					}
				case len(o.HotWords) > 1 && slices.Equal(w, []int32{2, 1}):
					logp += .7
					text = append(text, 1)
				case o.Letters != nil:
					logp += letters.LogProb(w) + o.LettersWeight
					text = append(text, 1)
				default:
					return 0
				}
			}
			return math.Exp(logp + o.LanguageScale*language.LogProb(text))
		}
		check(t, "words", o, e, enumerated(e, blank, weigh))

		// A machine that takes the same place as the language.
		if seed%3 == 0 {
			m := o
			m.Machine = must(ngram.Acceptor(language, semiring.Scaled{}, func(w weight) weight { return w.Pow(o.LanguageScale) }))(t)
			m.Language = nil
			check(t, "machine", m, e, enumerated(e, blank, weigh))
		}
	}
}

// Words that follow each other directly may be cut and read in several ways: homophones, and
// words that are prefixes of others.
func TestWithoutSeparators(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		e := scores(t, r, 1+r.IntN(4), 3, 1)
		entries := []Entry{{Word: "a", Labels: []int32{1}, Symbol: 1}, {Word: "eh", Labels: []int32{1}, Symbol: 2, LogWeight: -.5},
			{Word: "ab", Labels: []int32{1, 2}, Symbol: 3}, {Word: "b", Labels: []int32{2}, Symbol: 4},
			{Word: "b", Labels: []int32{2, 1}, Symbol: 4, LogWeight: -1}}
		language := bigram(t, r, 5)
		o := Options{Topology: ctc.Standard(3, 2), Lexicon: entries, Language: language}
		// All strings of entries whose labels are short enough, by their names.
		byLabels := map[string]float64{}
		for _, x := range enumerated(e, 2, func([]int32) float64 { return 1 }) {
			byLabels[string(labelBytes(x.labels))] = x.weight
		}
		want := map[string]float64{}
		var visit func(name string, labels, symbols []int32, logp float64)
		visit = func(name string, labels, symbols []int32, logp float64) {
			if len(labels) > e.Frames() {
				return
			}
			want[name] += math.Exp(logp+language.LogProb(symbols)) * byLabels[string(labelBytes(labels))]
			for _, x := range entries {
				visit(strings.TrimSpace(name+" "+x.Word), slices.Concat(labels, x.Labels), append(slices.Clone(symbols), x.Symbol), logp+x.LogWeight)
			}
		}
		visit("", nil, nil, 0)
		total := 0.0
		for _, w := range want {
			total += w
		}
		for _, o.Beam = range []frames.BeamOptions{{}, {Width: 100_000}, {Width: 3}} {
			list, report, err := must(New(o))(t).Decode(t.Context(), e, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if lower, upper := math.Exp(report.Kept), math.Exp(report.Kept)+math.Exp(report.Lost); lower > total+1e-12 || upper < total-1e-12 {
				t.Errorf("seed %d, width %d: %v is not within %v and %v", seed, o.Beam.Width, total, lower, upper)
			}
			seen := map[string]bool{}
			for _, x := range list {
				w := want[x.Text]
				if seen[x.Text] || math.Exp(x.LogProb) > w+1e-12 || math.Exp(x.LogProb)+math.Exp(report.Lost) < w-1e-12 {
					t.Errorf("seed %d, width %d: %q weighs %v, want %v", seed, o.Beam.Width, x.Text, math.Exp(x.LogProb), w)
				}
				var names []string
				for _, w := range x.Words {
					names = append(names, w.Name)
				}
				if seen[x.Text] = true; strings.Join(names, " ") != x.Text {
					t.Errorf("seed %d: words %q of %q", seed, names, x.Text)
				}
			}
			if o.Beam.Width != 3 {
				for name, w := range want {
					if w > 0 && !seen[name] {
						t.Errorf("seed %d, width %d: %q of %v is missing", seed, o.Beam.Width, name, w)
					}
				}
			}
		}
	}
}

// Hot words without a lexicon count if separators surround them.
func TestHotPhrases(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	e := scores(t, r, 6, 4, 1)
	hot := []HotWord{{Labels: []int32{1}, Bonus: 1}, {Labels: []int32{1, 3, 2}, Bonus: .5}, {Labels: []int32{2, 2}, Bonus: -2}}
	o := Options{Topology: ctc.Standard(4, 3), Separators: []int32{3}, HotWords: hot}
	check(t, "phrases", o, e, enumerated(e, 3, func(y []int32) float64 {
		bonus := 0.0
		for i := range y {
			for _, h := range hot {
				if end := i + len(h.Labels); end <= len(y) && slices.Equal(y[i:end], h.Labels) &&
					(i == 0 || y[i-1] == 3) && (end == len(y) || y[end] == 3) {
					bonus += h.Bonus
				}
			}
		}
		return math.Exp(bonus)
	}))
}

// The frames of pieces are those of the best alignment of the text, and confidences the posteriors
// by enumeration.
func TestSegments(t *testing.T) {
	for seed := range trials.Seeds(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		e := scores(t, r, 5, 3, 1.5)
		o := Options{Topology: ctc.Standard(3, 0), Separators: []int32{3}}
		for _, o.Beam = range []frames.BeamOptions{{}, {Width: 1000}} {
			list, _, err := must(New(o))(t).Decode(t.Context(), e, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range list {
				columns, best, bestColumns := make([]int, 5), 0.0, []int(nil)
				begins, total := make([]float64, len(x.Pieces)), 0.0
				for k := range 243 {
					w := 1.0
					for i := range columns {
						columns[i] = k % 3
						k /= 3
						w *= e.Weight(i, columns[i]).Float64()
					}
					total += w
					if w > best && slices.Equal(collapsed(columns, 0), x.Labels) {
						best, bestColumns = w, slices.Clone(columns)
					}
					for j, p := range x.Pieces {
						for i := p.First; i <= p.Last; i++ {
							if v := int(p.Label) - 1; columns[i] == v && (i == 0 || columns[i-1] != v) {
								begins[j] += w
								break
							}
						}
					}
				}
				last := -1
				for j, p := range x.Pieces {
					if math.Abs(p.Confidence-begins[j]/total) > 1e-9 {
						t.Errorf("seed %d: %v: confidence of piece %d is %v, want %v", seed, x.Labels, j, p.Confidence, begins[j]/total)
					}
					for i := last + 1; i <= p.Last; i++ {
						if is := bestColumns[i] == int(p.Label)-1; is != (i >= p.First) {
							t.Errorf("seed %d: %v: pieces %+v of alignment %v", seed, x.Labels, x.Pieces, bestColumns)
						}
					}
					last = p.Last
				}
				n := 0
				for _, w := range x.Words {
					n += len(w.Name)
				}
				if list, _ := words(x.Labels, func(l int32) bool { return l == 3 }); list != nil && len(list) != len(x.Words) {
					t.Errorf("seed %d: words %+v of %v", seed, x.Words, x.Labels)
				}
			}
		}
	}
}

// A predictor serves several goroutines, with the same results.
func TestConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	entries := someWords(r, 20, 5)
	d := must(New(Options{Topology: ctc.Standard(7, 6), Lexicon: entries, Separators: []int32{6}, Language: bigram(t, r, 21),
		Unknown: 1, Letters: bigram(t, r, 6), Beam: frames.BeamOptions{Width: 10}}))(t)
	e := spoken(t, r, slices.Concat(entries[0].Labels, []int32{6}, entries[1].Labels), 7, 2)
	want, _, err := d.Decode(t.Context(), e, 3)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, _, err := d.Decode(t.Context(), e, 3)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v; %v", got, want, err)
			}
		})
	}
	wg.Wait()
}
