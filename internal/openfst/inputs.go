package main

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

var costs = semiring.Tropical{}

// prepare makes the files that the tasks read.
func prepare(dir, inputs string) error {
	for _, in := range []struct {
		text, binary string
		form         fstio.Form
		arcs         fstio.ArcType
	}{
		{"edit.fst.txt", "edit.standard", fstio.Transducer, fstio.Standard},
		{"trie.fsa.txt", "trie.standard", fstio.Acceptor, fstio.Standard},
		{"words.fsa.txt", "words.standard", fstio.Acceptor, fstio.Standard},
		{"wwords.fsa.txt", "wwords.standard", fstio.Acceptor, fstio.Standard},
		{"lattice.fsa.txt", "lattice.standard", fstio.Acceptor, fstio.Standard},
		{"eps_dag.fsa.txt", "eps_dag.standard", fstio.Acceptor, fstio.Standard},
		{"eps_dag.fsa.txt", "eps_dag.log", fstio.Acceptor, fstio.Log},
		{"eps_cyc.fsa.txt", "eps_cyc.standard", fstio.Acceptor, fstio.Standard},
		{"eps_cyc.fsa.txt", "eps_cyc.log", fstio.Acceptor, fstio.Log},
		{"loop.fst.txt", "lexicon.standard", fstio.Transducer, fstio.Standard},
	} {
		f, err := fstio.ReadTextFile(filepath.Join(inputs, in.text), costs, &fstio.Options{Form: in.form})
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, in.binary), f, in.arcs); err != nil {
			return err
		}
	}
	noisy, err := os.ReadFile(filepath.Join(inputs, "noisy.txt"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "noisy.txt"), noisy, 0o600); err != nil {
		return err
	}
	f, err := grammar(500, 50_000)
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "grammar.standard"), f, fstio.Standard)
}

// grammar returns a random acceptor of words with twenty words per state. Its costs are whole
// eighths, so that the rounding of OpenFst's look-ahead can be distinguished from an error.
func grammar(states, words int32) (*fst.FST[semiring.Cost], error) {
	r := rand.New(rand.NewPCG(1, 2))
	b := fst.NewBuilder(costs)
	b.AddStates(int(states))
	b.AddStart(0, 0)
	for s := range states {
		for range 20 {
			w := 1 + r.Int32N(words)
			b.AddArc(s, fst.Arc[semiring.Cost]{In: w, Out: w, To: r.Int32N(states), Weight: semiring.Cost(r.IntN(64)) / 8})
		}
		b.SetFinal(s, semiring.Cost(r.IntN(64))/8)
	}
	return b.Freeze()
}

func write(name string, f *fst.FST[semiring.Cost], arcs fstio.ArcType) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	err = fstio.WriteBinary(w, f, &fstio.Binary{Arc: arcs})
	if err == nil {
		err = w.Flush()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}
