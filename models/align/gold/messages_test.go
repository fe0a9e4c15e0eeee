package gold

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
)

// TestMessages: what is said of references that are not as expected.
func TestMessages(t *testing.T) {
	var all mistakes.List
	for _, x := range []struct {
		text string
		want error
	}{
		{"0-0\n0-0 x\n", align.ErrLink},
		{"\n\n\xff", text.ErrUTF8},
		{strings.Repeat("1-1 ", text.MaxLine/4) + "1-1", text.ErrTooLong},
	} {
		all.Add(fmt.Sprintf("Read: %.20q", x.text), x.want, func() error { _, err := Collect(Read(strings.NewReader(x.text), "f")); return err })
	}
	for _, x := range []struct {
		line string
		want error
	}{
		{"1 1", ErrFormat},
		{"1 1 1 S 1 1", ErrFormat},
		{"0 1 1", ErrFormat},
		{"4 1 1", ErrFormat},
		{"x 1 1", ErrFormat},
		{"1 -1 1", align.ErrLink},
		{"1 1 1.0", align.ErrLink},
		{"1 1 1 Q", ErrFormat},
		{"1 1 1 S x", ErrFormat},
		{"1 1 1 S NaN", ErrFormat},
		{"1 1 1 .5 S", ErrFormat},
		{"\xff", text.ErrUTF8},
	} {
		all.Add(fmt.Sprintf("ReadWPT: %q", x.line), x.want, func() error {
			_, err := ReadWPT(strings.NewReader("1 1 1\n"+x.line+"\n"), "f", 3)
			return err
		})
	}
	mistakes.Check(t, all)
}
