package em

import "fmt"

// weightSums adds up the weights of examples shard by shard, although how they are cut
// shows only when all have been seen. It remembers a few of them one by one; of more than
// these a shard always has shardMax, as in NewCut.
type weightSums struct {
	examples int
	few      []float64 // of the first shardsWanted · shardMax
	sums     []float64 // of shardMax each
}

func (w *weightSums) add(weight float64) {
	if w.examples < shardsWanted*shardMax {
		w.few = append(w.few, weight)
	}
	if w.examples%shardMax == 0 {
		w.sums = append(w.sums, 0)
	}
	w.sums[len(w.sums)-1] += weight
	w.examples++
}

// perShard returns the sums for the shards of NewCut.
func (w *weightSums) perShard() []float64 {
	if w.examples > shardsWanted*shardMax {
		return w.sums
	}
	cut := NewCut(w.examples)
	sums := make([]float64, cut.Shards())
	for i := range sums {
		lo, hi := cut.Shard(i)
		sums[i] = sum(w.few[lo:hi])
	}
	return sums
}

// check returns what is wrong with the weights as a whole, each being finite and ≥ 0: nil
// for nothing.
func (w *weightSums) check() error {
	for _, x := range w.sums {
		if x > 0 {
			return nil
		}
	}
	if w.examples == 0 {
		return fmt.Errorf("em: %w: no examples", ErrInvalid)
	}
	return fmt.Errorf("em: %w: no examples of a weight > 0", ErrInvalid)
}
