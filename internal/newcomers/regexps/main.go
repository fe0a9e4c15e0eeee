// Command regexps matches, rewrites and cuts small texts by regular expressions.
package main

import (
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
)

func main() {
	// Each token costs 1, so that a date is not three numbers, and a word not its letters.
	compiler, err := rx.Load(semiring.Tropical{}, `
		date = [0-9]{4} \- [0-9]{2} \- [0-9]{2};
		time = ([01] [0-9] | 2 [0-3]) \: [0-5] [0-9];
		british = "color":"colour" / __, "gray":"grey" / __, (ize):(ise) / __ (" " | $);
		token = (@date ():D | @time ():T | [a-z]+ ():W | [0-9]+ ():N | [\-\:\.] ():P)<+1>;
		tokens = @token ((" " | ()):"/" @token)*;`)
	if err != nil {
		log.Fatal(err)
	}
	for _, use := range [][2]string{
		{"date", "2024-02-29"}, {"date", "24-2-29"}, {"time", "23:59"}, {"time", "24:00"},
		{"british", "we organize gray colors"}, {"tokens", "at 17:45 on 2024-02-29. room 12"},
	} {
		m, err := compiler.Machine(use[0])
		if err != nil {
			log.Fatal(err)
		}
		if out, err := fst.BestText(m, use[1], nil); err != nil {
			fmt.Printf("%q is not a %s: %v\n", use[1], use[0], err)
		} else {
			fmt.Printf("%s of %q: %q, %v\n", use[0], use[1], out.Text, out.Weight)
		}
	}
}
