package fstio_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// Large inputs that are all states, all arcs, all columns, all names or all machines stay
// within the bounds that fuzzing asserts on small ones.
func TestMemory(t *testing.T) {
	var states, arcs, names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&states, "%d\n", i)
		fmt.Fprintf(&arcs, "0 %d 1 1\n", i)
		fmt.Fprintf(&names, "%x %d\n", i, i)
	}
	readText := func(r io.Reader) { fstio.ReadText(r, tropical, nil) }
	readSymbols := func(r io.Reader) { fstio.ReadSymbols(r) }
	readBinary := func(r io.Reader) { fstio.ReadBinary(r, tropical) }
	check := func(what string, data []byte, factor int, read func(r io.Reader)) {
		t.Run(what, func(t *testing.T) {
			memtest.Bound(t, len(data), factor, func() { read(bytes.NewReader(data)) })
		})
	}
	check("states", []byte(states.String()), perText, readText)
	check("arcs", []byte(arcs.String()), perText, readText)
	check("columns", bytes.Repeat([]byte("1 "), 1<<17), perText, readText)
	check("one line", bytes.Repeat([]byte("a"), 1<<18), perText, readText)
	readTexts := func(r io.Reader) { listed(fstio.ReadTexts(r, tropical, nil)) }
	check("machines without states", bytes.Repeat([]byte("--\n"), 1<<12), perTexts, readTexts)
	check("small machines", bytes.Repeat([]byte("0\n--\n"), 1<<12), perTexts, readTexts)
	readLattices := func(r io.Reader) {
		latticesOf(fstio.ReadLattices(r, tropical, &fstio.Lattices[semiring.Cost]{Transitions: true}))
	}
	check("small lattices", bytes.Repeat([]byte("a\n\n"), 1<<12), perTexts, readLattices)
	check("transition ids", append([]byte("a\n0 1,1,1"), bytes.Repeat([]byte("_1"), 1<<16)...), perTexts, readLattices)
	check("k2's states", append(bytes.Repeat([]byte("0 "), 1<<10), '\n'), perText, func(r io.Reader) { fstio.ReadK2(r, tropical) })
	check("names", []byte(names.String()), perText, readSymbols)
	readMap := func(r io.Reader) { fstio.ReadStringMap(r, tropical, nil) }
	check("strings", []byte(names.String()), perStringMap, readMap)
	check("short strings", bytes.Repeat([]byte("a\n"), 1<<16), perStringMap, readMap)
	check("a long string", bytes.Repeat([]byte("a"), 1<<18), perStringMap, readMap)
	check("two long strings", append(bytes.Repeat([]byte("a"), 1<<18), '\t', 'b'), perStringMap, readMap)
	for _, text := range []string{states.String(), arcs.String()} {
		m := must(fstio.ReadText(strings.NewReader(text), tropical, nil))(t)
		for _, form := range forms() {
			check(fmt.Sprint(form), writeBinary(t, m, &form), perBinary, readBinary)
		}
	}
	compact := func(container string, states, arcs int, data ...any) []byte {
		return packed(int32(2125659606), container, "standard", int32(2), int32(0), int64(3), int64(0), int64(states), int64(arcs), packed(data...))
	}
	for _, n := range []int{1 << 12, 20_000, 1<<17 + 1} {
		check(fmt.Sprint("positions ", n), compact("compact8_acceptor", n, 0, make([]byte, n+1)), perBinary, readBinary)
		check(fmt.Sprint("labels ", n), compact("compact_string", n, n-1, make([]byte, 4*(n-1)), int32(-1)), perBinary, readBinary)
	}
	var symbols, archive bytes.Buffer
	if err := fstio.WriteBinarySymbols(&symbols, must(fstio.ReadSymbols(strings.NewReader(names.String())))(t)); err != nil {
		t.Fatal(err)
	}
	check("binary names", symbols.Bytes(), perBinary, func(r io.Reader) { fstio.ReadBinarySymbols(r) })
	one := must(fstio.ReadText(strings.NewReader("0"), tropical, nil))(t)
	a := must(fstio.NewArchiveWriter[semiring.Cost](&archive, fstio.List, nil))(t)
	for i := range 5000 {
		if err := a.Add(fmt.Sprintf("%06d", i), one); err != nil {
			t.Fatal(err)
		}
	}
	check("machines", archive.Bytes(), perArchive, func(r io.Reader) {
		for range fstio.ReadArchive(r, tropical) {
		}
	})
	// Headers that claim 2³¹−1 states, arcs or names of 2³¹−1 bytes, without any data after them.
	check("promised states", compact("compact64_acceptor", 1<<31-1, 1<<31-1, int64(0)), perBinary, readBinary)
	check("promised labels", compact("compact_string", 1<<31-1, 1<<31-1, int32(0)), perBinary, readBinary)
	check("promised elements", compact("compact_unweighted", 1, 1<<31-1, int32(0), int32(1<<31-1)), perBinary, readBinary)
	check("promised positions", compact("const64", 1, 1<<31-1, float32(0), float32(0), int64(0), int64(1<<31-1)), perBinary, readBinary)
	promise := packed(int32(2125658996), "t", int64(1)<<31-1, int64(1)<<31-1, int32(1<<31-1))
	check("promises", promise, perBinary, func(r io.Reader) { fstio.ReadBinarySymbols(r) })
}
