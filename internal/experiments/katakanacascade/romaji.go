package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/semiring"
)

// romajiTSV spells every katakana in a Roman alphabet, romaji<TAB>カ タ カ ナ. The spelling is
// close to European words, so that one letter of them mostly corresponds to one of it. シ is shi
// or si, ティ is ti and チ chi. A consonant without a following vowel is the kana with which
// Japanese writes it (s ス, t ト), and n is ン (n' before vowels and y). A doubled consonant has ッ
// before it, - is ー. An x before the sound of a kana is the small kana, or the rarer kana of
// that sound, and q is ッ anywhere, so that every sequence of katakana has a spelling.
//
//go:embed romaji.tsv
var romajiTSV string

// table is the fixed machine of the cascade, from romaji to katakana, without weights.
type table struct {
	romaji, kana *fst.Symbols
	column       *transliteration.Column // of katakana, whose symbols are kana
	entries      []entry
}

// entry maps the romaji in to the katakana out.
type entry struct{ in, out []int32 }

func loadTable() (*table, error) {
	t := &table{romaji: fst.NewSymbols(), column: transliteration.NewColumn(script.Composed, false)}
	t.kana = t.column.Symbols
	for p, err := range tsv.Pairs(strings.NewReader(romajiTSV), "romaji.tsv") {
		if err != nil {
			return nil, err
		}
		t.entries = append(t.entries, entry{
			in:  add(t.romaji, strings.Split(p.Left, "")),
			out: t.column.Learn(strings.Join(tsv.Symbols(p.Right), "")),
		})
	}
	return t, nil
}

// add returns the labels of names, adding those that are new.
func add(s *fst.Symbols, names []string) []int32 {
	labels := make([]int32, len(names))
	for i, name := range names {
		labels[i] = s.Add(name)
	}
	return labels
}

// newTableMachine returns the transducer that reads sequences of entries, with weight 1. An
// entry that begins a longer one (n begins na, and k kka) is read only if the next letter does
// not continue it: so each romaji string has at most one reading, and na is not ンア.
//
// All entries begin and end at hubs. There is a hub for each set of letters that must not
// follow, including the empty set. Katakana are written as early as possible, and ends of
// entries are shared, which keeps the machine small when it is composed with the katakana.
func newTableMachine[W any](t *table, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	b := &tableBuilder[W]{
		machine: fst.NewBuilder(ring), one: ring.One(),
		hubs: map[string]int32{}, rest: map[string]int32{},
	}
	excluded := make([][]int32, len(t.entries))
	sets := [][]int32{nil}
	for i, e := range t.entries {
		excluded[i] = t.continuations(e.in)
		sets = append(sets, excluded[i])
	}
	for _, set := range sets {
		b.hub(set)
	}
	b.machine.AddStart(b.hub(nil), b.one)
	for _, set := range slices.CompactFunc(slices.SortedFunc(slices.Values(sets), slices.Compare[[]int32]), slices.Equal[[]int32]) {
		for i, e := range t.entries {
			if !slices.Contains(set, e.in[0]) {
				b.path(b.hub(set), e.in, e.out, b.hub(excluded[i]))
			}
		}
	}
	b.machine.SetSymbols(t.romaji, t.kana)
	return b.machine.Freeze()
}

// continuations returns the letters that continue in to the beginning of a longer
// entry, ascending.
func (t *table) continuations(in []int32) []int32 {
	var letters []int32
	for _, e := range t.entries {
		if len(e.in) > len(in) && slices.Equal(e.in[:len(in)], in) {
			letters = append(letters, e.in[len(in)])
		}
	}
	slices.Sort(letters)
	return slices.Compact(letters)
}

type tableBuilder[W any] struct {
	machine *fst.Builder[W]
	one     W
	hubs    map[string]int32 // set of letters that must not follow -> state
	rest    map[string]int32 // the remaining input and output, and the final hub -> state
}

func (b *tableBuilder[W]) hub(excluded []int32) int32 {
	key := fmt.Sprint(excluded)
	s, ok := b.hubs[key]
	if !ok {
		s = b.machine.AddState()
		b.machine.SetFinal(s, b.one)
		b.hubs[key] = s
	}
	return s
}

// path adds the arcs that read in and write out, from state s to a hub.
func (b *tableBuilder[W]) path(s int32, in, out []int32, hub int32) {
	a := fst.Arc[W]{Weight: b.one, To: hub}
	if len(in) > 0 {
		a.In, in = in[0], in[1:]
	}
	if len(out) > 0 {
		a.Out, out = out[0], out[1:]
	}
	known := true
	if len(in)+len(out) > 0 {
		key := fmt.Sprint(in, out, hub)
		if a.To, known = b.rest[key]; !known {
			a.To = b.machine.AddState()
			b.rest[key] = a.To
		}
	}
	b.machine.AddArc(s, a)
	if !known {
		b.path(a.To, in, out, hub)
	}
}
