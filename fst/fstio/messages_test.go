package fstio_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/semiring"
)

// TestMessages: testdata/errors.md contains the errors for text and data that are not as expected,
// and for machines that a form cannot represent. They include positions, as from readers of files.
func TestMessages(t *testing.T) {
	var all mistakes.List
	textMistakes(&all)
	symbolMistakes(&all)
	speechMistakes(&all)
	stringMapMistakes(&all)
	binaryMistakes(&all)
	compactMistakes(&all)
	writtenMistakes(t, &all)
	mistakes.Check(t, all)
}

func textMistakes(all *mistakes.List) {
	symbols := &fstio.Options{In: fst.NewSymbols("a"), Out: fst.NewSymbols("x")}
	acceptor := &fstio.Options{Form: fstio.Acceptor}
	for _, x := range []struct {
		text string
		o    *fstio.Options
		as   string // which options
	}{
		{"0 1 1", nil, ""},
		{"0\n\n0 1 1 1 1 1", nil, ""},
		{"0 1 1 1 1", acceptor, ", as an acceptor"},
		{"x", nil, ""},
		{"-1", nil, ""},
		{"9223372036854775808", nil, ""},
		{"0 y 1 1", nil, ""},
		{"0 1 -1 1", nil, ""},
		{"0 1 1 2147483648", nil, ""},
		{"0 1 a x\n0 1 a y", symbols, ", with the names a and x"},
		{"0 1 1 x", symbols, ", with the names a and x"},
		{"0 1 1 1 heavy", nil, ""},
		{"0 1e999", nil, ""},
		{"0 NaN", nil, ""},
		{"0 1 1 1 nan", nil, ""},
		{"0 1\n1\n0", nil, ""},
		{"<eps> 0\na 1\n", nil, ""},
	} {
		all.Add(fmt.Sprintf("ReadText: %q%s", x.text, x.as), fstio.ErrFormat, func() error {
			_, err := fstio.ReadText(strings.NewReader(x.text), tropical, x.o)
			return err
		})
	}
	all.Add(`ReadText: "0\n--\n0"`, fstio.ErrFormat, func() error {
		_, err := fstio.ReadText(strings.NewReader("0\n--\n0"), tropical, nil)
		return err
	})
	for _, text := range []string{"0\n--\n0\n0", "--\n--\n--- 1"} {
		all.Add(fmt.Sprintf("ReadTexts: %q", text), fstio.ErrFormat, func() error {
			_, err := listed(fstio.ReadTexts(strings.NewReader(text), tropical, nil))
			return err
		})
	}
	full := new(fst.Symbols)
	if err := full.Set("z", math.MaxInt32); err != nil {
		panic(err)
	}
	all.Add("ReadText: a new name, with Add and a table that names label 2³¹−1", fstio.ErrFormat, func() error {
		_, err := fstio.ReadText(strings.NewReader("0 0 z y"), tropical, &fstio.Options{In: full, Out: full, Add: true})
		return err
	})
	for _, x := range []struct {
		text string
		want error
	}{
		{"0 800", semiring.ErrLimit},
		{"0 -800", semiring.ErrLimit},
		{"0 -Infinity", fstio.ErrFormat},
		{"0 nan", fstio.ErrFormat},
		{"0 1e999", fstio.ErrFormat},
		{"0 " + strings.Repeat("x", 1000), fstio.ErrFormat},
	} {
		all.Add(fmt.Sprintf("ReadText over Real: %.20q", x.text), x.want, func() error {
			_, err := fstio.ReadText(strings.NewReader(x.text), reals, nil)
			return err
		})
	}
}

