package pairgram

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/saved"
)

// perByte bounds what is allocated for a byte of a file, of the tables of a predictor too,
// beside what is read ahead of each of three values at most.
const perByte = 1000

// damaged adds the file and copies of it in which a bit is another.
func damaged(f *testing.F, rng *rand.Rand, file []byte) {
	f.Add(file)
	for range 30 {
		text := bytes.Clone(file)
		text[rng.IntN(len(text))] ^= byte(1 << rng.IntN(8))
		f.Add(text)
	}
}

// FuzzLoad: a file is refused, or its model decodes and can be saved.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 8))
		var b bytes.Buffer
		if err := randomModel(f, rng, inventories[seed], seed%2 == 1).Save(&b); err != nil {
			f.Fatal(err)
		}
		damaged(f, rng, b.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var m *Model
		var err error
		memtest.Bound(t, len(file)+3*saved.Ahead/perByte, perByte, func() { m, err = Load(bytes.NewReader(file)) })
		if err != nil {
			return
		}
		if d, err := m.Predictor(nil); err == nil {
			d.LogProb([]int32{1, 2}, []int32{1})
			d.Best(t.Context(), []int32{1, 2, 1}, 3)
		}
		if err := m.Save(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzLoadConditional: the same for a model and that of its predictor.
func FuzzLoadConditional(f *testing.F) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 10))
		c := randomConditional(f, rng, seed)
		var b bytes.Buffer
		if err := c.Save(&b); err != nil {
			f.Fatal(err)
		}
		damaged(f, rng, b.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var c *Conditional
		var err error
		memtest.Bound(t, len(file)+3*saved.Ahead/perByte, perByte, func() { c, err = LoadConditional(bytes.NewReader(file)) })
		if err != nil {
			return
		}
		c.Best(t.Context(), []int32{1, 2, 1}, 3)
		if err := c.Save(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}
