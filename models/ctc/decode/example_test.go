package decode_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ctc/decode"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring/frames"
)

// columns are the columns of the examples: letters, the space, and the blank.
const columns = "abcdefghijklmnopqrstuvwxyz -"

// recognized returns frames in which the characters of a string are probable, and the characters
// of another half as probable.
func recognized(text, other string) *frames.Emissions {
	var p []float64
	for t := range len(text) {
		row := make([]float64, len(columns))
		for v := range row {
			row[v] = .001
		}
		row[strings.IndexByte(columns, text[t])] += .6
		row[strings.IndexByte(columns, other[t])] += .372
		p = append(p, row...)
	}
	e, err := frames.Probabilities(len(text), len(columns), p, nil)
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// spoken returns entries of words and their sounds, whose symbols are their numbers from 1.
func spoken(letters *fst.Symbols, words ...[2]string) []decode.Entry {
	var entries []decode.Entry
	for i, w := range words {
		labels, err := letters.Encode(strings.Split(w[1], "")...)
		if err != nil {
			log.Fatal(err)
		}
		entries = append(entries, decode.Entry{Word: w[0], Labels: labels, Symbol: int32(i + 1)})
	}
	return entries
}

// Two words sound the same, and a bigram knows which of them people write.
func Example() {
	ctx := context.Background()
	emissions := recognized("-rr-ai-t a-- b--uk", "-r--aid- e-- b-u-k")
	letters := fst.NewSymbols(strings.Split(columns[:27], "")...)
	words := spoken(letters, [2]string{"a", "a"}, [2]string{"book", "buk"}, [2]string{"right", "rait"},
		[2]string{"ride", "raid"}, [2]string{"write", "rait"})
	corpus := [][]int32{{5, 1, 2}, {1, 3}, {5, 1, 2}, {3}, {1, 2}, {4}} // write a book; a right; …
	bigram, err := ngram.Fit(2, 5, func(yield func([]int32, float64) bool) {
		for _, text := range corpus {
			if !yield(text, 1) {
				return
			}
		}
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	d, err := decode.New(decode.Options{
		Topology:   ctc.Standard(28, 27), // columns: a, …, z, a space, the blank
		Symbols:    letters,
		Separators: []int32{27}, // the label of the space
		Lexicon:    words,
		Language:   bigram,
		Beam:       frames.BeamOptions{Width: 300, Margin: 12},
	})
	if err != nil {
		log.Fatal(err)
	}
	texts, report, err := d.Decode(ctx, emissions, 10)
	if err != nil {
		log.Fatal(err)
	}
	best := texts[0]
	fmt.Printf("%s: %.0f %% of %d texts, exact: %v\n", best.Text, 100*best.Posterior, len(texts), report.Exact)
	for _, w := range best.Words {
		fmt.Printf("%-5s frames %2d to %2d, confidence %.2f\n", w.Name, w.First, w.Last, w.Confidence)
	}
	// Output:
	// write a book: 67 % of 8 texts, exact: false
	// write frames  1 to  7, confidence 0.68
	// a     frames  9 to  9, confidence 1.00
	// book  frames 13 to 17, confidence 1.00
}

// Frames arrive one by one; the final part of the text is shown.
func ExamplePredictor_Online() {
	letters := fst.NewSymbols(strings.Split(columns[:27], "")...)
	d, err := decode.New(decode.Options{Topology: ctc.Standard(28, 27), Symbols: letters, Separators: []int32{27},
		Lexicon: spoken(letters, [2]string{"yes", "yes"}, [2]string{"we", "we"}, [2]string{"can", "can"}),
		Beam:    frames.BeamOptions{Width: 20, Margin: 5}})
	if err != nil {
		log.Fatal(err)
	}
	s, err := d.Online(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	e := recognized("-y-ess-- -we--- -ca-nn-", "-y-as--- ve-e--- -ka-n--")
	for t := range e.Frames() {
		if err := s.Push(e.Slice(t, t+1)); err != nil {
			log.Fatal(err)
		}
		if t%6 == 5 {
			best, err := s.Best()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%q, of which %q is settled\n", best.Text, s.Final())
		}
	}
	texts, _, err := s.Close(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(texts[0].Text)
	// Output:
	// "yes", of which "yes" is settled
	// "yes we", of which "yes " is settled
	// "yes we c", of which "yes " is settled
	// yes we can
}

// The most probable text is not always the one with the fewest errors.
func ExampleMinimumRisk() {
	texts := []decode.Text{
		{Labels: []int32{1, 2, 3}, LogProb: -1},
		{Labels: []int32{4, 5, 6}, LogProb: -1.2},
		{Labels: []int32{4, 5, 3}, LogProb: -1.3},
	}
	risks, err := decode.MinimumRisk(texts)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range risks {
		fmt.Printf("%v: %.2f errors\n", r.Labels, r.Errors)
	}
	// Output:
	// [4 5 3]: 1.10 errors
	// [4 5 6]: 1.46 errors
	// [1 2 3]: 1.54 errors
}
