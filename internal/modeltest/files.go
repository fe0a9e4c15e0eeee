package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/spoiled"
)

// saved returns the file of a model.
func (m *Model[M, X]) saved(model M) ([]byte, error) {
	var b bytes.Buffer
	err := m.Save(model, &b)
	return b.Bytes(), err
}

// roundTrip checks that a saved and loaded model gives the same answers, to the bit, and is
// saved as the same file.
func roundTrip[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	file, err := m.saved(model)
	if err != nil {
		return err
	}
	loaded, err := m.Load(bytes.NewReader(file))
	if err != nil {
		return err
	}
	again, err := m.saved(loaded)
	if err != nil {
		return err
	}
	if m.Rounding == 0 && !bytes.Equal(again, file) {
		return fmt.Errorf("saved again it is\n%s\nbut was\n%s", again, file)
	}
	for range 5 {
		x := m.Example(rng, model)
		if err := m.ask(model, x).differ(m.ask(loaded, x), m.Rounding); err != nil {
			return fmt.Errorf("loaded, about %v: %w", x, err)
		}
	}
	return nil
}

// truncated checks that a truncated file is an error.
func truncated[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	file, err := m.saved(m.New(rng))
	if err != nil {
		return err
	}
	whole := len(bytes.TrimRight(file, "\n"))
	for n := 0; n < whole; n += 1 + whole/manyLengths {
		_, err := m.Load(bytes.NewReader(file[:n]))
		if err := badFormat(err); err != nil {
			return fmt.Errorf("the first %d bytes of %d: %w", n, len(file), err)
		}
	}
	return nil
}

// manyLengths bounds the number of lengths of truncated files.
const manyLengths = 500

// badFormat returns an error unless err contains ErrFormat exactly once.
func badFormat(err error) error {
	if !errors.Is(err, nested.ErrFormat) || strings.Count(err.Error(), nested.ErrFormat.Error()) > 1 {
		return fmt.Errorf("error %w, want ErrFormat, said once", orNone(err))
	}
	return nil
}

// damaged checks that a changed file is an error, or contains a model that can be saved and
// answers all queries.
func damaged[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	file, err := m.saved(model)
	if err != nil {
		return err
	}
	x := m.Example(rng, model)
	for _, file := range append([][]byte{file}, m.Older...) {
		if _, err := m.Load(bytes.NewReader(file)); err != nil {
			return err
		}
		for what, changed := range changes(file, rng) {
			if err := m.sound(changed, x); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
	}
	return nil
}

// changedFields is like damaged, for changes of the fields of a file; some of these are valid
// models.
func changedFields[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	model := m.New(rng)
	x, loaded := m.Example(rng, model), 0
	fields, write := m.Fields(model)
	for what := range spoiled.Fields(fields) {
		file, err := write()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if err := m.sound(file, x); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if _, err := m.Load(bytes.NewReader(file)); err == nil {
			loaded++
		}
	}
	if loaded < fewModels {
		return fmt.Errorf("%d models of changed fields were loaded, want at least %d", loaded, fewModels)
	}
	return nil
}

// fewModels is the least number of changes that produce another model.
const fewModels = 10

// manyPlaces is the length in bytes of a JSON file above which only some of its values are
// changed, the fewer the longer it is.
const manyPlaces = 2000

// changes yields random changes of a file, and changes of each value of a JSON file that is not
// long.
func changes(file []byte, rng *rand.Rand) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for what, changed := range spoiled.Bytes(file, 400, rng) {
			if !yield(what, changed) {
				return
			}
		}
		if !json.Valid(file) {
			return
		}
		for what, changed := range spoiled.JSON(file) {
			if rng.IntN(len(file)) < manyPlaces*manyPlaces/len(file) && !yield(what, changed) {
				return
			}
		}
	}
}

// sumTolerance bounds ln of a probability: the probabilities of a group may sum to 1 ± 1e-6.
const sumTolerance = 1e-5

// sound returns an error unless loading a file returns an error or a valid model.
func (m *Model[M, X]) sound(file []byte, x X) error {
	model, err := m.Load(bytes.NewReader(file))
	if err != nil {
		return badFormat(err)
	}
	again, err := m.saved(model)
	if err != nil {
		return fmt.Errorf("saved again: %w", err)
	}
	if _, err := m.Load(bytes.NewReader(again)); err != nil {
		return fmt.Errorf("loaded again: %w", err)
	}
	a := m.ask(model, x)
	for _, err := range []error{a.logErr, a.postErr, a.bestErr} {
		if err != nil && !m.refusal(err) {
			return fmt.Errorf("%v: %w", x, err)
		}
	}
	if math.IsNaN(a.log) || math.IsNaN(a.bestLog) || !m.Unbounded && max(a.log, a.bestLog) > sumTolerance {
		return fmt.Errorf("ln P(%v) is %g, of the best %g", x, a.log, a.bestLog)
	}
	for k, p := range a.posteriors {
		if !(p >= 0) || math.IsInf(p, 1) {
			return fmt.Errorf("posterior %d of %v is %g", k, x, p)
		}
	}
	if m.Others != nil {
		return m.Others(model, x)
	}
	return nil
}

// refusal reports whether an error is an allowed answer.
func (m *Model[M, X]) refusal(err error) bool {
	for _, target := range append([]error{em.ErrUnderivable, em.ErrInvalid}, m.Refuses...) {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
