package align

// machine is a model of both directions at fixed parameters, ready for inference. It is
// shared by goroutines.
type machine struct {
	lexicon      *lexicon
	translations []float64    // two per slot
	null         [2][]float64 // per word seen
	classes      [2][]int32   // of the words of E, of F; nil: one class
	rare         [2]int32     // of words that are unknown
	floor        float64
	step         EStep
	positions    [2]positions
}

// potentials are what the directions are run with in place of the probabilities of pairs.
type potentials interface {
	// gather sets dst to those of direction d, given the slots of the pairs of a sentence.
	gather(dst []float64, slots []int32, d int)
}

// aligner makes inference in one direction, sentence after sentence; it belongs to one
// goroutine.
type aligner struct {
	direction int
	view
	scratch    *scratch
	class      [2][]int32 // storage
	potentials []float64  // E×F
}

func newAligner(direction int, counts bool) *aligner {
	return &aligner{direction: direction, scratch: newScratch(counts)}
}

// visit finds the posteriors of a sentence, given its potentials, the slots of its pairs and its
// words, and returns the path sum and the number of arcs.
func (a *aligner) visit(m *machine, from potentials, slots []int32, words [2][]int32) (weight, int, error) {
	a.potentials = resized(a.potentials, len(slots))
	from.gather(a.potentials, slots, a.direction)
	hidden, seen := words[a.direction], words[1-a.direction]
	p := m.positions[a.direction]
	a.resize(p, len(hidden), len(seen))
	a.view.class, a.view.classSeen = a.classes(m, a.direction, hidden), a.classes(m, 1-a.direction, seen)
	a.emissions(a.potentials, a.direction)
	for j, w := range seen {
		a.null[j] = m.floor
		if w >= 0 {
			a.null[j] = m.null[a.direction][w]
		}
	}
	return p.visit(&a.view, a.scratch)
}

// classes returns the classes of the words of one side of a sentence, nil for one class.
func (a *aligner) classes(m *machine, side int, words []int32) []int32 {
	of := m.classes[side]
	if of == nil {
		return nil
	}
	a.class[side] = classesOf(a.class[side][:0], of, m.rare[side], words)
	return a.class[side]
}

// gather takes probabilities from the lexicon and, in a Joint E step, their products; pairs that are not in the lexicon have the probability floor.
func (m *machine) gather(dst []float64, slots []int32, d int) {
	dst = dst[:len(slots)]
	t := m.translations
	joint, unseen := m.step == Joint, m.floor
	if joint {
		unseen *= m.floor
	}
	for n, slot := range slots {
		dst[n] = unseen
		if slot < 0 {
			continue
		}
		dst[n] = t[2*int(slot)+d]
		if joint {
			dst[n] *= t[2*int(slot)+1-d]
		}
	}
}
