package align

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/spoiled"
)

// TestLoadSpoiled: a model file with a change in one place is refused, or the model answers with
// probabilities and can be saved.
func TestLoadSpoiled(t *testing.T) {
	sentences := []Sentence{{strings.Fields("a b c"), strings.Fields("a c")}, {strings.Fields("z"), strings.Fields("e a b d")}}
	for _, kind := range []Positions{Model2, Diagonal, HMM} {
		m := train(t, randomCorpus(random(3), 5, 3), &setup{Stages: []Stage{{kind, 2, Own, Separately}}, Classes: 2})
		s, loaded := m.saved(), 0
		for what := range spoiled.Fields(s) {
			var b bytes.Buffer
			head := *s
			head.Col, head.Translations = nil, nil
			if err := saveFormat.Write(&b, &head); err != nil {
				t.Fatal(err)
			}
			if err := pairsFormat.Write(&b, savedPairs{s.Col, s.Translations}); err != nil {
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
			if _, err := Load(bytes.NewReader(written(t, read))); err != nil {
				t.Errorf("%v, %s: saved again: %v", kind, what, err)
			}
			for _, x := range sentences {
				forward, backward, err := read.LogProb(x)
				if err != nil || !(forward <= 0) || !(backward <= 0) {
					t.Errorf("%v, %s: ln P are %g and %g, error %v", kind, what, forward, backward, err)
				}
				p, q, err := read.Posteriors(x)
				if errors.Is(err, em.ErrUnderivable) {
					continue
				}
				if err != nil || !probable(slices.Concat(p.P, q.P)) {
					t.Errorf("%v, %s: posteriors %v and %v, error %v", kind, what, p, q, err)
				}
			}
		}
		if loaded < 100 {
			t.Errorf("%v: %d models loaded", kind, loaded)
		}
	}
}
