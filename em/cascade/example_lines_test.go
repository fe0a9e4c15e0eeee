package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Data that do not fit in memory stay in files, as many as there are, and are read again in
// each iteration.
func ExampleLines() {
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for i, text := range []string{"H\nT\nH\n", "H\nH\n"} { // tosses of a coin
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("part-", i)), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	params := em.NewParams()
	coin := params.Group("coin", 2, em.Multinomial{})
	machine := fst.OneState(params.Space(), expr.One,
		fst.Arc[expr.W]{In: 1, Out: 1, Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 2, Out: 2, Weight: coin.Weight(1)})

	files, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		log.Fatal(err)
	}
	stream := cascade.Lines(files, func(l cascade.Line) (cascade.Example, error) {
		side := strings.Index("HT", l.Text)
		if len(l.Text) != 1 || side < 0 {
			return cascade.Example{}, errors.New("want H or T")
		}
		return cascade.Example{Y: cascade.Labels(int32(side) + 1)}, nil
	})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}
	result, err := problem.Fit(context.Background(), cascade.Data{Stream: stream, CacheBytes: -1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("heads %.1f\n", result.Theta[0])
	// Output: heads 0.8
}
