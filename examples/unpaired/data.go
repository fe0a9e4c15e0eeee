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

// soundsTSV says how some of the default words are pronounced in English.
//
//go:embed sounds.tsv
var soundsTSV string

// pair is a name and its katakana, and its sounds where somebody has written them down.
type pair struct {
	latin, kana             string
	letters, romaji, sounds []int32 // sounds: nil if unknown
}

// data are what is known.
type data struct {
	letters, katakana *transliteration.Column

	pairs       []pair
	latin, kana []pair // of which the other side is not looked at
	test        []transliteration.Pair
}

// readSounds returns the sounds of the names in a file; without one those of the default words, or
// none.
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

// newData takes n of the training pairs, at equal distances, as such. Of the others each second
// one gives its Latin side, the ones between give their katakana: nobody's partner is among the
// names. Of each side there are at most names.
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
