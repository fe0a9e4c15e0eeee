package table_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

// flowers is comma-separated values, with a missing cell.
const flowers = "colour,petals\nred,5\nblue,6\nred,?\nwhite,12\n"

// A file of comma-separated values becomes rows of a network, by the names of its columns.
func Example() {
	r := strings.NewReader(flowers)
	t, err := table.Read(r, "flowers.csv", nil)
	if err != nil {
		log.Fatal(err)
	}
	colour := bayes.Variable{Name: "colour", States: t.States(0)}
	network, err := bayes.NaiveBayes(colour, bayes.Variable{Name: "petals"})
	if err != nil {
		log.Fatal(err)
	}
	rows, err := t.RowsOf(network)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(colour.States)
	fmt.Println(rows)
	// Output:
	// [blue red white]
	// [[1 5] [0 6] [1 NaN] [2 12]]
}

// Numbers cut into two bins that hold as many.
func ExampleEqualFrequency() {
	t, err := table.Read(strings.NewReader("x\n1\n2\n7\n100\n"), "x.csv", nil)
	if err != nil {
		log.Fatal(err)
	}
	numbers, err := t.Numbers(0)
	if err != nil {
		log.Fatal(err)
	}
	bins, err := table.EqualFrequency(numbers, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bins.States(), bins.Of(3), bins.Of(50))
	// Output: [≤4.5 >4.5] 0 1
}