func symbolMistakes(all *mistakes.List) {
	for _, text := range []string{"a 1\nb", "a 1 2", "a x", "a -1", "a 2147483648", "a 1\na 2", "a 1\nb 1", "0 1 1 1\n1\n"} {
		all.Add(fmt.Sprintf("ReadSymbols: %q", text), fstio.ErrFormat, func() error {
			_, err := fstio.ReadSymbols(strings.NewReader(text))
			return err
		})
	}
	for _, x := range []struct {
		call string
		data []byte
	}{
		{"a is there twice", packed(int32(2125658996), "", int64(0), int64(2), "a", int64(1), "a", int64(2))},
		{"a label is there twice", packed(int32(2125658996), "", int64(0), int64(2), "a", int64(1), "b", int64(1))},
		{"label -1", packed(int32(2125658996), "", int64(0), int64(1), "a", int64(-1))},
	} {
		all.Add("ReadBinarySymbols: "+x.call, fstio.ErrFormat, func() error {
			_, err := fstio.ReadBinarySymbols(bytes.NewReader(x.data))
			return err
		})
	}
}

// speechMistakes are mistakes in the forms of Kaldi and k2.
func speechMistakes(all *mistakes.List) {
	for _, text := range latticeMistakes {
		all.Add(fmt.Sprintf("ReadLattices: %q", text), fstio.ErrFormat, func() error {
			_, _, err := latticesOf(fstio.ReadLattices(strings.NewReader(text), tropical, &fstio.Lattices[semiring.Cost]{Transitions: true}))
			return err
		})
	}
	all.Add("ReadLattices over Real: costs of -800", semiring.ErrLimit, func() error {
		_, _, err := latticesOf(fstio.ReadLattices(strings.NewReader("a\n0 1 2 -400,-400,\n1\n"), reals, nil))
		return err
	})
	for _, text := range k2Mistakes {
		all.Add(fmt.Sprintf("ReadK2: %q", text), fstio.ErrFormat, func() error {
			_, err := fstio.ReadK2(strings.NewReader(text), tropical)
			return err
		})
	}
	all.Add("WriteK2: a negative weight", fst.ErrInvalid, func() error {
		return fstio.WriteK2(io.Discard, fst.OneState(reals, -1), fstio.Acceptor)
	})
	all.Add("WriteK2: an arc 1:2 in an acceptor", fst.ErrInvalid, func() error {
		return fstio.WriteK2(io.Discard, fst.FromPair(reals, []int32{1}, []int32{2}), fstio.Acceptor)
	})
}

func stringMapMistakes(all *mistakes.List) {
	names := fst.NewSymbols("a")
	for _, x := range []struct {
		text string
		o    *fstio.Strings
		as   string
	}{
		{"a\n\na\tb\t1\t2\n", nil, ""},
		{"a\nab\n", &fstio.Strings{In: names, Out: names}, ", with the name a"},
		{"a\tb\n", &fstio.Strings{Tokens: fstio.Words, In: names, Out: names}, ", of words, with the name a"},
		{"a\n", &fstio.Strings{Tokens: fstio.Words}, ", of words"},
		{"a\tb\tx\n", nil, ""},
		{"a\tb\tNaN\n", nil, ""},
		{"a\tb\xff\n", nil, ""},
		{"a\tb\x00\n", nil, ""},
		{"a\x00\n", &fstio.Strings{Tokens: fstio.Bytes}, ", of bytes"},
	} {
		all.Add(fmt.Sprintf("ReadStringMap: %q%s", x.text, x.as), fstio.ErrFormat, func() error {
			_, err := fstio.ReadStringMap(strings.NewReader(x.text), tropical, x.o)
			return err
		})
	}
	for _, o := range []fstio.Strings{{Tokens: 3}, {Tokens: fstio.Bytes, Out: names}} {
		all.Add(fmt.Sprintf("ReadStringMap: tokens %d, names %t", o.Tokens, o.Out != nil), fst.ErrInvalid, func() error {
			_, err := fstio.ReadStringMap(strings.NewReader("a"), tropical, &o)
			return err
		})
	}
}

