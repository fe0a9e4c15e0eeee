package em_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

// A second group of one name is a mistake in the program, which the panic names.
func TestGroupOfOneName(t *testing.T) {
	for _, caller := range []string{"Group", "Distribution"} {
		p := em.NewParams()
		p.Group("coin", 2, em.Multinomial{})
		again := p.Group
		if caller == "Distribution" {
			again = p.Distribution
		}
		func() {
			defer func() {
				got := fmt.Sprint(recover())
				for _, want := range []string{"em: " + caller, `"coin"`, "Find"} {
					if !strings.Contains(got, want) {
						t.Errorf("panic %q, want one with %q", got, want)
					}
				}
			}()
			again("coin", 2, em.Multinomial{})
		}()
		if len(p.Groups()) != 1 || p.Len() != 2 || p.Find("coin") != p.Groups()[0] {
			t.Error("the group that was refused has left something")
		}
	}
}

// Alternatives in one group of a name that is taken are an error: names come from data there.
func TestLogLinearAlternativesOfOneName(t *testing.T) {
	p := em.NewParams()
	p.Group("rules", 2, em.Multinomial{})
	weights := em.LogLinearAlternatives(p, "rules", func(_, name string) []em.Feature { return []em.Feature{{Name: name}} }, em.LogLinearOptions{})
	if _, err := weights([]string{"g"}, [][]string{{"a", "b"}}); !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), "rules") {
		t.Errorf("error %v, want ErrParameter that names the group", err)
	}
}
