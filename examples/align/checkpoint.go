package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
)

// checkpoint is the state of training between two iterations. In a file it is one line
// of JSON, followed by the model.
type checkpoint struct {
	Train     string // the way to train
	Spelling  bool
	Sentences int // learned from
	Stage     int
	Done      int       // iterations of the stage
	Objective []float64 // of all iterations

	model *align.Model
}

// headLimit is the longest first line that is read, in bytes.
const headLimit = 1 << 20

// load sets c from the named file, if it exists. It must be of the same run.
func (c *checkpoint) load(name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewReaderSize(f, headLimit)
	head, err := b.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("checkpoint %s: no first line: %w", name, err)
	}
	var loaded checkpoint
	if err := json.Unmarshal(head, &loaded); err != nil {
		return fmt.Errorf("checkpoint %s: %w", name, err)
	}
	if loaded.Train != c.Train || loaded.Spelling != c.Spelling || loaded.Sentences != c.Sentences {
		return fmt.Errorf("checkpoint %s: of another run: %s training of %d sentences", name, loaded.Train, loaded.Sentences)
	}
	if loaded.Stage < 0 || loaded.Done < 0 {
		return fmt.Errorf("checkpoint %s: %d iterations of stage %d", name, loaded.Done, loaded.Stage)
	}
	if loaded.model, err = align.LoadModel(b); err != nil {
		return fmt.Errorf("checkpoint %s: %w", name, err)
	}
	*c = loaded
	return nil
}

// resume makes opts go on from c.
func (c *checkpoint) resume(opts *align.Options) error {
	if c.model == nil {
		return nil
	}
	if c.Stage >= len(opts.Stages) {
		return fmt.Errorf("checkpoint: stage %d of %d", c.Stage, len(opts.Stages))
	}
	opts.Start = c.model
	opts.Stages = opts.Stages[c.Stage:]
	first := &opts.Stages[0]
	first.Iterations = max(0, first.Iterations-c.Done)
	return nil
}

// save writes c to the named file.
func (c *checkpoint) save(name string) error {
	return program.WriteFile(name, func(w io.Writer) error {
		if err := json.NewEncoder(w).Encode(c); err != nil {
			return err
		}
		return c.model.Save(w)
	})
}

// train trains c's model. If a name is given, c goes on from that file if it exists,
// and is written to it after each iteration.
func (c *checkpoint) train(ctx context.Context, corpus *align.Corpus, opts *align.Options, name string, observe func(align.Progress)) error {
	if name != "" {
		if err := c.load(name); err != nil {
			return err
		}
	}
	if err := c.resume(opts); err != nil {
		return err
	}
	stage, before := c.Stage, c.Done
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	opts.Observer = func(p align.Progress) {
		c.Stage, c.Done, c.model = stage+p.Stage, p.Iteration+1, p.Model
		if p.Stage == 0 {
			c.Done += before
		}
		c.Objective = append(c.Objective, p.LogLikelihood[0]+p.LogLikelihood[1])
		observe(p)
		if name != "" {
			if err := c.save(name); err != nil {
				stop(err)
			}
		}
	}
	m, err := align.Train(ctx, corpus, opts)
	if err == nil || c.model != nil {
		c.model = m
	}
	return errors.Join(err, notCanceled(ctx))
}

// notCanceled returns why ctx was stopped if it was not by its parent.
func notCanceled(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && cause != ctx.Err() {
		return cause
	}
	return nil
}
