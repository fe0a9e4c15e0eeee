package crf

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/spoiled"
)

// TestLoadSpoiledFields: a model file with a change in one place is refused, or the model answers
// with a label and a probability, and is saved as it was read.
func TestLoadSpoiledFields(t *testing.T) {
	f := &file{
		Kind: Chain.String(), Labels: []string{"A", "B"}, Transitions: []float64{0, 1, 2, 3},
		Attributes: []string{"x", "y"}, Row: []int32{0, 1, 3}, Label: []int32{1, 0, 1}, Weight: []float64{4, 5, 6},
	}
	loaded := 0
	for what := range spoiled.Fields(f) {
		var b, again bytes.Buffer
		if err := fileFormat.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		saved := bytes.Clone(b.Bytes())
		m, err := Load(&b)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("%s: error %v", what, err)
			}
			continue
		}
		loaded++
		if err := m.Save(&again); err != nil || !bytes.Equal(again.Bytes(), saved) {
			t.Errorf("%s: saved again it differs, %v", what, err)
		}
		features := func(t int, a *Attributes) { a.Add("x") }
		y, err := m.Best(2, features)
		if err != nil {
			continue // weights may be too large for sums
		}
		log, err := m.LogProb(y, features)
		if err == nil && (math.IsNaN(log) || log > 1e-9) {
			t.Errorf("%s: ln P of %v is %g", what, y, log)
		}
	}
	if loaded < 20 {
		t.Errorf("%d models loaded", loaded)
	}
}
