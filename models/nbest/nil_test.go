package nbest_test

import (
	"testing"

	"example.org/pathsum/models/nbest"
)

// TestNil: what is nil is refused where it is given, with its name.
func TestNil(t *testing.T) {
	for says, do := range map[string]func(){
		"nbest: NewProduct: nil predictor of factor 0": func() { nbest.NewProduct(nbest.Factor{Weight: 1}) },
	} {
		func() {
			defer func() {
				if got := recover(); got != says {
					t.Errorf("%v, want %s", got, says)
				}
			}()
			do()
		}()
	}
}
