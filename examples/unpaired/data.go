package main

import (
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/internal/tsv"

	_ "embed"
)

// soundsTSV has English pronunciations of some of the default words.
//
//go:embed sounds.tsv
var soundsTSV string

// pair is a name and its katakana, and its sounds if they are known.
type pair struct {
	latin, kana             string
	letters, romaji, sounds []int32 // sounds: nil if unknown
}

// data are the training data and the test pairs.
type data struct {
	letters, katakana *transliteration.Column

	pairs       []pair
	latin, kana []pair // names whose other side is ignored
	test        []transliteration.Pair
}

// readSounds returns the sounds of the names in a file. Without a file it returns the sounds of
// the default words if defaults is true, and otherwise nil.
func readSounds(r *program.Run, file string, defaults bool) (map[string][]int32, error) {
	rows := tsv.PairsOf(file)
	switch {
	case file != "":
	case defaults:
		rows = tsv.Pairs(strings.NewReader(soundsTSV), "sounds.tsv")
	default:
		return nil, nil
	}
	sounds, symbols := map[string][]int32{}, fst.NewSymbols()
	for p, err := range program.Records(r, rows) {
		if err != nil {
			return nil, err
		}
		if sounds[p.Left] != nil {
			continue // the first of several
		}
		for _, name := range tsv.Symbols(p.Right) {
			sounds[p.Left] = append(sounds[p.Left], symbols.Add(name))
		}
	}
	return sounds, nil
}

// newData keeps n of the training pairs, at equal distances, as pairs. The others contribute
// alternately their Latin side and their katakana, so the names have no partners among each
// other. There are at most names of each side.
func newData(all transliteration.Data, sounds map[string][]int32, n, names int) *data {
	d := &data{
		test:     all.Test,
		letters:  transliteration.NewColumn(script.Composed, false),
		katakana: transliteration.NewColumn(script.Composed, true),
	}
	var latin, kana []pair
	for i, p := range all.Train {
		x := pair{latin: p.Latin, kana: p.Kana, sounds: sounds[p.Latin]}
		switch k := len(d.pairs); {
		case k < n && i == k*len(all.Train)/n:
			d.letters.Learn(p.Latin)
			d.katakana.Learn(p.Kana)
			d.pairs = append(d.pairs, x)
		case len(latin) == len(kana):
			latin = append(latin, x)
		default:
			kana = append(kana, x)
		}
	}
	d.latin, d.kana = spread(latin, names), spread(kana, names)
	for _, part := range [][]pair{d.pairs, d.latin, d.kana} {
		for i := range part {
			part[i].letters, part[i].romaji = d.letters.Add(part[i].latin), d.katakana.Add(part[i].kana)
		}
	}
	return d
}

// spread returns n elements of all at equal distances, or all if there are at most n.
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

// pronounced returns the pairs with known sounds, and the others.
func pronounced(parts ...[]pair) (with, without []pair) {
	for _, p := range slices.Concat(parts...) {
		if p.sounds != nil {
			with = append(with, p)
		} else {
			without = append(without, p)
		}
	}
	return with, without
}
