package channel_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/channel"
)

// Words and how they are pronounced: the channel learns what each letter sounds
// like, and then reads a word that it has not seen.
func Example() {
	ctx := context.Background()
	data := cascade.Pairs([][2]string{{"Sip", "ship"}, {"Sop", "shop"}, {"Cip", "chip"}, {"Cop", "chop"}, {"hip", "hip"}, {"sip", "sip"}, {"kop", "cop"}})
	p := em.NewParams()
	sounds, letters := []rune("SCshkiop"), []rune("shcipo")
	start := channel.FertilityStart{Delete: .1, One: .6, Two: .3, Insert: .01}
	spelling, err := channel.NewFertility(p, "spelling", sounds, letters, start, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	m := channel.New(p, spelling.Machine)
	if _, err := m.Fit(ctx, data, nil); err != nil {
		log.Fatal(err)
	}
	predictor, err := m.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	found, err := predictor.Best(channel.Query{Source: []rune("CiS")}, channel.Target, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %.2f\n", found[0].Text(), found[0].LogProb)
	// Output: chish 0.00
}
