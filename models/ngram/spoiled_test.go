package ngram

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/spoiled"
)

// TestLoadSpoiled: a model file with a change in one place is refused, or the model can be saved and
// its answers are numbers; probabilities are at most 1 where Validate finds that they sum to 1.
func TestLoadSpoiled(t *testing.T) {
	data := func(yield func([]int32, float64) bool) {
		_ = yield([]int32{1, 2, 1}, 1) && yield([]int32{2, 2}, 2) && yield([]int32{1, 1, 2, 3}, 1)
	}
	m, err := Fit(3, 3, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, loaded := &savedModel{m.order, m.vocabulary, m.unseen, m.level, m.first, m.symbol, m.logp, m.backoff}, 0
	for what := range spoiled.Fields(s) {
		var b, again bytes.Buffer
		if err := saveFormat.Write(&b, *s); err != nil {
			t.Fatal(err)
		}
		read, err := Load(&b)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("%s: error %v", what, err)
			}
			continue
		}
		loaded++
		if err := read.Save(&again); err != nil {
			t.Errorf("%s: save: %v", what, err)
		}
		if _, err := Load(&again); err != nil {
			t.Errorf("%s: saved again: %v", what, err)
		}
		most := 1.0
		if read.Validate(1e-6) != nil {
			most = math.Inf(1)
		}
		for _, x := range [][]int32{{1, 2, 3}, {3, 3, 3}, {}, {1, 1, 2, 2}} {
			if log := read.LogProb(x); math.IsNaN(log) || log > math.Log(most) {
				t.Errorf("%s: ln P of %v is %g", what, x, log)
			}
			for h := range x {
				for y := range int32(4) {
					if p := read.Prob(x[:h], y); !(p >= 0 && p <= most) {
						t.Errorf("%s: probability of %d after %v is %g", what, y, x[:h], p)
					}
				}
			}
		}
	}
	if loaded < 200 {
		t.Errorf("%d models loaded", loaded)
	}
}