// readBinaryMistake adds data that are no machine.
func readBinaryMistake(all *mistakes.List, call string, data []byte) {
	all.Add("ReadBinary: "+call, fstio.ErrFormat, func() error {
		_, err := fstio.ReadBinary(bytes.NewReader(data), tropical)
		return err
	})
}

func binaryMistakes(all *mistakes.List) {
	machine := func(start, states int64, data ...any) []byte {
		return packed(int32(2125659606), "vector", "standard", int32(2), int32(0), int64(3), start, states, int64(0), packed(data...))
	}
	for _, x := range []struct {
		call string
		data []byte
	}{
		{"another number at the beginning", packed(int32(5))},
		{"five bytes", []byte("\x00\x01\x02\x03\x04")},
		{"ngram", packed(int32(2125659606), "ngram", "standard", make([]byte, 40))},
		{"lexicographic arcs", packed(int32(2125659606), "vector", "lexicographic", make([]byte, 40))},
		{"version 1", packed(int32(2125659606), "vector", "log", int32(1), make([]byte, 36))},
		{"a type of -1 bytes", packed(int32(2125659606), int32(-1))},
		{"a type of 2³¹−1 bytes", packed(int32(2125659606), int32(math.MaxInt32))},
		{"initial state 1 of 1", machine(1, 1, float32(0), int64(0))},
		{"an arc to state 1 of 1", machine(0, -1, float32(0), int64(1), int32(0), int32(0), float32(1), int32(1))},
		{"an arc to state -1", machine(0, -1, float32(0), int64(1), int32(0), int32(0), float32(1), int32(-1))},
		{"label -1", machine(0, -1, float32(0), int64(1), int32(-1), int32(0), float32(1), int32(0))},
		{"-2⁶³ arcs", machine(0, -1, float32(0), int64(math.MinInt64))},
		{"2³¹−1 states and no more data", machine(0, math.MaxInt32, float32(0), int64(math.MaxInt32))},
		{"a weight of NaN", machine(0, -1, float32(math.NaN()), int64(0))},
		{"a weight of −Inf", machine(0, -1, float32(math.Inf(-1)), int64(0))},
	} {
		readBinaryMistake(all, x.call, x.data)
	}
	wrong := packed(int32(2125656924), int32(1), int64(0), int64(1))
	all.Add("ReadArchive: an index that does not fit", fstio.ErrFormat, func() (last error) {
		for _, err := range fstio.ReadArchive(bytes.NewReader(wrong), tropical) {
			last = err
		}
		return last
	})
}

// compactMistakes adds hostile positions, counts and elements.
func compactMistakes(all *mistakes.List) {
	machine := func(container string, states, arcs int64, data ...any) []byte {
		return packed(int32(2125659606), container, "standard", int32(2), int32(0), int64(3), int64(0), states, arcs, packed(data...))
	}
	for _, x := range []struct {
		call string
		data []byte
	}{
		{"compact_string, an arc to state 2 of 2", machine("compact_string", 2, 2, int32(5), int32(6))},
		{"compact_string, label -2", machine("compact_string", 1, 0, int32(-2))},
		{"compact_string, an arc less than the header says", machine("compact_string", 2, 2, int32(5), int32(-1))},
		{"compact_string, -1 states", machine("compact_string", -1, 0)},
		{"compact_string, no states", machine("compact_string", 0, 0)},
		{"compact_string, 2³¹−1 states and no more data", machine("compact_string", math.MaxInt32, 0)},
		{"compact_string, 2³¹ states", machine("compact_string", math.MaxInt32+1, 0)},
		{"compact_weighted_string, NaN", machine("compact_weighted_string", 1, 0, int32(-1), float32(math.NaN()))},
		{"compact64_acceptor, 2³¹−1 states and no more data", machine("compact64_acceptor", math.MaxInt32, 0, int64(0))},
		{"compact64_acceptor, elements from 1", machine("compact64_acceptor", 1, 0, int64(1), int64(1))},
		{"compact64_acceptor, elements to -1", machine("compact64_acceptor", 1, 0, int64(0), int64(-1))},
		{"compact64_acceptor, 2³¹−1 elements and no more data", machine("compact64_acceptor", 1, 0, int64(0), int64(math.MaxInt32))},
		{"compact8_unweighted, elements that end before they begin", machine("compact8_unweighted", 2, 1, []byte{0, 2, 1})},
		{"compact8_unweighted, label -1", machine("compact8_unweighted", 1, 1, []byte{0, 1}, int32(1), int32(-1), int32(0))},
		{"compact8_unweighted, an arc to state -1", machine("compact8_unweighted", 1, 1, []byte{0, 1}, int32(1), int32(1), int32(-1))},
		{"compact8_unweighted, both labels -1", machine("compact8_unweighted", 1, 0, []byte{0, 2}, bytes.Repeat([]byte{255}, 24))},
		{"const64, -1 arcs", machine("const64", 1, 0, float32(0), float32(0), int64(0), int64(-1))},
		{"const8, arcs from 1", machine("const8", 1, 0, float32(0), []byte{1, 0, 0, 0})},
		{"const32", machine("const32", 1, 0)},
	} {
		readBinaryMistake(all, x.call, x.data)
	}
}

