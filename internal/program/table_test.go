package program

import (
	"strings"
	"testing"
)

func TestWriteTable(t *testing.T) {
	var b strings.Builder
	WriteTable(&b, [][]string{{"word", "katakana", "x"}, {"a", "アンナ", "1"}, {"banana", "バナナー"}})
	want := "" +
		"word     katakana   x\n" +
		"a        アンナ     1\n" +
		"banana   バナナー\n\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

func TestDeviation(t *testing.T) {
	for _, x := range []struct {
		of   []float64
		want string
	}{{[]float64{2}, "2.000 ± 0.000"}, {[]float64{1, 3}, "2.000 ± 1.414"}} {
		if got := NewDeviation(x.of).String(); got != x.want {
			t.Errorf("%v: %s, want %s", x.of, got, x.want)
		}
	}
}
