package msa

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/mistakes"
)

// TestMessages: what is said of files that are not as expected.
func TestMessages(t *testing.T) {
	var all mistakes.List
	for _, x := range []struct {
		call string
		read reader
		text string
	}{
		{"ReadFASTA: empty", ReadFASTA, ""},
		{"ReadFASTA: no columns", ReadFASTA, ">a\n>b\n"},
		{"ReadFASTA: no name", ReadFASTA, ">a\nAC\n> \nAC"},
		{"ReadFASTA: twice", ReadFASTA, ">a\nAC\n>a\nAC"},
		{"ReadFASTA: before a name", ReadFASTA, "\nAC\n"},
		{"ReadFASTA: symbol", ReadFASTA, ">a\nAC\nA!\n"},
		{"ReadFASTA: too short", ReadFASTA, ">a\nACG\n>b\nAC\n>c\n"},
		{"ReadFASTA: too short at the end", ReadFASTA, ">a\nACG\n>b\nAC"},
		{"ReadFASTA: too long", ReadFASTA, ">a\nACG\n>b\nACG\nT\n"},
		{"ReadFASTA: long name", ReadFASTA, ">" + strings.Repeat("x", 1<<18)},
		{"ReadMAF: no block", ReadMAF, "##maf\n"},
		{"ReadMAF: empty block", ReadMAF, "a\n\n"},
		{"ReadMAF: outside", ReadMAF, "s x 0 1 + 1 A\n"},
		{"ReadMAF: fields", ReadMAF, "a\ns x 0 1 + A\n"},
		{"ReadMAF: start", ReadMAF, "a\ns x -1 1 + 1 A\n"},
		{"ReadMAF: source", ReadMAF, "a\ns .1 0 1 + 1 A\n"},
		{"ReadMAF: twice in a block", ReadMAF, "a\ns x.1 0 1 + 1 A\ns x.2 0 1 + 1 A\n"},
		{"ReadMAF: bad symbol", ReadMAF, "a\ns x.1 0 2 + 1 A.\n"},
		{"ReadSS: no head", ReadSS, "0\tAC\t1\n"},
		{"ReadSS: names", ReadSS, "NSEQS = 2\nNAMES = a,a\n\n0\tAC\t1\n"},
		{"ReadSS: number of names", ReadSS, "NSEQS = 3\nNAMES = a,b\n\n0\tAC\t1\n"},
		{"ReadSS: tuples", ReadSS, strings.Replace(head, "SIZE = 1", "SIZE = 2", 1) + "0\tAC AC\t1\n"},
		{"ReadSS: symbols", ReadSS, head + "0\tACG\t1\n"},
		{"ReadSS: bad column", ReadSS, head + "0\tA#\t1\n"},
		{"ReadSS: number", ReadSS, head + "1\tAC\t1\n"},
		{"ReadSS: weight", ReadSS, head + "0\tAC\t0\n"},
		{"ReadSS: count of columns", ReadSS, head + "0\tAC\t1\n"},
		{"ReadSS: order", ReadSS, head + "0\tAC\t1\n1\tAG\t1\n2\tAT\t1\nTUPLE_IDX_ORDER:\n3\n"},
		{"ReadSS: order of no columns", ReadSS, strings.Replace(head, "LENGTH = 4", "LENGTH = 0", 1) + "0\tAC\t1\n1\tAG\t1\n2\tAT\t1\nTUPLE_IDX_ORDER:\n"},
		{"ReadSS: length of order", ReadSS, head + "0\tAC\t1\n1\tAG\t1\n2\tAT\t1\nTUPLE_IDX_ORDER:\n1\n"},
		{"ReadSS: no columns at all", ReadSS, head},
	} {
		all.Add(x.call, ErrFormat, func() error { _, err := x.read(strings.NewReader(x.text), "dir/f"); return err })
	}
	dots := Options{Dots: DotsFirst}
	for _, x := range []struct {
		call string
		read reader
		text string
	}{
		{"ReadMAF", ReadMAF, "a\ns a 0 4 + 9 ACGT\ns mm.chr1 0 100 + 1000 ACGT\n"},
		{"ReadMAF", ReadMAF, "a\ns mm.chr1 0 4 + 1000 AC-T\n"},
		{"ReadMAF", ReadMAF, "a\ns mm.chr1 0 2 + 1000 AC-T\n"},
		{"ReadMAF, dots as in the first row", dots.ReadMAF, "a\ns a 0 3 + 9 AC-T\ns b 0 4 + 9 ....\n"},
		{"ReadMAF, dots for missing", Options{Dots: DotsMissing}.ReadMAF, "a\ns a 0 4 + 9 AC.-\n"},
		{"ReadMAF, dots for missing", Options{Dots: DotsMissing}.ReadMAF, "a\ns a 0 1 + 9 AC.-\n"},
		{"ReadMAF", ReadMAF, "a\ns a.1 0 1 + 9 A\ns a.2 0 1 + 9 A\n"},
		{"ReadMAF", ReadMAF, "a\ns a.1 0 1 + 9 .\n"},
		{"ReadFASTA", ReadFASTA, ">a\nAC\n>b\n.C\n"},
		{"ReadFASTA, dots as in the first row", dots.ReadFASTA, ">a\nA.\n"},
		{"ReadFASTA", ReadFASTA, ">a\nAC\n>a\nAC\n"},
		{"ReadFASTA", ReadFASTA, "\ufeff#NEXUS\rbegin data;\r"},
		{"ReadFASTA", ReadFASTA, "##maf version=1\n"},
		{"ReadFASTA", ReadFASTA, "CLUSTAL W (1.83)\n"},
		{"ReadFASTA", ReadFASTA, " 5 42\nTurkey AAGCT\n"},
		{"ReadMAF", ReadMAF, ">a\nACGT\n"},
		{"ReadMAF", ReadMAF, "#NEXUS\nbegin data;\n"},
		{"ReadSS", ReadSS, "#NEXUS\nbegin data;\n"},
		{"ReadFASTA", ReadFASTA, "\xff\xfe>\x00a\x00"},
		{"ReadMAF", ReadMAF, "\xfe\xff\x00a"},
		{"ReadSS", ReadSS, "\xff\xfeN\x00"},
	} {
		all.Add(fmt.Sprintf("%s: %q", x.call, x.text), ErrFormat, func() error { _, err := x.read(strings.NewReader(x.text), "f"); return err })
	}
	mistakes.Check(t, all)
}
