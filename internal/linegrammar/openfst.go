package linegrammar

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// Export writes the machines of grammars as an archive of OpenFst, each under its name, with
// bytes as labels. It returns an error for a grammar with features of words around tokens,
// which a machine cannot represent.
func Export(w io.Writer, all []*Grammar) error {
	a, err := fstio.NewArchiveWriter[semiring.Cost](w, fstio.Table, nil)
	if err != nil {
		return err
	}
	all = slices.SortedFunc(slices.Values(all), func(a, b *Grammar) int { return strings.Compare(a.Name, b.Name) })
	for _, g := range all {
		f, err := g.bytes()
		if err == nil {
			err = a.Add(g.Name, f)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", g.Name, err)
		}
	}
	return a.Close()
}

// bytes returns the machine of the grammar between texts in bytes, whose labels are 1 to 255.
// It is equivalent to Apply, except for NUL, which cannot be a label.
//
// An obligatory rule combines bytes into characters, so a text has a single encoding, the same
// as by encode. All other bytes are encoded as bytes.
func (g *Grammar) bytes() (*fst.FST[semiring.Cost], error) {
	if g.contexts != nil {
		return nil, errors.New("words around tokens cannot be part of a machine: want parameters without them (-words 0)")
	}
	none := []rx.Span{rx.One(ByteName(0))}
	var characters []rx.Expr
	for l, name := range g.Alphabet.All() {
		if l < utf8.RuneSelf || l >= raw {
			continue
		}
		none = append(none, rx.One(name))
		characters = append(characters, rx.Cross(rx.Concat(spell(l)...), rx.Symbol(name)))
	}
	one := rx.NoneOf(none...)
	all := []rx.Expr{rx.Star(one), rx.Ref(whole), rx.Star(one)}
	if len(characters) > 0 {
		character := rx.Union(characters[0], characters[1:]...)
		read := rx.Rewrite(rx.RewriteOptions{Match: rewrite.Longest}, rx.Rule{Change: character})
		write := rx.Star(rx.Union(one, rx.Invert(character)))
		all = []rx.Expr{rx.Star(one), read, rx.Ref(whole), write}
	}
	compiler := rx.NewCompiler(tropical, g.Alphabet)
	compiler.Limit = MaxStates
	if err := compiler.DefineMachine(whole, g.Machine); err != nil {
		return nil, err
	}
	f, err := compiler.Compile(rx.Compose(all[0], all[1:]...))
	if err != nil {
		return nil, err
	}
	toByte := func(l int32) int32 {
		if l >= raw {
			return l - raw
		}
		return l
	}
	// Compositions duplicate states in which either machine could move first.
	if f, err = fst.Optimize(fst.Relabel(f, toByte, toByte), nil); err != nil {
		return nil, err
	}
	if f, err = fst.ArcSortIn(f, nil); err != nil {
		return nil, err
	}
	return f.WithSymbols(byteSymbols, byteSymbols), nil
}

// whole is the name of the machine in the definitions that convert it to bytes.
const whole = "sentence"

// spell returns the bytes of a non-ASCII character.
func spell(character rune) []rx.Expr {
	var all []rx.Expr
	for _, b := range []byte(string(character)) {
		all = append(all, rx.Symbol(ByteName(b)))
	}
	return all
}

// byteSymbols are the names of bytes in an archive: visible characters are their own names, and
// others are <20> or similar.
var byteSymbols = func() *fst.Symbols {
	t := fst.NewSymbols()
	t.SetTitle("bytes")
	for b := int32(1); b < 256; b++ {
		name := string(rune(b))
		if b <= ' ' || b >= 127 || b == '<' {
			name = fmt.Sprintf("<%02x>", b)
		}
		if err := t.Set(name, b); err != nil {
			panic(err)
		}
	}
	return t
}()

// Import reads a machine in a format of OpenFst, or the machine with the given key from an
// archive, whose name ends in .far; bytes says whether its labels are bytes or code points. The
// grammar applies lines, and has no model.
func Import(file, key string, bytes bool) (*Grammar, error) {
	f, err := readMachine(file, key)
	if err != nil {
		return nil, err
	}
	fail := func(err error) error { return fmt.Errorf("%s: %w", text.Name(file), err) }
	g := &Grammar{Name: key, Alphabet: fst.NewSymbols()}
	if bytes {
		if err := checkBytes(f); err != nil {
			return nil, fail(err)
		}
		fromByte := func(l int32) int32 {
			if l >= utf8.RuneSelf {
				return l + raw
			}
			return l
		}
		if f, err = fst.Expand(fst.Relabel(f, fromByte, fromByte), nil); err != nil {
			return nil, fail(err)
		}
	}
	for _, labels := range [][]int32{f.In(), f.Out()} {
		if err := g.addCharacters(labels); err != nil {
			return nil, fail(err)
		}
	}
	// contract does not end for cycles that cannot reach a final state
	if f, err = fst.Connect(f, nil); err != nil {
		return nil, fail(err)
	}
	return g, g.run(f)
}

// checkBytes returns an error that names a label outside the bytes.
func checkBytes(f *fst.FST[semiring.Cost]) error {
	for _, labels := range [][]int32{f.In(), f.Out()} {
		if len(labels) > 0 && slices.Max(labels) > 255 {
			return fmt.Errorf("label %d, want a byte", slices.Max(labels))
		}
	}
	return nil
}

// readMachine reads a machine from a file, or from an archive if its name ends in .far. The key
// is needed only for an archive of several machines.
func readMachine(file, key string) (*fst.FST[semiring.Cost], error) {
	if !strings.HasSuffix(strings.TrimSuffix(file, ".gz"), ".far") {
		return fstio.ReadBinaryFile(file, tropical)
	}
	var keys []string
	var only *fst.FST[semiring.Cost]
	for e, err := range fstio.ReadArchiveFile(file, tropical) {
		if err != nil {
			return nil, err
		}
		if e.Key == key {
			return e.FST, nil
		}
		keys, only = append(keys, e.Key), e.FST
	}
	if len(keys) == 1 {
		return only, nil
	}
	return nil, fmt.Errorf("%s: no machine %q, want one of %q", text.Name(file), key, keys)
}
