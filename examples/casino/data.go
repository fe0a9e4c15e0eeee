package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/hmm"
)

// faces of a die.
const faces = 6

// The dice, which are the states.
const (
	fair = iota
	loaded
	dice
)

// letters are how dice are written.
const letters = "FL"

// The simulated evenings, and the throws of each.
const (
	evenings = 20
	throws   = 300
)

// simulate draws evenings from the true model.
func simulate(truth *hmm.Predictor[int32], seed uint64) ([]hmm.Sequence[int32], error) {
	src := rand.NewPCG(seed, 1)
	var data []hmm.Sequence[int32]
	for i := range evenings {
		s, err := truth.Sample(throws, src)
		if err != nil {
			return nil, err
		}
		s.Name = fmt.Sprintf("evening %d", i+1)
		data = append(data, s)
	}
	return data, nil
}

const format = "the faces of one evening's throws, as digits 1 to 6 (? where it was not\nseen)[<TAB>the dice, F or L for each throw]."

// read reads evenings from a file; .gz is unpacked.
func read(name string) ([]hmm.Sequence[int32], error) {
	var data []hmm.Sequence[int32]
	for row, err := range tsv.RowsOf(name, 1, 2) {
		if err != nil {
			return nil, err
		}
		s, err := parse(row.Columns)
		if err != nil {
			return nil, &text.Error{File: name, Line: row.Line, Err: err}
		}
		s.Name = fmt.Sprintf("line %d", row.Line)
		data = append(data, s)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: no throws", name)
	}
	return data, nil
}

func parse(columns []string) (hmm.Sequence[int32], error) {
	var s hmm.Sequence[int32]
	for i, c := range []byte(columns[0]) {
		switch {
		case c == '?':
			s.Observations = append(s.Observations, hmm.Missing)
		case '1' <= c && c <= '6':
			s.Observations = append(s.Observations, int32(c-'1'))
		default:
			return s, fmt.Errorf("throw %d is %q, want a digit from 1 to 6 or ?", i+1, c)
		}
	}
	if len(s.Observations) == 0 {
		return s, fmt.Errorf("no throws")
	}
	if len(columns) == 1 {
		return s, nil
	}
	if len(columns[1]) != len(s.Observations) {
		return s, fmt.Errorf("%d dice for %d throws", len(columns[1]), len(s.Observations))
	}
	for i, c := range []byte(columns[1]) {
		die := strings.IndexByte(letters, c)
		if die < 0 {
			return s, fmt.Errorf("die %d is %q, want F or L", i+1, c)
		}
		s.States = append(s.States, int32(die))
	}
	return s, nil
}

// write writes the throws and the dice that were decoded.
func write(w io.Writer, data []hmm.Sequence[int32], decoded [][]int32) error {
	b := bufio.NewWriter(w)
	for i, s := range data {
		for _, o := range s.Observations {
			if o == hmm.Missing {
				b.WriteByte('?')
			} else {
				b.WriteByte(byte('1' + o))
			}
		}
		b.WriteString("\t" + dieNames(decoded[i]) + "\n")
	}
	return b.Flush()
}

// dieNames returns the letters of dice.
func dieNames(path []int32) string {
	names := make([]byte, len(path))
	for t, die := range path {
		names[t] = letters[die]
	}
	return string(names)
}
