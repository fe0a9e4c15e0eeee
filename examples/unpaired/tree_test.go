package main

import (
	"context"
	"io"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/semiring"
)

// known returns a part of the default data.
func known(t *testing.T, pairs, names int) (d *data) {
	t.Helper()
	p := program.New("unpaired", "")
	p.Do(func(_ context.Context, r *program.Run) error {
		all, err := transliteration.ReadData(r, "", "")
		if err != nil {
			return err
		}
		sounds, err := readSounds(r, "", true)
		d = newData(all, sounds, pairs, names)
		return err
	})
	if status := p.Execute(t.Context(), nil, io.Discard, io.Discard); status != 0 {
		t.Fatalf("status %d", status)
	}
	return d
}

// small returns a tree of a part of the default data, and parameters other than the initial
// ones.
func small(t *testing.T) (*data, *tree, *parts, []float64) {
	t.Helper()
	d := known(t, 60, 40)
	heard, _ := pronounced(d.pairs, d.latin)
	sounds, err := findSounds(t.Context(), heard)
	if err != nil {
		t.Fatal(err)
	}
	bigrams, err := units.Fit(t.Context(), lessons(forward, d.pairs), nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTree(bigrams, sounds)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tr.likelihood(d)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := em.Fit(t.Context(), l, &em.Options{Iterations: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(fit.Objective) {
		t.Errorf("objectives %v fall", fit.Objective)
	}
	return d, tr, &parts{tree: tr}, fit.Theta
}

// enumerator sums over sequences of units one by one.
type enumerator struct {
	source   *fst.FST[float64]
	channels []map[int32][]written // of observed tapes
}

// written is a possible output of a unit on a tape.
type written struct {
	symbols []int32
	weight  float64
}

func newEnumerator(t *testing.T, tr *tree, theta []float64, channels ...cascade.Stage) *enumerator {
	t.Helper()
	number := func(s cascade.Stage) *fst.FST[float64] {
		g, err := cascade.Instantiate(tr.params, s, theta, semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	e := &enumerator{source: number(tr.source)}
	for _, c := range channels {
		f, all := number(c), map[int32][]written{}
		for _, a := range f.AppendArcs(nil, 0) {
			w := written{weight: a.Weight}
			if a.Out != fst.Epsilon {
				w.symbols = append(w.symbols, a.Out)
			}
			if a.To != 0 {
				for _, b := range f.AppendArcs(nil, a.To) {
					w.symbols = append(w.symbols, b.Out)
				}
			}
			all[a.In] = append(all[a.In], w)
		}
		e.channels = append(e.channels, all)
	}
	return e
}

// sum returns the sum over the units that follow state and spell the strings.
func (e *enumerator) sum(state int32, strings ...[]int32) float64 {
	total := 0.0
	if !slices.ContainsFunc(strings, func(s []int32) bool { return len(s) > 0 }) {
		total = e.source.Final(state)
	}
	for _, a := range e.source.AppendArcs(nil, state) {
		total += e.spell(a.To, a.In, a.Weight, strings, nil)
	}
	return total
}

// spell returns the sum if the unit remains to be spelt on the tapes of before and then of
// after.
func (e *enumerator) spell(state, unit int32, weight float64, tapes, rest [][]int32) float64 {
	if len(tapes) == len(rest) {
		return weight * e.sum(state, rest...)
	}
	total, s := 0.0, tapes[len(rest)]
	for _, w := range e.channels[len(rest)][unit] {
		if n := len(w.symbols); n <= len(s) && slices.Equal(s[:n], w.symbols) {
			total += e.spell(state, unit, weight*w.weight, tapes, append(slices.Clone(rest), s[n:]))
		}
	}
	return total
}

// The value of each part of the sum for an example is the sum over all sequences of units, each
// of which is a letter. The long form of the part has the same value.
func TestParts(t *testing.T) {
	d, tr, p, theta := small(t)
	heardPairs, _ := pronounced(d.pairs)
	heardLatin, _ := pronounced(d.latin)
	letters := func(x *pair) []int32 { return x.letters }
	romaji := func(x *pair) []int32 { return x.romaji }
	sounds := func(x *pair) []int32 { return x.sounds }
	for _, c := range []struct {
		part     func(of []pair) em.Part
		of       []pair
		channels []cascade.Stage
		tapes    []func(x *pair) []int32
	}{
		{p.pairs, d.pairs, []cascade.Stage{tr.letters, tr.romaji}, []func(x *pair) []int32{letters, romaji}},
		{p.latin, d.latin, []cascade.Stage{tr.letters}, []func(x *pair) []int32{letters}},
		{p.heardPairs, heardPairs, []cascade.Stage{tr.letters, tr.romaji, tr.sounds}, []func(x *pair) []int32{letters, romaji, sounds}},
		{p.heardLatin, heardLatin, []cascade.Stage{tr.letters, tr.sounds}, []func(x *pair) []int32{letters, sounds}},
	} {
		e := newEnumerator(t, tr, theta, c.channels...)
		seenSome := 0
		for i, x := range c.of {
			if len(x.letters) > 5 || seenSome == 5 {
				continue
			}
			var tapes [][]int32
			long := cascade.Example{Tapes: make([]cascade.Side, seen)}
			for _, tape := range c.tapes {
				tapes = append(tapes, tape(&x))
				long.Tapes = append(long.Tapes, cascade.Labels(tape(&x)...))
			}
			want := e.sum(0, tapes...)
			if want == 0 {
				continue
			}
			seenSome++
			part := c.part(c.of[i : i+1])
			star, err := tr.star(c.channels...).Likelihood(cascade.Data{Examples: []cascade.Example{long}})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []em.Likelihood{part.Likelihood, star} {
				got, err := l.Expect(t.Context(), em.Query{Theta: theta, Hi: l.Shards()})
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(got.LogLikelihood-math.Log(want)) > 1e-10*math.Abs(math.Log(want)) {
					t.Errorf("%s: %s %s has ln p %.12g, want %.12g", part.Name, x.latin, x.kana, got.LogLikelihood, math.Log(want))
				}
			}
		}
		if seenSome == 0 {
			t.Errorf("no example of %s", c.part(c.of).Name)
		}
	}
}

// The probability of katakana alone is the sum over all names with these katakana.
func TestKatakanaAlone(t *testing.T) {
	d, tr, p, theta := small(t)
	for _, x := range spread(d.kana, 5) {
		part := p.katakana([]pair{x})
		star, err := tr.star(tr.romaji).Likelihood(cascade.Data{
			Examples: []cascade.Example{{Tapes: []cascade.Side{seen: cascade.Labels(x.romaji...)}}}, Underivable: em.Skip,
		})
		if err != nil {
			t.Fatal(err)
		}
		var sums []float64
		for _, l := range []em.Likelihood{part.Likelihood, star} {
			e, err := l.Expect(t.Context(), em.Query{Theta: theta, Hi: l.Shards()})
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, e.LogLikelihood)
		}
		if math.Abs(sums[0]-sums[1]) > 1e-10*math.Abs(sums[1]) {
			t.Errorf("%s has ln p %.12g by blocks and %.12g by lattices", x.kana, sums[0], sums[1])
		}
	}
}
