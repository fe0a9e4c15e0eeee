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

// good is a model file of the version before.
const good = `{"format":"pathsum crf 1","kind":"crf","labels":["A","B"],"transitions":[0,1,2,3],"attributes":["x","y"],"row":[0,1,3],"label":[1,0,1],"weight":[4,5,6]}`

// FuzzLoad: a loaded model can be used, and is written as it was read.
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
