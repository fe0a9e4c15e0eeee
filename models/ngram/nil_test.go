package ngram_test

import (
	"strings"
	"testing"

	"example.org/pathsum/models/ngram"
)

// TestNil: what is nil is refused where it is given, with its name.
func TestNil(t *testing.T) {
	for says, do := range map[string]func(){
		"ngram: Fit: nil data":         func() { ngram.Fit(2, 2, nil, nil) },
		"ngram: ReadARPA: nil symbols": func() { ngram.ReadARPA(strings.NewReader(""), "", nil) },
		"ngram: Acceptor: nil model":   func() { ngram.Acceptor[float64](nil, nil, nil) },
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
