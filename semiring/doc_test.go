package semiring_test

import (
	"os"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
)

// tableRow returns which of the capabilities in the table of the package comment a
// ring has.
func tableRow[W any](s semiring.Semiring[W]) map[string]bool {
	return map[string]bool{
		"Divider":   has[semiring.Divider[W]](s),
		"Ordered":   has[semiring.Ordered[W]](s),
		"Negater":   has[semiring.Negater[W]](s),
		"Prober":    has[semiring.Prober[W]](s),
		"Kernel":    has[semiring.Kernel[W]](s),
		"Scatterer": has[semiring.Scatterer[W]](s),
		"Sweeper":   has[semiring.Sweeper[W]](s),
	}
}

func has[C, W any](s semiring.Semiring[W]) bool {
	_, ok := semiring.As[C](s)
	return ok
}

// The table of the package comment is true; a derived ring made of rich parts has
// all that it may have.
func TestDocTable(t *testing.T) {
	cost, scaled := semiring.Semiring[semiring.Cost](semiring.Tropical{}), semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{})
	best, err := semiring.KBest(cost, 2)
	if err != nil {
		t.Fatal(err)
	}
	lex, err := semiring.Lex(cost, cost)
	if err != nil {
		t.Fatal(err)
	}
	second, err := semiring.Expectation2(scaled, semiring.ScalarProduct(scaled))
	if err != nil {
		t.Fatal(err)
	}
	rings := map[string]map[string]bool{
		"Real":         tableRow(semiring.Real{}),
		"Scaled":       tableRow(scaled),
		"Log":          tableRow(semiring.Log{}),
		"Viterbi":      tableRow(semiring.Viterbi{}),
		"Tropical":     tableRow(cost),
		"Bottleneck":   tableRow(semiring.Bottleneck{}),
		"Boolean":      tableRow(semiring.Boolean{}),
		"Counting":     tableRow(semiring.Counting{}),
		"LeftString":   tableRow(semiring.LeftString{}),
		"RightString":  tableRow(semiring.RightString{}),
		"KBest":        tableRow(best),
		"Series":       tableRow(semiring.Series(scaled, 2)),
		"Product":      tableRow(semiring.Product(scaled, scaled)),
		"Lex":          tableRow(lex),
		"Expectation":  tableRow(semiring.Expectation(scaled, semiring.Scalar(scaled))),
		"Expectation2": tableRow(second),
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var head []string
	rows := 0
	for line := range strings.Lines(string(doc)) {
		cell := strings.Fields(strings.TrimPrefix(line, "//"))
		switch {
		case len(cell) > 1 && cell[0] == "ring" && cell[1] == "Divider":
			head = cell
		case len(cell) == 0 || head != nil && len(cell) != len(head):
			if rows > 0 {
				head = nil
			}
		case head != nil:
			rows++
			for i, claim := range cell[1:] {
				if (claim != "-") != rings[cell[0]][head[i+1]] {
					t.Errorf("%s: %s %s", cell[0], head[i+1], claim)
				}
			}
		}
	}
	if rows != len(rings) {
		t.Errorf("%d rows, want %d", rows, len(rings))
	}
}
