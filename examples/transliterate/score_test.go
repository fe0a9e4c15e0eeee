package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// slowDistance is the definition of the edit distance.
func slowDistance(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	case a[0] == b[0]:
		return slowDistance(a[1:], b[1:])
	}
	return 1 + min(slowDistance(a[1:], b), slowDistance(a, b[1:]), slowDistance(a[1:], b[1:]))
}

func TestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	chars := []rune("アイウx")
	word := func() string {
		s := make([]rune, rng.IntN(7))
		for i := range s {
			s[i] = chars[rng.IntN(len(chars))]
		}
		return string(s)
	}
	for range 300 {
		a, b := word(), word()
		got, err := distance(a, b)
		if want := slowDistance([]rune(a), []rune(b)); err != nil || got != float64(want) {
			t.Fatalf("distance of %q and %q is %v (%v), want %d", a, b, got, err, want)
		}
	}
}

func TestScore(t *testing.T) {
	references := []string{"ホテル", "テーブル", "マリア", "バス"}
	candidates := [][]string{
		{"ホテル", "ホーテル"},        // right
		{"タブル", "テブル", "テーブル"}, // third; distance 2
		nil, // nothing; distance 3
		{"ブス", "a", "b", "c", "d", "e", "f", "g", "h", "i", "バス"}, // eleventh; distance 1
	}
	got, err := score(references, candidates)
	if err != nil {
		t.Fatal(err)
	}
	want := Accuracy{Top1: 1. / 4, Top10: 2. / 4, CER: 6. / 12}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	far, err := score([]string{"a"}, [][]string{{"bcde"}})
	if err != nil || far.CER != 4 || far.Top1 != 0 {
		t.Errorf("%+v, %v", far, err)
	}
	if perfect, _ := score(references, [][]string{{"ホテル"}, {"テーブル"}, {"マリア"}, {"バス"}}); perfect != (Accuracy{1, 1, 0}) {
		t.Errorf("%+v", perfect)
	}
	if none, _ := score(nil, nil); !math.IsNaN(none.Top1) {
		t.Errorf("no references: %+v", none)
	}
}
