package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/english"
	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, test, cipher, spaces            *string
	iterations, restarts, refine, workers *int
	seed                                  *uint64
	output                                *program.Output
}

func newProgram() *program.Program {
	p := program.New("decipher", "decipher reads a text in which every letter has been replaced by another.",
		"go run ./examples/decipher",
		"go run ./examples/decipher -cipher secret.txt -o plain.txt -save key.json")
	f := &flags{
		data:       p.Data("English " + format),
		test:       p.Input("test", "encipher the text in `FILE` with a random key, in place of an embedded text of 2,035 letters, and find the key; lines: as for -data"),
		cipher:     p.Input("cipher", "decipher `FILE`, a cipher text with an unknown key"),
		spaces:     p.Choice("spaces", "whether to keep or drop the spaces between words, which are not enciphered", string(keepSpaces), string(dropSpaces)),
		iterations: p.Iterations(30),
		restarts:   p.Restarts(31),
		refine:     p.Count("refine", 4, 1, "go on with trigrams from the best `N` starts that lead to different keys"),
		seed:       p.Seed(),
		workers:    p.Workers(),
		output:     p.Output("a paragraph as it was deciphered"),
	}
	p.About(program.AboutData, "spaces")
	p.About(program.AboutTraining, "refine")
	p.Check(func() error {
		if *f.cipher != "" && *f.test != "" {
			return errors.New("-cipher is a text that is enciphered already, want no -test")
		}
		return nil
	})
	program.Define(p, program.Task[*secret, *solver]{
		Read: f.read, New: f.newSolver, Fit: f.fit, Save: (*solver).save, Load: load, Score: f.score,
		Answer: func(_ context.Context, s *solver, line string, _ int) ([]string, error) {
			return []string{s.key.line(line)}, nil
		},
		Line: "A line is cipher text; its answer is the plain text. Capitals and other characters than letters stay.",
		Bare: true,
	})
	return p
}

// secret has a cipher text, and English text for the n-grams.
type secret struct {
	english, cipher [][]int32
	plain           [][]int32 // nil if unknown
}

// read reads the English text, and reads or makes the cipher text.
func (f *flags) read(context.Context, *program.Run) (*secret, error) {
	english, err := spacing(*f.spaces).load(*f.data, english.Text)
	if err != nil {
		return nil, err
	}
	if *f.cipher != "" {
		cipher, err := spacing(*f.spaces).load(*f.cipher, "")
		return &secret{english: english, cipher: cipher}, err
	}
	plain, err := spacing(*f.spaces).load(*f.test, plainText)
	if err != nil {
		return nil, err
	}
	k := randomKey(rand.New(rand.NewPCG(*f.seed, 0)))
	return &secret{english, k.apply(plain), plain}, nil
}

func (f *flags) newSolver(d *secret) (*solver, error) {
	s, err := newSolver(d.english)
	if err == nil {
		s.iterations, s.restarts, s.refine, s.workers = *f.iterations, *f.restarts, *f.refine, *f.workers
	}
	return s, err
}

// fit finds the key. Its progress shows the beginning of the text as currently deciphered.
func (f *flags) fit(ctx context.Context, r *program.Run, s *solver, d *secret) error {
	begin := text(d.cipher[0])
	fmt.Fprintf(r.Out, "What does this mean? %s …\n\n", begin[:min(len(begin), shown)])
	progress := r.Progress("training", (*f.restarts+1+*f.refine)**f.iterations)
	defer progress.Done()
	err := s.solve(ctx, d.cipher, rand.NewPCG(*f.seed, 1), func(v em.Event, read string) {
		progress.Iteration(v, read)
	})
	if err != nil {
		return err
	}
	r.Fitted(s.trigram.Result)
	return nil
}

// score prints the deciphered text, and its accuracy if the plain text is known.
func (f *flags) score(_ context.Context, r *program.Run, s *solver, d *secret) error {
	plain := s.key.apply(d.cipher)
	for _, paragraph := range plain {
		program.WriteText(r.Out, "", text(paragraph))
		fmt.Fprintln(r.Out)
	}
	right := math.NaN()
	if d.plain != nil {
		right = accuracy(plain, d.plain)
		fmt.Fprintf(r.Out, "%.2f %% of letters right, ", 100*right)
	}
	fmt.Fprintf(r.Out, "log likelihood %.1f by bigrams (start %d of %d), %.1f by trigrams, %.1f with a key\n",
		s.bigram.LogLikelihood, s.bigram.Start+1, len(s.bigram.Starts), s.trigram.LogLikelihood, s.logProb)
	r.Set("accuracy", right)
	r.Set("restarts", *f.restarts)
	return f.output.Write(func(w io.Writer) error {
		for _, paragraph := range plain {
			if _, err := fmt.Fprintln(w, text(paragraph)); err != nil {
				return err
			}
		}
		return nil
	})
}
