package align

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/checkpoint"
)

const checkpointFormat checkpoint.Format = "pathsum align checkpoint 2"

// state is what a checkpoint holds.
type state struct {
	At    progress
	Model []byte // as Save writes it
}

// load goes on from the checkpoint file, if there is one.
func (t *trainer) load() error {
	var err error
	if t.identity, err = t.fingerprint(); err != nil {
		return err
	}
	var s state
	found, err := checkpointFormat.Load(t.opts.Checkpoint, t.identity, &s)
	if found && err == nil {
		err = t.restore(&s)
	}
	if errors.As(err, new(*fs.PathError)) {
		return fmt.Errorf("align: %w", err)
	}
	if err != nil {
		return fmt.Errorf("align: %w: %s: %w", em.ErrCheckpoint, t.opts.Checkpoint, err)
	}
	return nil
}

func (t *trainer) restore(s *state) error {
	m, err := Load(bytes.NewReader(s.Model))
	if err != nil {
		return err
	}
	t.at = s.At
	return t.model.goOnFrom(m)
}

// save writes the checkpoint file.
func (t *trainer) save() error {
	var b bytes.Buffer
	err := t.model.Save(&b)
	if err == nil {
		err = checkpointFormat.Save(t.opts.Checkpoint, t.identity, state{t.at, b.Bytes()})
	}
	if err != nil {
		return fmt.Errorf("align: checkpoint: %w", err)
	}
	return nil
}

// fingerprint identifies what the run's result depends on, apart from the number of
// iterations of the last stage, which a resumed run may change.
func (t *trainer) fingerprint() (string, error) {
	h := sha256.New()
	o, m := t.opts, t.model
	for n, s := range o.Stages {
		if n+1 == len(o.Stages) {
			s.Iterations = 0
		}
		fmt.Fprintf(h, "%+v\n", s)
	}
	j := m.jumps[ef]
	fmt.Fprintf(h, "%+v %g %g %d %d %g %d\n", m.decode, m.floor, m.null, j.reach, o.Jumps, j.uniform, j.classes)
	fmt.Fprintf(h, "%T %+v %g\n", t.prior.law, t.prior.law, t.prior.strength)
	binary.Write(h, binary.LittleEndian, t.prior.pair)
	for side := range t.corpus.text {
		fmt.Fprintf(h, "%q\n", t.corpus.words[side].words)
		binary.Write(h, binary.LittleEndian, t.corpus.text[side].words)
		if s := t.prior.stems; s != nil {
			binary.Write(h, binary.LittleEndian, s.of[side])
		}
		for n := range t.corpus.Len() {
			fmt.Fprintln(h, len(t.corpus.text[side].sentence(n)))
		}
	}
	if !m.untrained {
		if err := m.Save(h); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fits returns an error if m is not a model of the words of c and of the pairs of l.
func (m *Model) fits(c *Corpus, l *lexicon) error {
	for side := range m.words {
		if m.words[side] != c.words[side] && !slices.Equal(m.words[side].words, c.words[side].words) {
			return fmt.Errorf("a model of other words of the %s", sideNames[side])
		}
	}
	return m.lexicon.fits(l)
}

func (l *lexicon) fits(m *lexicon) error {
	if !slices.Equal(l.row, m.row) || !slices.Equal(l.col, m.col) {
		return errors.New("a model of other sentences")
	}
	return nil
}

// goOnFrom copies the parameters of start to m. Both must be of the same kind in everything
// but the stage.
func (m *Model) goOnFrom(start *Model) error {
	for d := range m.words {
		if !slices.Equal(m.words[d].words, start.words[d].words) {
			return fmt.Errorf("a model of other words of the %s", sideNames[d])
		}
		if j, s := m.jumps[d], start.jumps[d]; j.reach != s.reach || j.classes != s.classes {
			return fmt.Errorf("a model with reach %d and %d classes, want %d and %d", s.reach, s.classes, j.reach, j.classes)
		}
	}
	l, s := m.lexicon, start.lexicon
	if err := l.fits(s); err != nil {
		return err
	}
	copy(l.t, s.t)
	m.kind, m.classes = start.kind, start.classes
	for d := range m.words {
		copy(l.null[d], s.null[d])
		copy(m.jumps[d].p, start.jumps[d].p)
		if start.where[d] != nil {
			w := *start.where[d]
			w.p = slices.Clone(w.p)
			m.where[d] = &w
		}
	}
	return nil
}
