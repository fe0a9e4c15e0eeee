package msa

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
)

// ReadSS reads the sufficient statistics of an alignment in the format of PHAST: distinct columns
// with their counts. If the order of the columns is given, they are one run and occur once each.
// Otherwise each distinct column is a run of its own, with its weight. Tuples of more than one
// column (TUPLE_SIZE) are an error. file is the name in errors.
//
// Errors are as for ReadMAF.
func ReadSS(r io.Reader, file string) (*Alignment, error) { return Options{}.ReadSS(r, file) }

// ReadSS is ReadSS with the rules of o for dots.
func (o Options) ReadSS(r io.Reader, file string) (*Alignment, error) {
	s := ss{Options: o, a: new(Alignment), header: map[string]string{}, state: (*ss).head}
	line := func(line string) error {
		s.bytes += len(line) + 1
		if line = strings.TrimSpace(line); line == "" {
			return nil
		}
		return s.state(&s, line)
	}
	if err := readLines(r, file, line, s.end); err != nil {
		return nil, err
	}
	return s.a, nil
}

// ss is a reader of sufficient statistics.
type ss struct {
	Options
	a       *Alignment
	header  map[string]string
	state   func(*ss, string) error // the function for the next line
	tuples  [][]Cell
	order   []int32 // indices of tuples
	ordered bool
	bytes   int // of the text so far
}

// head reads a line such as "NSEQS = 4".
func (s *ss) head(line string) error {
	name, value, ok := strings.Cut(line, "=")
	if !ok {
		if other := formatOf(line); other != "" && len(s.header) == 0 {
			return fmt.Errorf("%w: the file is %s, want sufficient statistics of PHAST", ErrFormat, other)
		}
		if err := s.names(); err != nil {
			return err
		}
		s.state = (*ss).tuple
		return s.tuple(line)
	}
	s.header[strings.TrimSpace(name)] = strings.TrimSpace(value)
	return nil
}

// number returns a non-negative integer of the head.
func (s *ss) number(name string) (int, error) {
	n, err := strconv.Atoi(s.header[name])
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %s is %s, want a whole number", ErrFormat, name, text.Quote(s.header[name]))
	}
	return n, nil
}

// names creates the rows.
func (s *ss) names() error {
	n, err := s.number("NSEQS")
	if err != nil {
		return err
	}
	if size, ok := s.header["TUPLE_SIZE"]; ok && size != "1" {
		return fmt.Errorf("%w: TUPLE_SIZE is %.40s, the tuples of a model whose columns depend on their predecessors, want 1", ErrFormat, size)
	}
	seen := map[string]bool{}
	for _, name := range strings.Split(s.header["NAMES"], ",") {
		if name = strings.TrimSpace(name); name == "" || seen[name] {
			return fmt.Errorf("%w: %s in NAMES is empty or there twice", ErrFormat, text.Quote(name))
		}
		seen[name] = true
		s.a.Species = append(s.a.Species, name)
	}
	if len(seen) != n {
		return fmt.Errorf("%w: %d NAMES for %d sequences (NSEQS)", ErrFormat, len(seen), n)
	}
	s.a.Rows = make([][]Cell, n)
	return nil
}

// tuple reads a line such as "0 ACGT 12", or the line that begins the order.
func (s *ss) tuple(line string) error {
	if line == "TUPLE_IDX_ORDER:" {
		s.ordered, s.a.Weights, s.state = true, nil, (*ss).index
		return nil
	}
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[0] != strconv.Itoa(len(s.tuples)) {
		return fmt.Errorf("%w: %s, want column %d with its symbols and its number", ErrFormat, text.Quote(line), len(s.tuples))
	}
	if n := len(fields[1]); n != len(s.a.Species) {
		return fmt.Errorf("%w: column %d has %d symbols, want %d", ErrFormat, len(s.tuples), n, len(s.a.Species))
	}
	weight, err := strconv.ParseFloat(fields[2], 64)
	if err != nil || !(weight > 0) || math.IsInf(weight, 1) {
		return fmt.Errorf("%w: column %d occurs %s times, want a finite number > 0", ErrFormat, len(s.tuples), text.Quote(fields[2]))
	}
	column := make([]Cell, len(fields[1]))
	for i := range column {
		c, ok := s.cell(fields[1][i], i, column[0])
		if !ok {
			return s.unknown(fields[1][i], fmt.Sprintf(" of %s in column %d", text.Quote(s.a.Species[i]), len(s.tuples)))
		}
		column[i] = c
	}
	s.tuples = append(s.tuples, column)
	s.a.Weights = append(s.a.Weights, weight)
	return nil
}

// index reads the index of a column in the order.
func (s *ss) index(line string) error {
	i, err := strconv.Atoi(line)
	if err != nil || i < 0 || i >= len(s.tuples) {
		return fmt.Errorf("%w: column %s, want a number below %d", ErrFormat, text.Quote(line), len(s.tuples))
	}
	s.order = append(s.order, int32(i))
	return nil
}

func (s *ss) end() error {
	if len(s.tuples) == 0 {
		return fmt.Errorf("%w: no columns", ErrFormat)
	}
	if n, err := s.number("NTUPLES"); err != nil {
		return err
	} else if n != len(s.tuples) {
		return fmt.Errorf("%w: %d different columns, want %d (NTUPLES)", ErrFormat, len(s.tuples), n)
	}
	length, err := s.number("LENGTH")
	if err != nil {
		return err
	}
	if s.ordered {
		if n := len(s.order); n != length {
			return fmt.Errorf("%w: %d columns in order, want %d (LENGTH)", ErrFormat, n, length)
		}
	} else {
		for i := range s.tuples {
			s.order = append(s.order, int32(i))
			s.a.Starts = append(s.a.Starts, i)
		}
	}
	if len(s.order) == 0 {
		return fmt.Errorf("%w: an order of no columns (LENGTH = 0)", ErrFormat)
	}
	if err := checkCells(len(s.a.Rows), len(s.order), s.bytes); err != nil {
		return err
	}
	for row := range s.a.Rows {
		cells := make([]Cell, len(s.order))
		for column, i := range s.order {
			cells[column] = s.tuples[i][row]
		}
		s.a.Rows[row] = cells
	}
	return nil
}
