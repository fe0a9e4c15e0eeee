// Package keyboard models typing: the positions of the keys of letters, and slips of fingers.
//
// Slip makes a typing mistake in a word. Features are the features of the edits of such
// mistakes, for a channel with few parameters (edit.NewFeatured).
package keyboard

import (
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
)

// rows are the letters of the keys, row by row, each row a little further to the right.
var rows = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

// shift is the offset of a row to the right of the first, in keys.
var shift = []float64{0, .25, .75}

// Neighbours is the distance below which keys touch: the keys to the sides, above and below.
const Neighbours = 1.3

// Distance returns the distance of the keys of two small letters, in keys; +Inf if a character
// is not on a key.
func Distance(a, b rune) float64 {
	x, y, ok := place(a)
	u, v, found := place(b)
	if !ok || !found {
		return math.Inf(1)
	}
	return math.Hypot(x-u, y-v)
}

func place(c rune) (x, y float64, ok bool) {
	for i, row := range rows {
		if k := strings.IndexRune(row, c); k >= 0 {
			return float64(k) + shift[i], float64(i), true
		}
	}
	return 0, 0, false
}

// Features returns the features of the edits between characters, whose labels letters name.
// They depend on letters only by their keys and by whether they are vowels: random errors
// affect all letters alike.
func Features(letters *fst.Symbols) func(edit.Edit) []em.Feature {
	character := func(label int32) rune {
		name, _ := letters.Name(label)
		return []rune(name)[0]
	}
	vowel := func(c rune) bool { return strings.ContainsRune("aeiouy", c) }
	return func(e edit.Edit) []em.Feature {
		switch {
		case e.Source == fst.Epsilon:
			return nil
		case e.Target == fst.Epsilon:
			return []em.Feature{{Name: "left out"}}
		case e.Source == e.Target:
			return []em.Feature{{Name: "kept"}}
		}
		a, b := character(e.Source), character(e.Target)
		features := []em.Feature{{Name: "replaced"}}
		switch d := Distance(a, b); {
		case d < Neighbours:
			features = append(features, em.Feature{Name: "neighbours"})
		case d < Neighbours+1:
			features = append(features, em.Feature{Name: "near"})
		case math.IsInf(d, 1):
			features = append(features, em.Feature{Name: "no letter"})
		}
		if vowel(a) && vowel(b) {
			features = append(features, em.Feature{Name: "vowels"})
		}
		return features
	}
}
