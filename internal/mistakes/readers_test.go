package mistakes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/align/bitext"
	"example.org/pathsum/models/align/gold"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
	"example.org/pathsum/models/ctc/matrix"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// reader is an exported reader of text. A new reader needs only a row of the table below: read
// returns the value that is read, which is compared as %v.
type reader struct {
	name string
	text string // the valid text, with \n
	read func(r io.Reader) (any, error)
}

// all returns the elements of a sequence, or its error.
func all[T any](sequence iter.Seq2[T, error]) (any, error) {
	var list []T
	for x, err := range sequence {
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// sound is all of a sequence whose lines have errors of their own.
func sound[T any](sequence iter.Seq2[T, error], failed func(T) error) (any, error) {
	return all(func(yield func(T, error) bool) {
		for x, err := range sequence {
			if !yield(x, cmp.Or(err, failed(x))) {
				return
			}
		}
	})
}

func problem(l bitext.Line) error { return l.Problem }

func readers(t *testing.T) []reader {
	const arpa = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\ta}x\n-99\t<s>\n-1\t</s>\n\\end\\\n"
	rows := "rain,mm\nyes,1.5\nno,2\n"
	return []reader{
		{"text.Lines", "a b\n\nc\n", func(r io.Reader) (any, error) {
			return sound(text.Lines(r, "x"), func(l text.Line) error { return l.Err })
		}},
		{"tsv.Rows", "a\tb\nc\td\n", func(r io.Reader) (any, error) { return all(tsv.Rows(r, "x", 2, 2)) }},
		{"tsv.Pairs", "a\tb\nc\td\t2\n", func(r io.Reader) (any, error) { return all(tsv.Pairs(r, "x")) }},
		{"cascade.Lines", "a b\nc\n", func(r io.Reader) (any, error) { return linesOfData(t, r) }},
		{"bayes.ReadBIF", "variable a {\n type discrete [2] { x, y };\n}\nprobability ( a ) {\n table .25 .75; // a comment\n}\n", func(r io.Reader) (any, error) {
			n, err := bayes.ReadBIF(r, "x")
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(n.Variables(), n.Family(0).Table), nil
		}},
		{"table.Read", rows, func(r io.Reader) (any, error) {
			csv, err := table.Read(r, "x", nil)
			if err != nil {
				return nil, err
			}
			return *csv, nil
		}},
		{"table.ReadRows", rows, func(r io.Reader) (any, error) {
			n, err := bayes.New([]bayes.Variable{{Name: "rain", States: []string{"no", "yes"}}, {Name: "mm"}}, []bayes.Family{{Children: []int{0}}, {Children: []int{1}}})
			if err != nil {
				return nil, err
			}
			return table.ReadRows(r, "x", n)
		}},
		{"ngram.ReadARPA", arpa, func(r io.Reader) (any, error) {
			m, err := ngram.ReadARPA(r, "x", fst.NewSymbols())
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(m.Vocabulary(), m.LogProb([]int32{1})), nil
		}},
		{"pairgram.ReadARPA", arpa, func(r io.Reader) (any, error) {
			source, target := fst.NewSymbols(), fst.NewSymbols()
			m, err := pairgram.ReadARPA(r, "x", source, target)
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(m.Chunks().Len(), m.NGrams().LogProb([]int32{1})), nil
		}},
		{"matrix.ReadCSV", "1;-2\n.5;0;\n", func(r io.Reader) (any, error) { return numbers(matrix.ReadCSV(r, "x")) }},
		{"matrix.ReadJSON", "[[1, -2], [\n0.5, 0]]\n", func(r io.Reader) (any, error) { return numbers(matrix.ReadJSON(r, "x")) }},
		{"gold.Read", "0-0 1?1\n\n2-2\n", func(r io.Reader) (any, error) { return all(gold.Read(r, "x")) }},
		{"gold.ReadWPT", "1 1 1 S\n2 1 2 P\n", func(r io.Reader) (any, error) { return gold.ReadWPT(r, "x", 2) }},
		{"bitext.Read", "a b\nc\n", func(r io.Reader) (any, error) {
			return sound(bitext.Read(r, strings.NewReader("x\ny\n"), nil), problem)
		}},
		{"bitext.Read, target", "a b\nc\n", func(r io.Reader) (any, error) {
			return sound(bitext.Read(strings.NewReader("x\ny\n"), r, nil), problem)
		}},
		{"bitext.ReadJoined", "a b ||| x\nc ||| y\n", func(r io.Reader) (any, error) { return sound(bitext.ReadJoined(r, nil), problem) }},
		{"treebank.Sentences", "1\ta b\tX Y\t2 0\t0-2\n2\tc\tX\t0\t\n", func(r io.Reader) (any, error) { return all(treebank.Sentences(r, "x")) }},
		{"treebank.CoNLLU", "# sent_id = 1\n1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n1\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n", func(r io.Reader) (any, error) {
			return all(treebank.CoNLLU(r, "x", treebank.UPOS))
		}},
		{"treebank.Trees", "(S (A a)\n(B b))\n(S (A c))\n", func(r io.Reader) (any, error) { return all(treebank.Trees(r, "x")) }},
		{"fstio.ReadText", "0 1 1 2 .5\n1 .25\n", func(r io.Reader) (any, error) { return written(fstio.ReadText(r, semiring.Tropical{}, nil)) }},
		{"fstio.ReadTexts", "0 1 1 2 .5\n--\n1 .25\n", func(r io.Reader) (any, error) {
			var texts []any
			for f, err := range fstio.ReadTexts(r, semiring.Tropical{}, nil) {
				text, err := written(f, err)
				if err != nil {
					return nil, err
				}
				texts = append(texts, text)
			}
			return texts, nil
		}},
		{"fstio.ReadLattices", "a\n0 1 2 .5,1,3_4\n1\n\nb\n0\n", func(r io.Reader) (any, error) {
			var texts []any
			for e, err := range fstio.ReadLattices(r, semiring.Tropical{}, nil) {
				text, err := written(e.FST, err)
				if err != nil {
					return nil, err
				}
				texts = append(texts, e.Key, text)
			}
			return texts, nil
		}},
		{"fstio.ReadK2", "0 1 1 2 .5\n1 2 -1 -1 0\n2\n", func(r io.Reader) (any, error) { return written(fstio.ReadK2(r, semiring.Tropical{})) }},
		{"fstio.ReadStringMap", "ab\tc\t.5\nd\n", func(r io.Reader) (any, error) { return written(fstio.ReadStringMap(r, semiring.Tropical{}, nil)) }},
		{"fstio.ReadSymbols", "<eps>\t0\na\t1\n", func(r io.Reader) (any, error) {
			s, err := fstio.ReadSymbols(r)
			if err != nil {
				return nil, err
			}
			return maps.Collect(s.All()), nil
		}},
		{"rx.ReadDefinitions", "a = x y; # a comment\nb = @\"m.tsv\";\n", func(r io.Reader) (any, error) {
			content, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			return definitions(fstest.MapFS{"g.rx": {Data: content}, "m.tsv": {Data: []byte("x\ty\n")}})
		}},
		{"rx.ReadDefinitions, string map", "x\ty\n\nz\n", func(r io.Reader) (any, error) {
			content, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			return definitions(fstest.MapFS{"g.rx": {Data: []byte("b = @\"m.tsv\";")}, "m.tsv": {Data: content}})
		}},
		{"msa.ReadFASTA", ">a\nACGT\n>b\nAC-T\n", func(r io.Reader) (any, error) { return aligned(msa.ReadFASTA(r, "x")) }},
		{"msa.ReadMAF", "##maf version=1\na score=1\ns a.1 0 4 + 9 ACGT\ns b.1 0 3 + 9 AC-T\n\n", func(r io.Reader) (any, error) { return aligned(msa.ReadMAF(r, "x")) }},
		{"msa.ReadSS", "NSEQS = 2\nLENGTH = 2\nTUPLE_SIZE = 1\nNTUPLES = 1\nNAMES = a,b\n\n0\tAC\t2\n\nTUPLE_IDX_ORDER:\n0\n0\n", func(r io.Reader) (any, error) { return aligned(msa.ReadSS(r, "x")) }},
		{"phylo.LoadMod", "ALPHABET: A C G T\nORDER: 0\nSUBST_MOD: JC69\nBACKGROUND: .25 .25 .25 .25\nRATE_MAT:\n-1 1 1 1\n1 -1 1 1\n1 1 -1 1\n1 1 1 -1\nTREE: (a:1,b:2);\n", func(r io.Reader) (any, error) {
			m, err := phylo.LoadMod(r)
			if err != nil {
				return nil, err
			}
			return fmt.Sprint(m.Tree(), m.Theta), nil
		}},
		{"phylo.ParseTree", "(a:1,\nb:2,c:3);\n", func(r io.Reader) (any, error) {
			content, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			tree, err := phylo.ParseTree(string(content))
			if err != nil {
				return nil, err
			}
			return tree.String(), nil
		}},
	}
}

// written returns the text of a machine.
func written[W any](f *fst.FST[W], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	err = fstio.WriteText(&b, f, nil)
	return b.String(), err
}

// definitions returns the text of the definitions of g.rx.
func definitions(files fs.FS) (any, error) {
	ds, err := rx.ReadDefinitions(files, "g.rx")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintln(&b, d.Name, d.Expr)
	}
	return b.String(), nil
}

