package main

import (
	"bufio"
	"os"
	"path/filepath"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// task is one line of the table; tasks.cc uses the same name.
type task struct {
	name, what string
	prepare    func(dir string) (run, error)
}

// run does a task; the function that it returns computes the answer from the result.
type run func() (result func() ([]float64, error), err error)

var tasks = []task{
	{"compose", "edits ∘ trie, 13.7 million arcs", composition},
	{"correct-eager", "40 words ∘ 2 edits ∘ trie, best path", few},
	{"correct-lazy", "40 words ∘ edits ∘ trie, best first", all},
	{"look-ahead", "lexicon ∘ grammar, LookAhead", transcription},
	{"minimize", "Determinize, Minimize 50,000 words", minimization("words.standard")},
	{"minimize-weighted", "the same with a cost per word", minimization("wwords.standard")},
	{"epsilon-dag", "RemoveEpsilon, acyclic, Tropical", removal("eps_dag.standard", costs)},
	{"epsilon-dag-log", "RemoveEpsilon, acyclic, Log", removal("eps_dag.log", logs)},
	{"epsilon-cyclic", "RemoveEpsilon, cyclic, Tropical", removal("eps_cyc.standard", costs)},
	{"epsilon-cyclic-log", "RemoveEpsilon, cyclic, Log", removal("eps_cyc.log", logs)},
	{"paths", "ShortestPaths, 100 of a million arcs", paths},
}

var logs = semiring.Log{}

func read[W any](dir, name string, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	return fstio.ReadBinaryFile(filepath.Join(dir, name), ring)
}

// size is the answer of the tasks that make a machine.
func size[W any](f *fst.FST[W]) func() ([]float64, error) {
	return func() ([]float64, error) { return []float64{float64(f.NumStates()), float64(f.NumArcs())}, nil }
}

// spent is the answer of the tasks that find the 100 best paths.
func spent(paths *fst.FST[semiring.Cost]) []float64 {
	sum := 0.0
	for p := range paths.Paths() {
		sum += float64(p.Weight)
	}
	return []float64{sum}
}

func composition(dir string) (run, error) {
	l, err := readLexicon(dir)
	return func() (func() ([]float64, error), error) {
		f, err := fst.Expand(fst.Compose(l.edits, l.trie), nil)
		return size(f), err
	}, err
}

// transcription is lexicon ∘ grammar: in each of 500 states it takes 20 of 50,000 words.
// OpenFst's look-ahead also pushes labels, so sizes differ, and rounds the weights that it
// pushes; tasks.cc reverses this.
func transcription(dir string) (run, error) {
	lexicon, err := read(dir, "lexicon.standard", costs)
	if err != nil {
		return nil, err
	}
	ahead := fst.LookAhead(lexicon, fst.Output)
	grammar, err := read(dir, "grammar.standard", costs)
	return func() (func() ([]float64, error), error) {
		f, err := fst.Connect(fst.Compose(ahead, grammar), nil)
		if err != nil {
			return nil, err
		}
		return func() ([]float64, error) {
			best, err := fst.ShortestPaths(f, 100, nil)
			if err != nil {
				return nil, err
			}
			return spent(best), nil
		}, nil
	}, err
}

func minimization(name string) func(dir string) (run, error) {
	return func(dir string) (run, error) {
		f, err := read(dir, name, costs)
		return func() (func() ([]float64, error), error) {
			d, err := fst.Minimize(fst.Determinize(f, nil), nil)
			return size(d), err
		}, err
	}
}

func removal[W any](name string, ring semiring.Semiring[W]) func(dir string) (run, error) {
	return func(dir string) (run, error) {
		f, err := read(dir, name, ring)
		return func() (func() ([]float64, error), error) {
			g, err := fst.Expand(fst.RemoveEpsilon(f), nil)
			return size(g), err
		}, err
	}
}

func paths(dir string) (run, error) {
	f, err := read(dir, "lattice.standard", costs)
	return func() (func() ([]float64, error), error) {
		tree, err := fst.ShortestPaths(f, 100, nil)
		return func() ([]float64, error) { return spent(tree), nil }, err
	}, err
}

// lexicon has the data for the correction of noisy words.
type lexicon struct {
	words       [][]int32
	edits, trie *fst.FST[semiring.Cost]
}

func readLexicon(dir string) (*lexicon, error) {
	l := new(lexicon)
	file, err := os.Open(filepath.Join(dir, "noisy.txt"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan() && len(l.words) < 40; {
		var w []int32
		for _, c := range lines.Text() {
			w = append(w, c-'a'+1)
		}
		l.words = append(l.words, w)
	}
	if l.edits, err = read(dir, "edit.standard", costs); err != nil {
		return nil, err
	}
	l.trie, err = read(dir, "trie.standard", costs)
	return l, err
}
