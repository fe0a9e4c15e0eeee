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
