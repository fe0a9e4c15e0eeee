package table_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

const rain = `
variable rain  { type discrete [ 2 ] { yes, no }; }
variable grass { type discrete [ 2 ] { wet, dry }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.3, 0.7; }`

const diary = `grass,rain
wet,yes
dry,no
wet,?
dry,
wet,no
dry,?
`

// A network and a table with missing cells, in three lines.
func ExampleReadRows() {
	network, err := bayes.ReadBIF(strings.NewReader(rain), "rain.bif")
	check(err)
	rows, err := table.ReadRows(strings.NewReader(diary), "diary.csv", network)
	check(err)
	fitted, result, err := network.Fit(context.Background(), bayes.Data{Rows: rows}, nil, nil)
	check(err)

	fmt.Printf("%v, %.2f nats, P(rain) = %.2f\n", result.Status, result.LogLikelihood, fitted.Family(network.Variable("rain")).Table[0])
	// Output: converged, -5.55 nats, P(rain) = 0.25
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
