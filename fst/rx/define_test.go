package rx_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

func files(texts map[string]string) fs.FS {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// A text that is not read from a file has the marks and line ends of any system, too.
func TestTextsOfOtherSystems(t *testing.T) {
	const rules, strs = "a = [xy]; # letters\nb = @a\nx;\n", "x\ty\n\ny\tx\t.5\n"
	want := fmt.Sprint(must(rx.ParseDefinitions(rules))(t))
	wantMap := must(rx.ParseStringMap("", strs))(t)
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, mark := range []string{"", "\ufeff"} {
			of := func(text string) string { return mark + strings.ReplaceAll(text, "\n", end) }
			if got, err := rx.ParseDefinitions(of(rules)); err != nil || fmt.Sprint(got) != want {
				t.Errorf("%q: %v (%v), want %s", of(rules), got, err, want)
			}
			if got, err := rx.ParseStringMap("", of(strs)); err != nil || !got.Equal(wantMap) {
				t.Errorf("%q: %v (%v), want %v", of(strs), got, err, wantMap)
			}
			if got, err := rx.Parse(of("x |\ny")); err != nil || got.String() != "x | y" {
				t.Errorf("%q: %v (%v)", of("x |\ny"), got, err)
			}
		}
	}
}

// Files import each other, each of them once; string maps become definitions.
func TestReadDefinitions(t *testing.T) {
	all := files(map[string]string{
		"main.rx":        "import \"lib/numbers.rx\"; # comment\nimport \"lib/../lib/units.rx\";\namount = @number \\  @unit;",
		"lib/numbers.rx": "import \"units.rx\"; number = (@\"digit.tsv\")+ <1-λ>;",
		"lib/units.rx":   "import \"numbers.rx\"; unit = @\"unit.tsv\" | @\"unit.tsv\";",
		"lib/digit.tsv":  "1\tone\n2\ttwo\r\n\n3",
		"lib/unit.tsv":   "kg\tkilo gram\t.5\n\"'\t\t1-μ\n\tx\tδ.y\n",
	})
	ds := must(rx.ReadDefinitions(all, "main.rx"))(t)
	var got strings.Builder
	for _, d := range ds {
		got.WriteString(d.String() + "\n")
	}
	want := `unit = @"lib/unit.tsv" | @"lib/unit.tsv";
"lib/unit.tsv" = <0.5>(kg):(kilo' 'gram) | <1-μ>(\"\'):() | <δ.y>():x;
number = @"lib/digit.tsv"+<1-λ>;
"lib/digit.tsv" = 1:(one) | 2:(two) | 3;
amount = @number ' '@unit;
`
	if got.String() != want {
		t.Errorf("read\n%s, want\n%s", got.String(), want)
	}
	again := must(rx.ParseDefinitions(got.String()))(t)
	for i, d := range again {
		if d.Name != ds[i].Name || !d.Expr.Equal(ds[i].Expr) {
			t.Errorf("%s was read as %s", ds[i], d)
		}
	}
}

func TestReadErrors(t *testing.T) {
	all := files(map[string]string{
		"dir/none.rx": "a = b;\n import \"missing.rx\";", "dir/import.rx": "import \"syntax.rx\"; a = b;",
		"dir/syntax.rx": "a = b;\nb = (;", "nomap.rx": "a = b;\nb = a @\"dir/none.tsv\";",
		"badmap.rx": "a = @\"bad.tsv\";", "bad.tsv": "a\tb\na\tb\t2x\n", "utf8.rx": "a = @\"utf8.tsv\";", "utf8.tsv": "ab\xff\n",
		"empty.rx": "a = @\"empty.tsv\";", "empty.tsv": "\n\n", "four.rx": "a = @\"four.tsv\";", "four.tsv": "a\tb\t1\tc", "weight.rx": "a = @\"weight.tsv\";", "weight.tsv": "\n\na\tb\t1e999",
		"noname.rx": "a = @\"\";", "twice.rx": "a = b;\na = c;", "group.rx": "import \"lib.rx\"; b = {g: x = a | y = b};", "lib.rx": "\n\nc = {g: y = a};",
		"quote.rx": "import \"x", "semi.rx": "import \"lib.rx\" a = b;", "symbol.rx": "a = @\"symbol.tsv\";", "symbol.tsv": "a\nab\nü\n",
	})
	for _, test := range []struct {
		name, message string
		want          error
	}{
		{"dir/none.rx", "rx: dir/none.rx:2:2: bad name: open dir/missing.rx", fs.ErrNotExist},
		{"dir/import.rx", "rx: dir/syntax.rx:2:6: syntax error: ';', want an expression", rx.ErrSyntax},
		{"nothing.rx", "rx: bad name: open nothing.rx", fs.ErrNotExist},
		{"nomap.rx", "rx: nomap.rx:2:8: bad name: open dir/none.tsv", fs.ErrNotExist},
		{"badmap.rx", "rx: bad.tsv:2:6: syntax error: 'x', want the end of the line", rx.ErrSyntax},
		{"utf8.rx", "rx: utf8.tsv:1:3: syntax error: bytes that are not UTF-8", rx.ErrSyntax},
		{"empty.rx", "rx: empty.tsv:3:1: invalid input: a string map without strings", rx.ErrInvalid},
		{"four.rx", "rx: four.tsv:1:6: syntax error: '\\t', want the end of the line", rx.ErrSyntax},
		{"weight.rx", "rx: weight.tsv:3:5: invalid input: 1e999 is too great a number", rx.ErrInvalid},
		{"noname.rx", "rx: noname.rx:1:6: invalid input: the name of a file is empty", rx.ErrInvalid},
		{"twice.rx", "rx: a: twice.rx:2:1: bad name: a is defined already", rx.ErrName},
		{"quote.rx", "rx: quote.rx:1:10: syntax error: the end, want the closing quote", rx.ErrSyntax},
		{"semi.rx", "rx: semi.rx:1:17: syntax error: 'a', want ;", rx.ErrSyntax},
		{"group.rx", "rx: b: group.rx:1:22: bad group of parameters: g has 2 alternatives x, y, but 1 alternatives y at lib.rx:3:5", rx.ErrGroup},
		{"symbol.rx", `rx: symbol.tsv: symbol.tsv:3:1: symbols do not match: "ü" is not in the alphabet`, fst.ErrSymbol},
	} {
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
		err := c.LoadFile(all, test.name)
		if err == nil {
			_, err = c.Compile(rx.MustParse("(a | @c) @b @a"))
			if test.name == "symbol.rx" {
				_, err = c.Machine("a")
			}
		}
		var placed *rx.Error
		if !errors.Is(err, test.want) || !errors.As(err, &placed) || !strings.HasPrefix(err.Error(), test.message) {
			t.Errorf("%s: error %v, want %v: %s", test.name, err, test.want, test.message)
		}
	}
	if err := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a")).Load("a = b;\n import \"c\";"); !errors.Is(err, rx.ErrInvalid) ||
		!strings.Contains(err.Error(), "rx: 2:2: invalid input: an import") {
		t.Errorf("Load: error %v", err)
	}
}

