package fstio_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// What is read, in whatever form, can be written, and is then read as a machine
// that is written in the same way.
func FuzzReadText(f *testing.F) {
	for _, text := range []string{
		"", "0", "0 1 1 2 0.5\n1\t2.5\n", "3 Infinity", "0 0 0 0\n", "5 6 7\n6 Inf\n",
		"0 1 a x\n0 1 <eps> <eps> 2\n1", "9223372036854775807 0 2147483647 1 1e-300\n0",
		"1 2\r\n\r\n", "0 1 1 1 -0\n1", "0 1 1 1 0x1p-3\n1 -Infinity\n",
	} {
		for form := range 4 {
			f.Add(text, form)
		}
	}
	f.Fuzz(func(t *testing.T, text string, form int) {
		o := new(fstio.Options)
		if form&1 != 0 {
			o.Form = fstio.Acceptor
		}
		if form&2 != 0 {
			o.In, o.Out = fst.NewSymbols("a", "b"), fst.NewSymbols("x")
		}
		m, err := fstio.ReadText(strings.NewReader(text), semiring.Semiring[semiring.Cost](semiring.Tropical{}), o)
		if err != nil {
			return
		}
		if states := 2 * len(text); m.NumStates() > states {
			t.Errorf("%d states from %d bytes", m.NumStates(), len(text))
		}
		var first, second bytes.Buffer
		if err := fstio.WriteText(&first, m, o); err != nil {
			t.Fatal(err)
		}
		again, err := fstio.ReadText(&first, m.Semiring(), o)
		if err != nil {
			t.Fatal(err)
		}
		if again.NumStates() != m.NumStates() || again.NumArcs() != m.NumArcs() {
			t.Errorf("%d states and %d arcs, then %d and %d", m.NumStates(), m.NumArcs(), again.NumStates(), again.NumArcs())
		}
		first.Reset()
		if err := fstio.WriteText(&first, again, o); err != nil {
			t.Fatal(err)
		}
		third, err := fstio.ReadText(bytes.NewReader(first.Bytes()), m.Semiring(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := fstio.WriteText(&second, third, o); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("wrote %q, then %q", first.String(), second.String())
		}
	})
}

func FuzzReadSymbols(f *testing.F) {
	for _, text := range []string{"", "<eps> 0\na 1\n", "x 2147483647\ny 5", "a 1\na 2", "ü\t3\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := fstio.ReadSymbols(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := fstio.WriteSymbols(&b, table); err != nil {
			t.Fatal(err)
		}
		again, err := fstio.ReadSymbols(&b)
		if err != nil || !again.Equal(table) {
			t.Errorf("the table changed, or %v", err)
		}
	})
}
