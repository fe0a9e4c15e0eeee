package edit_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
)

// A channel that writes f for p may have learnt nothing of slips. How probable any other letter is
// comes from a channel with a few features, and how much of each there is from pairs that
// neither has seen.
func ExampleNewMixture() {
	letters := []rune("fopt")
	train := cascade.Pairs([][2]string{{"pot", "fot"}, {"top", "tof"}, {"pop", "pof"}})
	mistakes, err := edit.NewConditional(letters, letters, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	slips, err := edit.NewFeatured(letters, letters, func(e edit.Edit) []em.Feature {
		switch {
		case e.Source == e.Target:
			return []em.Feature{{Name: "kept"}}
		case e.Source != fst.Epsilon && e.Target != fst.Epsilon:
			return []em.Feature{{Name: "replaced"}}
		}
		return nil
	}, em.LogLinearOptions{Sigma: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []*edit.Model{mistakes, slips} {
		if _, err := m.Fit(context.Background(), train, nil); err != nil {
			log.Fatal(err)
		}
	}
	both, err := edit.NewMixture(mistakes, slips)
	if err != nil {
		log.Fatal(err)
	}
	held := cascade.Pairs([][2]string{{"pot", "fot"}, {"top", "tpp"}, {"pop", "fof"}, {"opt", "oft"}})
	if _, err := both.Fit(context.Background(), held, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f mistakes, %.2f slips\n", both.Theta[0], both.Theta[1])
	// Output: 0.74 mistakes, 0.26 slips
}
