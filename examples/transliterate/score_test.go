package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