// Load adds all definitions of a text, or none.
func TestLoadAllOrNothing(t *testing.T) {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols("a"))
	if err := c.Load("x = a;"); err != nil {
		t.Fatal(err)
	}
	if err := c.Load("y = a;\nx = a;"); !errors.Is(err, rx.ErrName) || err.Error() != "rx: x: 2:1: bad name: x is defined already" {
		t.Errorf("error %v", err)
	}
	if err := c.Load("y = a; z = @x;"); err != nil {
		t.Error(err)
	}
}

// Labels of characters are code points, also for characters of ranges.
func TestAlphabet(t *testing.T) {
	ds := must(rx.ParseDefinitions(`a = "é1" ['th'x-z\u{d7fe}-\u{e001}]; b = 'th' 'ch' / z __ [^0] , '\u{0}':é / __;`))(t)
	alphabet := must(rx.Alphabet(ds))(t)
	var got []string
	for label, name := range alphabet.All() {
		if label <= 0x10ffff && label > 0 && name != string(rune(label)) {
			t.Errorf("%q has label %d", name, label)
		}
		got = append(got, name)
	}
	want := []string{fst.EpsilonName, "0", "1", "x", "y", "z", "é", "\ud7fe", "\ud7ff", "\ue000", "\ue001", "th", "ch", "\x00"}
	if !slices.Equal(got, want) {
		t.Errorf("alphabet %q, want %q", got, want)
	}
	ds = must(rx.ParseDefinitions(`a = [a-\u{1ffff}]; b = [a-\u{1ffff}] [b-\u{fffff}];`))(t)
	_, err := rx.Alphabet(ds)
	if !errors.Is(err, semiring.ErrLimit) || !strings.HasPrefix(err.Error(), "rx: b: 1:38: limit exceeded: ranges of more than") {
		t.Errorf("error %v", err)
	}
	if _, err := rx.Alphabet([]rx.Definition{{Name: "x", Expr: rx.Symbol("")}}); !errors.Is(err, rx.ErrInvalid) {
		t.Errorf("error %v", err)
	}
}

// A string map has the pairs of its lines; memory is proportional to the text.
func FuzzStringMap(f *testing.F) {
	for _, text := range []string{"", "a\tb\n", "a\tb\t.5\n\na", "\tab\t1-λ\r\n", "a\t\tδ.x", "a\tb\t+2.5\nb\t\t-1", "\xff", "a\tb\tc\td", "\"'\\\t<>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var e rx.Expr
		var err error
		memtest.Bound(t, len(text), perByte, func() { e, err = rx.ParseStringMap("map.tsv", text) })
		if err != nil {
			var placed *rx.Error
			if !errors.As(err, &placed) || placed.File != "map.tsv" || placed.Line < 1 {
				t.Errorf("%q: error without a position: %v", text, err)
			}
			return
		}
		if again, err := rx.Parse(e.String()); err != nil || !again.Equal(e) {
			t.Errorf("%q was written as %s and read as %s (%v)", text, e, again, err)
		}
	})
}