// writtenMistakes adds machines that a form cannot represent.
func writtenMistakes(t *testing.T, all *mistakes.List) {
	for _, x := range []struct {
		call string
		w    float64
		form fstio.Binary
	}{
		{"a final weight of -1", -1, fstio.Binary{}},
		{"a final weight of +Inf", math.Inf(1), fstio.Binary{}},
		{"arcs of type x", 1, fstio.Binary{Arc: "x"}},
		{"a container x", 1, fstio.Binary{Container: "x"}},
	} {
		b := fst.NewBuilder(reals)
		b.AddStart(b.AddState(), 1)
		b.SetFinal(0, x.w)
		f := must(b.Freeze())(t)
		all.Add("WriteBinary: "+x.call, fst.ErrInvalid, func() error { return fstio.WriteBinary(io.Discard, f, &x.form) })
	}
	far := fsttest.Frozen(fst.Map(fst.FromString(tropical, []int32{1}), tropical, func(semiring.Cost) semiring.Cost { return 1e300 }))
	all.Add("WriteBinary: a cost of 1e300 in standard arcs", fst.ErrInvalid, func() error { return fstio.WriteBinary(io.Discard, far, nil) })
	for _, x := range []struct {
		call      string
		container fstio.Container
		f         *fst.FST[semiring.Cost]
	}{
		{"two arcs of a state", fstio.CompactString, three(t, 0, oneOne, oneOne)},
		{"a state that ends nowhere", fstio.CompactString, three(t, tropical.Zero(), oneOne)},
		{"a cost", fstio.CompactString, three(t, 1, oneOne)},
		{"an arc past the next state", fstio.CompactWeightedString, three(t, 0, fst.Arc[semiring.Cost]{In: 1, Out: 1, To: 2})},
		{"labels 1:0", fstio.CompactAcceptor, three(t, 1, fst.Arc[semiring.Cost]{In: 1})},
		{"a cost", fstio.CompactUnweightedAcceptor, three(t, .5, oneOne)},
		{"an infinite cost", fstio.CompactUnweighted, three(t, 0, fst.Arc[semiring.Cost]{In: 1, Weight: tropical.Zero()})},
		{"256 arcs", "const8", must(fst.Expand(fst.Union(ones(255), ones(255)), nil))(t)},
		{"256 arcs", "compact8_string", ones(256)},
		{"256 arcs", "compact8_acceptor", ones(255)},
	} {
		all.Add(fmt.Sprintf("WriteBinary, %s: %s", x.container, x.call), fst.ErrInvalid, func() error {
			return fstio.WriteBinary(io.Discard, x.f, &fstio.Binary{Container: x.container})
		})
	}
}