// aligned returns the rows of an alignment.
func aligned(a *msa.Alignment, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return *a, nil
}

// numbers returns the rows of a matrix.
func numbers(m *matrix.Matrix, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return *m, nil
}

// linesOfData returns the texts of the examples of a file.
func linesOfData(t *testing.T, r io.Reader) (any, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return nil, err
	}
	var texts []string
	for _, err := range cascade.Lines([]string{file}, func(l cascade.Line) (cascade.Example, error) {
		texts = append(texts, fmt.Sprint(l.Number, l.Text))
		return cascade.Example{X: cascade.Text(l.Text)}, nil
	}).All() {
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// TestReadersOfText: a byte order mark and the line ends of other systems do not change the
// result of any reader, and UTF-16 is rejected by name.
func TestReadersOfText(t *testing.T) {
	for _, x := range readers(t) {
		want, err := x.read(strings.NewReader(x.text))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		for name, in := range map[string]string{
			"a byte order mark":  "\ufeff" + x.text,
			"CRLF":               strings.ReplaceAll(x.text, "\n", "\r\n"),
			"CR":                 strings.ReplaceAll(x.text, "\n", "\r"),
			"both":               "\ufeff" + strings.ReplaceAll(x.text, "\n", "\r\n"),
			"mixed ends":         strings.TrimSuffix(x.text, "\n") + "\r",
			"no end at the end ": strings.TrimSuffix(x.text, "\n"),
		} {
			got, err := x.read(strings.NewReader(in))
			if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				t.Errorf("%s, %s: %v, %v, want %v", x.name, name, got, err, want)
			}
		}
		for _, in := range []string{"\xff\xfe" + widened(x.text, 1), "\xfe\xff" + widened(x.text, 0)} {
			if got, err := x.read(strings.NewReader(in)); !errors.Is(err, text.ErrUTF16) {
				t.Errorf("%s, UTF-16: %v, %v", x.name, got, err)
			}
		}
	}
}

