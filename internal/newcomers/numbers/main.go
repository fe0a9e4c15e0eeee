// Command numbers reads and writes the names of the numbers from 0 to 999.
package main

import (
	"fmt"
	"log"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
)

// Names of numbers, with a cost for names that are rarer.
const names = `
	digit = 1:"one" | 2:"two" | 3:"three" | 4:"four" | 5:"five" | 6:"six" | 7:"seven" | 8:"eight" | 9:"nine";
	teen = "10":"ten" | "11":"eleven" | "12":"twelve" | "13":"thirteen" | "14":"fourteen"
	     | "15":"fifteen" | "16":"sixteen" | "17":"seventeen" | "18":"eighteen" | "19":"nineteen";
	ty = 2:"twenty" | 3:"thirty" | 4:"forty" | 5:"fifty" | 6:"sixty" | 7:"seventy" | 8:"eighty" | 9:"ninety";
	hyphen = ():"-" | ():" " <+1>;
	pair = @teen | @ty (0:() | @hyphen @digit);
	below = 0:() @digit | @pair;
	hundreds = @digit | 1:"a" <+2>;
	and = ():" and " | ():" " <+1>;
	number = (0:"zero" | 0:"nought" <+3> | @digit | @pair
	       | @hundreds ():" hundred" ("00":() | @and @below))^min;
`

func main() {
	compiler, err := rx.Load(semiring.Tropical{}, names)
	if err != nil {
		log.Fatal(err)
	}
	number, err := compiler.Machine("number")
	if err != nil {
		log.Fatal(err)
	}
	for _, digits := range []string{"0", "7", "13", "42", "100", "342"} {
		fmt.Print(digits)
		for name, err := range fst.ApplyText(number, digits, nil) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" | %s %v", name.Text, name.Weight)
		}
		fmt.Println()
	}

	name := fst.Invert(number)
	for _, text := range []string{"nought", "forty two", "a hundred and one", "nine hundred ninety-nine"} {
		digits, err := fst.BestText(name, text, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text, "=", digits.Text, digits.Weight)
	}

	for n := range 1000 {
		written, err := fst.BestText(number, strconv.Itoa(n), nil)
		if err != nil {
			log.Fatal(err)
		}
		back, err := fst.BestText(name, written.Text, nil)
		if err != nil {
			log.Fatal(err)
		}
		if back.Text != strconv.Itoa(n) {
			log.Fatalf("%d is %q, which is %s", n, written.Text, back.Text)
		}
	}
	fmt.Println("all numbers are read as they are written")
}
