package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, cipher, spaces, lines           *string
	plot, heat, output                          *program.Output
	model                                       *program.Model
	keys, iterations, restarts, refine, workers *int
	seed                                        *uint64
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("decipher", "decipher reads a text in which every letter has been replaced by another, from\nnothing but the text and a knowledge of English: letter n-gram ∘ trained substitution.")
	e := &experiment{
		data:       p.Data("English " + format),
		test:       p.Test("It is enciphered and found again; without -test, an embedded one of 2,035 letters is. Lines: those of -data."),
		cipher:     p.Input("cipher", "decipher this `FILE`, whose key is not known, instead of enciphering one"),
		keys:       p.Count("keys", 1, 1, "encipher with `N` random keys, one after the other"),
		spaces:     p.Choice("spaces", "what to do with the spaces between words, which are not enciphered", string(keepSpaces), string(dropSpaces)),
		iterations: p.Iterations(30),
		restarts:   p.Restarts(31),
		lines:      p.Apply("A line is cipher text, enciphered like the text with the first key; its answer is the plain text. Capitals and what is no letter stay."),
		refine:     p.Count("refine", 4, 1, "go on with trigrams from the best `N` starts that lead to different keys"),
		seed:       p.Seed(),
		workers:    p.Workers(),
		plot:       p.Plot("the log likelihood, with the first key, after each iteration"),
		heat:       p.Figure("heat", "a heat map of what was learnt of the first key"),
		output:     p.Output("a paragraph as it was deciphered, with the first key"),
	}
	e.model = p.Model("data test cipher spaces keys iterations restarts refine seed plot heat", "apply")
	p.Check(func() error {
		if *e.cipher != "" && (*e.test != "" || *e.keys > 1) {
			return errors.New("-cipher is a text that is enciphered already, want neither -test nor -keys")
		}
		return nil
	})
	return p, e
}

// trial is one text that was deciphered.
type trial struct {
	*solution
	plain [][]int32 // as it was found
	// secret is the key, nil if it is not known.
	secret   *key
	accuracy float64 // NaN if the key is not known
	seconds  float64
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	if e.model.Loads() {
		k, err := program.Loaded(e.model, loadKey)
		if err != nil {
			return err
		}
		return e.apply(ctx, r, k)
	}
	english, err := spacing(*e.spaces).load(*e.data, englishText)
	if err != nil {
		return err
	}
	s, err := newSolver(english)
	if err != nil {
		return err
	}
	s.iterations, s.restarts, s.refine, s.workers = *e.iterations, *e.restarts, *e.refine, *e.workers
	trials, err := e.trials(ctx, r, s)
	if len(trials) > 0 {
		e.report(r, trials)
	}
	if err != nil {
		return err
	}
	if err := e.model.Save(trials[0].key.save); err != nil {
		return err
	}
	if err := e.draw(&trials[0]); err != nil {
		return err
	}
	if *e.lines != "" {
		return e.apply(ctx, r, trials[0].key)
	}
	return e.write(&trials[0])
}

// apply deciphers the lines of -apply.
func (e *experiment) apply(ctx context.Context, r *program.Run, k *key) error {
	return r.Stream(ctx, program.Stream{
		Bare:   true,
		Answer: func(_ context.Context, line string) ([]string, error) { return []string{k.line(line)}, nil },
	})
}

// trials deciphers the text with all keys. It returns what it has with an error.
func (e *experiment) trials(ctx context.Context, r *program.Run, s *solver) ([]trial, error) {
	name := *e.test
	if *e.cipher != "" {
		name = *e.cipher
	}
	given, err := spacing(*e.spaces).load(name, plainText)
	if err != nil {
		return nil, err
	}
	progress := r.Progress("training", *e.keys*(*e.restarts+1+*e.refine)**e.iterations)
	defer progress.Done()
	var all []trial
	for i := range *e.keys {
		t := trial{accuracy: math.NaN()}
		source := rand.NewPCG(*e.seed, uint64(i))
		cipher := given
		if *e.cipher == "" {
			t.secret = randomKey(rand.New(source))
			cipher = t.secret.apply(given)
		}
		began := time.Now()
		if t.solution, err = s.solve(ctx, cipher, source, func(v em.Event) {
			progress.Step(fmt.Sprintf("key %d, start %d: log likelihood %.3f", i+1, v.Start, v.Objective))
		}); err != nil {
			return all, err
		}
		t.seconds = time.Since(began).Seconds()
		t.plain = t.key.apply(cipher)
		if t.secret != nil {
			t.accuracy = accuracy(t.plain, given)
		}
		all = append(all, t)
	}
	return all, nil
}

// report prints the trials and sets the figures of the JSON object.
func (e *experiment) report(r *program.Run, trials []trial) {
	first := &trials[0]
	for _, s := range first.plain {
		fmt.Fprintf(r.Out, "%s\n\n", text(s))
	}
	sum, perKey := 0.0, make([]float64, len(trials))
	for i, t := range trials {
		perKey[i] = t.accuracy
		sum += t.accuracy
		fmt.Fprintf(r.Out, "key %d: ", i+1)
		if t.secret != nil {
			fmt.Fprintf(r.Out, "%.2f %% of letters right, ", 100*t.accuracy)
		}
		fmt.Fprintf(r.Out, "log likelihood %.1f by bigrams (start %d of %d), %.1f by trigrams, %.1f with a key, %.1f s\n",
			t.bigram.LogLikelihood, t.bigram.Start+1, len(t.bigram.Starts), t.trigram.LogLikelihood, t.logProb, t.seconds)
	}
	mean := sum / float64(len(trials))
	if first.secret != nil {
		fmt.Fprintf(r.Out, "%.2f %% of letters right over %d keys, %d restarts each\n", 100*mean, len(trials), *e.restarts)
	}
	r.Fitted(first.trigram.Result)
	r.Set("accuracy", mean)
	r.Set("accuracy_by_key", perKey)
	r.Set("restarts", *e.restarts)
	r.Set("loglik_bigram", first.bigram.LogLikelihood)
}

// draw draws the figures that are asked for.
func (e *experiment) draw(t *trial) error {
	if e.plot.Given() {
		if err := drawCurves(e.plot, t.solution); err != nil {
			return err
		}
	}
	if e.heat.Given() {
		return drawHeat(e.heat, t)
	}
	return nil
}

// write writes the text where that is asked for.
func (e *experiment) write(t *trial) error {
	return e.output.Write(func(w io.Writer) error {
		for _, s := range t.plain {
			if _, err := fmt.Fprintln(w, text(s)); err != nil {
				return err
			}
		}
		return nil
	})
}
