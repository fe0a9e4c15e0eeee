package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, plot, geometry       *string
	iterations, beam, exact, workers *int
	seed                             *uint64
	sizes                            sizes
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("counts", "counts learns to tag words from counts of tags in regions of sentences.")
	e := &experiment{
		data:       p.Data(format),
		test:       p.Test("Lines: those of -data. Without -test, every sixth sentence is held out."),
		iterations: p.Iterations(4),
		seed:       p.Seed(),
		workers:    p.Workers(),
		plot:       p.Plot("the accuracy by pass of EM"),
		beam:       p.Flags.Int("beam", 500, "keep `N` states of the beam"),
		exact:      p.Flags.Int("exact", 4, "sum exactly for regions of at most `N` words"),
		geometry:   p.Flags.String("geometry", "", "draw the two steps of a moment estimate among three values in `FILE`, .svg or .png"),
		sizes:      sizes{1, 2, 4, 8},
	}
	p.Flags.Var(&e.sizes, "sizes", "try regions of the `SIZES`, separated by commas")
	return p, e
}

// sizes is a flag.
type sizes []int

func (s *sizes) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*s)), " ", ","), "[]")
}

func (s *sizes) Set(text string) error {
	*s = nil
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no size", field)
		}
		*s = append(*s, n)
	}
	return nil
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	if *e.beam < 1 {
		return fmt.Errorf("-beam %d: want at least 1", *e.beam)
	}
	c, err := load(*e.data, *e.test, rand.New(rand.NewPCG(*e.seed, 0)))
	if err != nil {
		return err
	}
	r.Set("sentences", len(c.train.word))
	r.Set("test_sentences", len(c.test.word))
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to be tested with; %d words, %d tags\n",
		len(c.train.word), len(c.test.word), len(c.words), len(c.tags))
	if *e.geometry != "" {
		if err := drawGeometry(ctx, *e.geometry); err != nil {
			return err
		}
	}
	progress := r.Progress("regions", len(e.sizes)*(3+2*(*e.iterations)))
	defer progress.Done()
	results, err := c.supervised(ctx)
	for _, size := range e.sizes {
		if err != nil {
			break
		}
		t := &trial{corpus: c, flags: e, size: size, step: progress.Step}
		err = t.run(ctx)
		results = append(results, t.results...)
	}
	printResults(r, results)
	r.Set("results", results)
	if err == nil && *e.plot != "" {
		err = drawPasses(*e.plot, results)
	}
	return err
}

// result is the accuracy of a method, after a pass of EM or by itself.
type result struct {
	Size    int     `json:"size"` // 0: all tags were known
	Method  string  `json:"method"`
	Pass    int     `json:"pass"` // 0: the method has none
	Train   float64 `json:"train_accuracy"`
	Test    float64 `json:"test_accuracy"`
	Seconds float64 `json:"seconds"`
	Skipped int     `json:"skipped"`
}

func printResults(r *program.Run, results []result) {
	fmt.Fprintf(r.Out, "\n%6s  %-26s %4s  %6s  %6s  %8s\n", "region", "method", "pass", "train", "test", "seconds")
	for _, x := range results {
		size, pass := "all", ""
		if x.Size > 0 {
			size = strconv.Itoa(x.Size)
		}
		if x.Pass > 0 {
			pass = strconv.Itoa(x.Pass)
		}
		fmt.Fprintf(r.Out, "%6s  %-26s %4s  %6.2f  %6.2f  %8.2f\n", size, x.Method, pass, 100*x.Train, 100*x.Test, x.Seconds)
	}
}
