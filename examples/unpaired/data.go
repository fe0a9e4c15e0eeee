package main

import (
	"fmt"
	"iter"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/internal/tsv"

	_ "embed"
)

// soundsTSV says how some of the default words are pronounced in English.
//
//go:embed sounds.tsv
var soundsTSV string

// heldOut is how the default words are divided: each heldOut-th pair is a test pair.
const heldOut = 8

// pair is a name and its katakana, and its sounds where somebody has written them down.
type pair struct {
	latin, kana             string
	letters, romaji, sounds []int32 // without labels in a test; sounds: nil if unknown
}

// data are what is known.
type data struct {
	letters, katakana *transliteration.Column
	sounds            *fst.Symbols

	pairs       []pair
	latin, kana []pair // of which the other side is not looked at
	test        []pair
}

// sizes say how much of the pairs is for training.
type sizes struct{ pairs, names int }

// loadData reads pairs of names from a file, and sounds and test pairs from others; without a
// name the default ones. Pairs at equal distances are learnt from as such. Of the others each
// second one gives its Latin side, the ones between give their katakana: nobody's partner is
// among the names.
func loadData(file, soundsFile, testFile string, n sizes) (*data, error) {
	all, known, test := tsv.PairsOf(file), tsv.PairsOf(soundsFile), tsv.PairsOf(testFile)
	if file == "" {
		all = tsv.Pairs(strings.NewReader(loanwords.TSV), "pairs.tsv")
		known = tsv.Pairs(strings.NewReader(soundsTSV), "sounds.tsv")
	} else if soundsFile == "" {
		known = func(func(tsv.Pair, error) bool) {}
	}
	d := &data{
		letters:  transliteration.NewColumn(script.Composed, false),
		katakana: transliteration.NewColumn(script.Composed, true),
		sounds:   fst.NewSymbols(),
	}
	sounds := map[string][]int32{}
	for p, err := range known {
		if err != nil {
			return nil, err
		}
		if sounds[p.Left] == nil { // the first of several
			sounds[p.Left] = add(d.sounds, tsv.Symbols(p.Right))
		}
	}
	train, err := read(all)
	if err != nil {
		return nil, err
	}
	if testFile == "" {
		train, d.test = program.HoldOut(train, heldOut)
	} else if d.test, err = read(test); err != nil {
		return nil, err
	}
	if n.pairs > len(train) || len(d.test) == 0 {
		return nil, fmt.Errorf("%d pairs to learn from and %d to be tested with, want at least %d and 1",
			len(train), len(d.test), n.pairs)
	}
	d.split(train, n)
	for i := range d.pairs {
		d.letters.Learn(d.pairs[i].latin)
		d.katakana.Learn(d.pairs[i].kana)
	}
	for _, part := range [][]pair{d.pairs, d.latin, d.kana} {
		for i := range part {
			p := &part[i]
			p.letters, p.romaji, p.sounds = d.letters.Add(p.latin), d.katakana.Add(p.kana), sounds[p.latin]
		}
	}
	return d, nil
}

// read returns the pairs of rows.
func read(rows iter.Seq2[tsv.Pair, error]) ([]pair, error) {
	var all []pair
	for p, err := range rows {
		if err != nil {
			return nil, err
		}
		all = append(all, pair{latin: p.Left, kana: strings.Join(tsv.Symbols(p.Right), "")})
	}
	return all, nil
}

// add returns the labels of names, adding those that are new.
func add(s *fst.Symbols, names []string) []int32 {
	labels := make([]int32, len(names))
	for i, name := range names {
		labels[i] = s.Add(name)
	}
	return labels
}

// split takes pairs at equal distances, and names of the others, of each side as many as
// there are up to n.names.
func (d *data) split(train []pair, n sizes) {
	var latin, kana []pair
	for i, p := range train {
		switch k := len(d.pairs); {
		case k < n.pairs && i == k*len(train)/n.pairs:
			d.pairs = append(d.pairs, p)
		case len(latin) == len(kana):
			latin = append(latin, p)
		default:
			kana = append(kana, p)
		}
	}
	d.latin, d.kana = spread(latin, n.names), spread(kana, n.names)
}

// spread returns n elements of all at equal distances, all if there are no more.
func spread[T any](all []T, n int) []T {
	if n >= len(all) {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// pronounced returns the pairs whose sounds are known, and the others.
func pronounced(all []pair) (with, without []pair) {
	for _, p := range all {
		if p.sounds != nil {
			with = append(with, p)
		} else {
			without = append(without, p)
		}
	}
	return with, without
}
