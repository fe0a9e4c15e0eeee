package treebank

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/semiring"
)

// TestMessages: what is said of files that are not as expected.
func TestMessages(t *testing.T) {
	table := func(text string) error { _, err := Collect(Sentences(strings.NewReader(text), "f.tsv")); return err }
	trees := func(text string) error { _, err := Collect(Trees(strings.NewReader(text), "f.mrg")); return err }
	conll := func(text string) error {
		_, err := Collect(CoNLLU(strings.NewReader(text), "f.conllu", UPOS))
		return err
	}
	word := func(id, head string) string { return id + "\tw\t_\tX\tY\t_\t" + head + "\t_\t_\t_\n" }
	const good = "a\tb c\tX Y\t0 1\t0-2\n"
	var all mistakes.List
	for _, x := range []struct {
		reader string
		read   func(string) error
		text   string
		want   error
	}{
		{"Sentences", table, good + "a\tb\tX\t0\n", tsv.ErrColumns},
		{"Sentences", table, "a\n", tsv.ErrNoTab},
		{"Sentences", table, "a\t\t\t\t\n", ErrFormat},
		{"Sentences", table, "a\tb c\tX\t0 1\t_\n", ErrFormat},
		{"Sentences", table, "a\tb c\tX Y\t0\t_\n", ErrFormat},
		{"Sentences", table, "a\tb c\tX Y\t0 x\t_\n", ErrFormat},
		{"Sentences", table, "a\tb c\tX Y\t0 3\t_\n", ErrFormat},
		{"Sentences", table, good + "a\tb c d\tX Y Z\t0 3 2\t_\n", ErrInvalid},
		{"Sentences", table, "a\tb c\tX Y\t0 2\t_\n", ErrInvalid},
		{"Sentences", table, "a\tb c\tX Y\t0 0\t_\n", ErrInvalid},
		{"Sentences", table, "a\tb c\tX Y\t2 1\t_\n", ErrInvalid},
		{"Sentences", table, "a\tb c\tX Y\t0 1\t0-x\n", ErrFormat},
		{"Sentences", table, "a\tb c\tX Y\t0 1\t0-3\n", ErrInvalid},
		{"Sentences", table, "a\tb c\tX Y\t0 1\t1-2\n", ErrInvalid},
		{"Sentences", table, "a\tb c d\tX Y Z\t0 1 1\t0-2 1-3\n", ErrInvalid},
		{"Sentences", table, "a\tb\xff\tX\t0\t_\n", text.ErrUTF8},
		{"Trees", trees, "(S (X a))\n  (S (X b)", ErrFormat},
		{"Trees", trees, "(S (X a)))", ErrFormat},
		{"Trees", trees, "(S\n ())", ErrFormat},
		{"Trees", trees, "(S)", ErrFormat},
		{"Trees", trees, "(S a (X b))", ErrFormat},
		{"Trees", trees, "(S a b)", ErrFormat},
		{"Trees", trees, "(S (X a) b)", ErrFormat},
		{"Trees", trees, "id (S a) x y", ErrFormat},
		{"Trees", trees, "(S a) é", ErrFormat},
		{"Trees", trees, "(S a\xff)", text.ErrUTF8},
		{"Trees", trees, strings.Repeat("(", maxDepth+1), semiring.ErrLimit},
		{"Trees", trees, "(" + strings.Repeat("x", maxSymbol+1), text.ErrLongWord},
		{"CoNLLU", conll, "1\tw\n", tsv.ErrColumns},
		{"CoNLLU", conll, word("1", "0") + word("3", "1"), ErrFormat},
		{"CoNLLU", conll, word("1", "x"), ErrFormat},
		{"CoNLLU", conll, "\n" + word("1", "2") + word("2", "1") + "\n\n", ErrInvalid},
		{"CoNLLU", conll, word("1", "0") + word("2", "7"), ErrInvalid},
	} {
		all.Add(fmt.Sprintf("%s: %.100q", x.reader, x.text), x.want, func() error { return x.read(x.text) })
	}
	mistakes.Check(t, all)
}
