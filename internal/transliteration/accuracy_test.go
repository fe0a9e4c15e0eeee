package transliteration

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// judged returns the judgement of the candidates for references.
func judged(t *testing.T, references []string, candidates [][]string) *Judgement {
	t.Helper()
	j := new(Judgement)
	for i, r := range references {
		if err := j.Add(r, candidates[i]); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func TestAccuracy(t *testing.T) {
	references := []string{"ホテル", "テーブル", "マリア", "バス"}
	candidates := [][]string{
		{"ホテル", "ホーテル"},        // right
		{"タブル", "テブル", "テーブル"}, // third; distance 2
		nil, // nothing; distance 3
		{"ブス", "a", "b", "c", "d", "e", "f", "g", "h", "i", "バス"}, // eleventh; distance 1
	}
	some := judged(t, references, candidates)
	if d := cmp.Diff(Accuracy{Top1: 1. / 4, Top10: 2. / 4, CER: 6. / 12}, some.Accuracy()); d != "" {
		t.Error(d)
	}
	perfect := judged(t, references, [][]string{{"ホテル"}, {"テーブル"}, {"マリア"}, {"バス"}})
	if a := perfect.Accuracy(); a != (Accuracy{1, 1, 0}) {
		t.Errorf("%+v", a)
	}
	// three of four differences are 1, one is 0
	if g, want := perfect.Over(some), (Gain{.75, math.Sqrt((.75 - .75*.75) / 4)}); math.Abs(g.Top1-want.Top1)+math.Abs(g.SE-want.SE) > 1e-12 {
		t.Errorf("%+v, want %+v", g, want)
	}
	if far := judged(t, []string{"a"}, [][]string{{"bcde"}}).Accuracy(); far.CER != 4 || far.Top1 != 0 {
		t.Errorf("%+v", far)
	}
	if none := new(Judgement).Accuracy(); !math.IsNaN(none.Top1) {
		t.Errorf("no references: %+v", none)
	}
	long := make([]byte, 1<<13)
	if err := new(Judgement).Add(string(long), []string{string(long)}); err == nil {
		t.Error("texts that are too long are judged")
	}
	defer func() {
		if recover() == nil {
			t.Error("different pairs are compared")
		}
	}()
	perfect.Over(new(Judgement))
}
