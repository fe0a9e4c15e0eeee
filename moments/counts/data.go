package counts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/moments"
)

// Annotation contains counts of labels in a region of a sequence.
type Annotation struct {
	// Sequence is the number of the sequence; the region is [Lo, Hi).
	Sequence, Lo, Hi int
	// Labels are the counted labels, without duplicates, and Counts[i] is the number of positions
	// with the label Labels[i].
	Labels, Counts []int
}

// Data are sequences of symbols with annotations. They are safe for concurrent use.
type Data struct {
	symbols, labels int
	sequences       [][]int
	annotations     []Annotation

	regions // the same as a linear system
}

// New returns data over the given numbers of symbols and labels, both of them numbered from 0. Data
// keeps the slices. The error wraps moments.ErrInvalid and contains the index of the first invalid
// annotation:
//
//	a region that is empty or not in its sequence
//	a label that does not exist or is counted twice
//	a count that is negative or greater than the region
//	counts whose sum exceeds the region's length, or falls short if all labels were counted
func New(symbols, labels int, sequences [][]int, annotations []Annotation) (*Data, error) {
	bad := func(format string, args ...any) (*Data, error) {
		return nil, nested.Errorf("counts: %w: "+format, append([]any{moments.ErrInvalid}, args...)...)
	}
	if symbols <= 0 || labels <= 0 || len(annotations) == 0 || int64(symbols)*int64(labels) > math.MaxInt32 {
		return bad("%d symbols, %d labels and %d annotations", symbols, labels, len(annotations))
	}
	for i, s := range sequences {
		for j, a := range s {
			if a < 0 || a >= symbols {
				return bad("symbol %d at position %d of sequence %d, want one of %d", a, j, i, symbols)
			}
		}
	}
	for i, a := range annotations {
		if a.Sequence < 0 || a.Sequence >= len(sequences) {
			return bad("annotation %d of sequence %d, want one of %d", i, a.Sequence, len(sequences))
		}
		if n := len(sequences[a.Sequence]); a.Lo < 0 || a.Lo >= a.Hi || a.Hi > n {
			return bad("annotation %d: region [%d, %d) of a sequence of length %d", i, a.Lo, a.Hi, n)
		}
		if err := a.check(labels); err != nil {
			return bad("annotation %d: %v", i, err)
		}
	}
	d := &Data{symbols: symbols, labels: labels, sequences: sequences, annotations: annotations}
	d.regions = d.newRegions()
	return d, nil
}

// check returns an error for invalid counts.
func (a *Annotation) check(labels int) error {
	if len(a.Labels) != len(a.Counts) || len(a.Labels) == 0 {
		return fmt.Errorf("%d counts of %d labels", len(a.Counts), len(a.Labels))
	}
	sum, width := 0, a.Hi-a.Lo
	for k, b := range a.Labels {
		n := a.Counts[k]
		switch {
		case b < 0 || b >= labels:
			return fmt.Errorf("label %d, want one of %d", b, labels)
		case slices.Contains(a.Labels[:k], b):
			return fmt.Errorf("label %d is counted twice", b)
		case n < 0 || n > width:
			return fmt.Errorf("label %d occurs %d times in %d positions", b, n, width)
		}
		sum += n
	}
	if sum > width || sum < width && len(a.Labels) == labels {
		return fmt.Errorf("counts sum to %d in %d positions", sum, width)
	}
	return nil
}

// region returns the symbols of the region of a.
func (d *Data) region(a *Annotation) []int { return d.sequences[a.Sequence][a.Lo:a.Hi] }

// Simulate returns a simulated annotation for each sequence of labels that is not empty, in which
// all labels are counted. The region has the given width, or the length of a shorter sequence, and
// a uniform position drawn from src. It panics if width is not positive or a label is out of range.
func Simulate(sequences [][]int, labels, width int, src rand.Source) []Annotation {
	return SimulateSubsets(sequences, labels, width, labels, src)
}

// SimulateSubsets is like Simulate for annotators who count only some labels: each counts a set of
// the given size, drawn uniformly from src, in ascending order. Then a region is less informative,
// but less work for an annotator. It panics like Simulate, and unless size is in [1, labels].
func SimulateSubsets(sequences [][]int, labels, width, size int, src rand.Source) []Annotation {
	if width <= 0 {
		panic("counts: Simulate: a positive width is wanted")
	}
	if size < 1 || size > labels {
		panic(fmt.Sprintf("counts: SimulateSubsets: %d labels to count, want 1 to %d", size, labels))
	}
	all := make([]int, labels)
	for b := range all {
		all[b] = b
	}
	rng := rand.New(src)
	count := make([]int, labels)
	var annotations []Annotation
	for i, s := range sequences {
		if len(s) == 0 {
			continue
		}
		lo := rng.IntN(max(1, len(s)-width+1))
		a := Annotation{Sequence: i, Lo: lo, Hi: min(len(s), lo+width), Labels: all, Counts: make([]int, size)}
		if size < labels {
			a.Labels = rng.Perm(labels)[:size]
			slices.Sort(a.Labels)
		}
		clear(count)
		for _, b := range s[a.Lo:a.Hi] {
			count[b]++
		}
		for k, b := range a.Labels {
			a.Counts[k] = count[b]
		}
		annotations = append(annotations, a)
	}
	return annotations
}