// TestReadersOfBadText: all readers return the same errors, with the line, for invalid UTF-8, a
// NUL, a line or a word that is too long, and a truncated file.
func TestReadersOfBadText(t *testing.T) {
	for _, x := range readers(t) {
		if strings.HasPrefix(x.name, "rx.") { // package rx reads characters of its syntax
			continue
		}
		second := strings.IndexByte(x.text, '\n') + 1 // the beginning of a line
		for name, c := range map[string]struct {
			bad  string
			says string
			want []error
		}{
			"a byte":   {"\xe9", "invalid UTF-8 at byte 1", []error{text.ErrUTF8}},
			"a NUL":    {"\x00", "a NUL, which no text has, at byte 1", []error{text.ErrNUL}},
			"too long": {strings.Repeat("A", text.MaxLine+1), " too long: more than ", []error{text.ErrTooLong, text.ErrLongWord}},
		} {
			got, err := x.read(strings.NewReader(x.text[:second] + c.bad + x.text[second:]))
			if name == "too long" && unbounded[x.name] {
				continue
			}
			var e *text.Error
			if !errors.As(err, &e) || e.Line != 2 || !strings.Contains(e.Error(), c.says) || !errors.Is(err, nested.ErrFormat) ||
				!slices.ContainsFunc(c.want, func(want error) bool { return errors.Is(err, want) }) {
				t.Errorf("%s, %s: %v, %v", x.name, name, got, err)
			}
		}
	}
}

// TestReadersOfNothing: an empty file is read as an empty value, or is an error with this
// reason.
func TestReadersOfNothing(t *testing.T) {
	for _, x := range readers(t) {
		for _, in := range []string{"", "\ufeff"} {
			var e *text.Error
			got, err := x.read(strings.NewReader(in))
			if first := errors.As(err, &e) && e.Line == 1; err != nil && !first && !errors.Is(err, nested.ErrFormat) && !errors.Is(err, nested.ErrInvalid) {
				t.Errorf("%s, %q: %v, %v", x.name, in, got, err)
			}
		}
	}
}

// unbounded are readers of lines of any length: symbols of genomes, cells of a quoted text,
// trees.
var unbounded = map[string]bool{"msa.ReadFASTA": true, "table.Read": true, "table.ReadRows": true, "phylo.LoadMod": true, "phylo.ParseTree": true}

// widened returns ASCII text with a zero byte before or after each character.
func widened(ascii string, after int) string {
	var b strings.Builder
	for _, c := range []byte(ascii) {
		if after == 1 {
			b.Write([]byte{c, 0})
		} else {
			b.Write([]byte{0, c})
		}
	}
	return b.String()
}
