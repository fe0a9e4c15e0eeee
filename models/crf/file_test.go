package crf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/models/crf"
)

func trained(t testing.TB, kind crf.Kind) *crf.Predictor {
	t.Helper()
	l, theta := random(t, graphtest.Rand(7), kind, sampled(7, 20))
	m, err := l.at(theta)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSaveLoad(t *testing.T) {
	for _, kind := range kinds {
		m := trained(t, kind)
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		saved := bytes.Clone(b.Bytes())
		read, err := crf.Load(&b)
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := read.Save(&again); err != nil || !bytes.Equal(again.Bytes(), saved) {
			t.Errorf("%v: another model, %v", kind, err)
		}
		s := randomSequence(graphtest.Rand(9), 3, 20)
		var logs [2]float64
		for i, m := range []*crf.Predictor{m, read} {
			if logs[i], err = m.LogProb(s.labels, s.features); err != nil {
				t.Fatal(err)
			}
		}
		if logs[0] != logs[1] || read.Kind() != kind || read.NumWeights() != m.NumWeights() {
			t.Errorf("%v: ln P %.17g, was %.17g", kind, logs[1], logs[0])
		}
	}
}

// good is a model file of the version before.
const good = `{"format":"pathsum crf 1","kind":"crf","labels":["A","B"],"transitions":[0,1,2,3],"attributes":["x","y"],"row":[0,1,3],"label":[1,0,1],"weight":[4,5,6]}`

func TestLoadErrors(t *testing.T) {
	if m, err := crf.Load(strings.NewReader(good)); err != nil || m.Weight("x", "B") != 4 || m.Weight("y", "A") != 5 || m.Transition("B", "A") != 2 {
		t.Fatal(err)
	}
	for _, x := range []struct{ old, new, want string }{
		{good, "", "it does not begin with"},
		{good, "{", "unexpected EOF"},
		{good, good[:90], "unexpected EOF"},
		{good, "[]", "it does not begin with"},
		{"crf 1", "crf 2", `format "pathsum crf 2", want "pathsum crf 1"`},
		{`"kind":"crf"`, `"kind":"hmm"`, `kind "hmm"`},
		{`"kind":"crf"`, `"kind":"node"`, "4 weights of transitions, want 0"},
		{`[0,1,2,3]`, `[0,1,2]`, "3 weights of transitions, want 4"},
		{`["A","B"]`, `[]`, "no labels"},
		{`["A","B"]`, `["A","A"]`, "a name occurs twice"},
		{`["x","y"]`, `["x","x"]`, "a name occurs twice"},
		{`["x","y"]`, `["x"]`, "2 rows for 1 attributes"},
		{`[0,1,3]`, `[]`, "-1 rows for 2 attributes"},
		{`[0,1,3]`, `[0,4,3]`, "row 1 ends at 3 and begins at 4"},
		{`[0,1,3]`, `[1,1,3]`, "rows from 1 to 3 for 3 pairs"},
		{`[0,1,3]`, `[0,1,2]`, "rows from 0 to 2 for 3 pairs"},
		{`[1,0,1]`, `[1,0,2]`, "pair 2 has label 2 of 2"},
		{`[1,0,1]`, `[1,0,-1]`, "pair 2 has label -1 of 2"},
		{`[4,5,6]`, `[4,5]`, "2 weights for 3 pairs"},
		{`[4,5,6]`, `[4,5,1e999]`, "1e999"},
	} {
		_, err := crf.Load(strings.NewReader(strings.Replace(good, x.old, x.new, 1)))
		if !errors.Is(err, crf.ErrFormat) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s for %s: %v, want %s", x.new, x.old, err, x.want)
		}
	}
}

// FuzzLoad: what is read can be used, and is written as it was read.
func FuzzLoad(f *testing.F) {
	f.Add(good)
	f.Add(strings.Replace(good, `"kind":"crf"`, `"kind":"memm"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		var m *crf.Predictor
		var err error
		memtest.Bound(t, len(text), 400, func() { m, err = crf.Load(strings.NewReader(text)) })
		if err != nil {
			if !errors.Is(err, crf.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		y, err := m.Best(2, func(t int, a *crf.Attributes) { a.Add("x") })
		if err != nil {
			return // weights may be too large for sums
		}
		if len(y) != 2 {
			t.Fatalf("best is %q", y)
		}
		var b, again bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		saved := b.String()
		if m, err = crf.Load(&b); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(&again); err != nil || again.String() != saved {
			t.Fatalf("%v: %s, was %s", err, &again, saved)
		}
	})
}
