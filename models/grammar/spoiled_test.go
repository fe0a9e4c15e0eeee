package grammar

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/spoiled"
)

// TestLoadSpoiled: a model file with a change in one place is refused, or the model can be saved
// and parses: no tree is more probable than all together.
func TestLoadSpoiled(t *testing.T) {
	data := randomSentences(rand.New(rand.NewPCG(8, 8)), 6, 2, 4)
	for _, kind := range []Kind{DMV, CCM, Product} {
		m := newTestModel(t, kind, data, nil)
		s := &savedModel{Kind: m.kind, Smoothing: m.smoothing, Tags: m.tags.names, Open: m.tags.open, Theta: m.Theta}
		if m.kind.hasContext() {
			s.Yields, s.Contexts = inOrder(m.ccm.table.yield), inOrder(m.ccm.table.context)
		}
		loaded := 0
		for what := range spoiled.Fields(s) {
			var b, again bytes.Buffer
			if err := saveFormat.Write(&b, *s); err != nil {
				t.Fatal(err)
			}
			read, err := Load(&b)
			if err != nil {
				if !errors.Is(err, ErrFormat) {
					t.Errorf("%v, %s: error %v", kind, what, err)
				}
				continue
			}
			loaded++
			if err := read.Save(&again); err != nil {
				t.Errorf("%v, %s: save: %v", kind, what, err)
			}
			if _, err := Load(&again); err != nil {
				t.Errorf("%v, %s: saved again: %v", kind, what, err)
			}
			p, err := read.Predictor(MostProbable)
			if err != nil {
				t.Errorf("%v, %s: %v", kind, what, err)
				continue
			}
			for _, x := range append(data, []string{"A", "B", "C", "D"}) {
				all, err := p.LogProb(x)
				if errors.Is(err, ErrInvalid) {
					continue // tags or yields are no longer known
				}
				if err != nil || !(all <= 0) {
					t.Errorf("%v, %s: ln P is %g, error %v", kind, what, all, err)
				}
				best, err := p.Best(x)
				if errors.Is(err, em.ErrUnderivable) {
					continue
				}
				if err != nil || !(best.LogProb <= all+1e-9) {
					t.Errorf("%v, %s: best %+v of ln P %g, error %v", kind, what, best, all, err)
				}
			}
		}
		if loaded < 40 {
			t.Errorf("%v: %d models loaded", kind, loaded)
		}
	}
}
