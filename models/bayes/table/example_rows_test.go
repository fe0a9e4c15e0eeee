package table_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

const diary = `grass,rain
wet,yes
dry,no
wet,?
dry,
wet,no
dry,?
`

// A network of the columns of a table with missing cells, and a probability that it has learnt.
func ExampleTable_Network() {
	t, err := table.Read(strings.NewReader(diary), "diary.csv", nil)
	check(err)
	network, err := t.Network("rain; grass | rain")
	check(err)
	rows, err := t.RowsOf(network)
	check(err)
	fitted, result, err := network.Fit(context.Background(), bayes.Data{Rows: rows}, nil, nil)
	check(err)
	rain, err := fitted.P("rain", "yes", nil)
	check(err)
	wet, err := fitted.P("grass", "wet", map[string]string{"rain": "yes"})
	check(err)

	fmt.Printf("%v, %.2f nats, P(rain) = %.2f, P(wet | rain) = %.2f\n", result.Status, result.LogLikelihood, rain, wet)
	// Output: converged, -5.55 nats, P(rain) = 0.25, P(wet | rain) = 1.00
}

// More rows for a network that there is.
func ExampleReadRows() {
	t, err := table.Read(strings.NewReader(diary), "diary.csv", nil)
	check(err)
	network, err := t.Network("rain; grass | rain")
	check(err)
	rows, err := table.ReadRows(strings.NewReader("rain,grass\n?,dry\n"), "more.csv", network)
	check(err)
	fmt.Println(rows)
	// Output: [[NaN 0]]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
