package rx_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/fst/rx"
)

// A weight or a colon whose operands may be meant to be longer is rejected. The error has both
// readings, each of which parses as intended.
func TestTwoReadings(t *testing.T) {
	a, b, s, z := rx.Symbol("a"), rx.Symbol("b"), rx.Symbol("s"), rx.Symbol("z")
	two := rx.Weight(rx.Cost(2))
	for text, want := range map[string][2]rx.Expr{
		"a:sz":          {rx.Cross(a, rx.Concat(s, z)), rx.Concat(rx.Cross(a, s), z)},
		"ab:s":          {rx.Cross(rx.Concat(a, b), s), rx.Concat(a, rx.Cross(b, s))},
		"ab:sz":         {rx.Cross(rx.Concat(a, b), rx.Concat(s, z)), rx.Concat(a, rx.Cross(b, s), z)},
		"ab : s":        {rx.Cross(rx.Concat(a, b), s), rx.Concat(a, rx.Cross(b, s))},
		`a:s\-`:         {rx.Cross(a, rx.Concat(s, rx.Symbol("-"))), rx.Concat(rx.Cross(a, s), rx.Symbol("-"))},
		`"ab":sz`:       {rx.Cross(rx.Concat(a, b), rx.Concat(s, z)), rx.Concat(rx.Cross(rx.Concat(a, b), s), z)},
		"[ab]:sz":       {rx.Cross(rx.OneOf(rx.One("a"), rx.One("b")), rx.Concat(s, z)), rx.Concat(rx.Cross(rx.OneOf(rx.One("a"), rx.One("b")), s), z)},
		".<+2>*":        {rx.Star(rx.Concat(rx.Any(), two)), rx.Concat(rx.Any(), rx.Star(two))},
		". <+2> *":      {rx.Star(rx.Concat(rx.Any(), two)), rx.Concat(rx.Any(), rx.Star(two))},
		"a:b<+2>+":      {rx.Plus(rx.Concat(rx.Cross(a, b), two)), rx.Concat(rx.Cross(a, b), rx.Plus(two))},
		"(ab)<+2>?":     {rx.Optional(rx.Concat(rx.Concat(a, b), two)), rx.Concat(rx.Concat(a, b), rx.Optional(two))},
		"a<+2>{2,3}":    {rx.Repeat(rx.Concat(a, two), 2, 3), rx.Concat(a, rx.Repeat(two, 2, 3))},
		"a<+2>^inv":     {rx.Invert(rx.Concat(a, two)), rx.Concat(a, rx.Invert(two))},
		"a<+2>:b":       {rx.Cross(rx.Concat(a, two), b), rx.Concat(a, rx.Cross(two, b))},
		"a:<+2>b":       {rx.Cross(a, rx.Concat(two, b)), rx.Concat(rx.Cross(a, two), b)},
		"z | a:sz":      {rx.Cross(a, rx.Concat(s, z)), rx.Concat(rx.Cross(a, s), z)},
		"(z (a<+2>*)) ": {rx.Star(rx.Concat(a, two)), rx.Concat(a, rx.Star(two))},
	} {
		_, err := rx.Parse(text)
		var placed *rx.Error
		if !errors.Is(err, rx.ErrSyntax) || !errors.As(err, &placed) || placed.Line != 1 {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		quoted := strings.Split(strings.ReplaceAll(err.Error(), `\\`, `\`), `" or "`)
		if len(quoted) != 2 {
			t.Errorf("%s: error %v has no two readings", text, err)
			continue
		}
		one := quoted[0][strings.LastIndex(quoted[0], ` could be "`)+len(` could be "`):]
		other, _, _ := strings.Cut(quoted[1], `"`)
		if strings.HasPrefix(text, `"`) {
			one, other = strings.ReplaceAll(one, `\"`, `"`), `"ab":s z`
		}
		for i, reading := range []string{one, other} {
			if e, err := rx.Parse(reading); err != nil || !e.Equal(want[i]) {
				t.Errorf("%s: the reading %s is %v with error %v, want %v", text, reading, e, err, want[i])
			}
		}
	}
}

// What has one reading is read, and is written so that it has one.
func TestOneReading(t *testing.T) {
	a, b, s, z := rx.Symbol("a"), rx.Symbol("b"), rx.Symbol("s"), rx.Symbol("z")
	th, two := rx.Symbol("th"), rx.Weight(rx.Cost(2))
	for text, want := range map[string]rx.Expr{
		"a:s z":       rx.Concat(rx.Cross(a, s), z),
		"a b:s":       rx.Concat(a, rx.Cross(b, s)),
		"a:'th'z":     rx.Concat(rx.Cross(a, th), z),
		"a:s'th'":     rx.Concat(rx.Cross(a, s), th),
		"'th'b:s":     rx.Concat(th, rx.Cross(b, s)),
		"a:s b:z":     rx.Concat(rx.Cross(a, s), rx.Cross(b, z)),
		"a:s b:z*":    rx.Concat(rx.Cross(a, s), rx.Star(rx.Cross(b, z))),
		"a*b:s":       rx.Concat(rx.Star(a), rx.Cross(b, s)),
		"a:s*z":       rx.Concat(rx.Star(rx.Cross(a, s)), z),
		"a:s z*":      rx.Concat(rx.Cross(a, s), rx.Star(z)),
		"~a b:s":      rx.Concat(rx.Complement(a), rx.Cross(b, s)),
		`\- b:s`:      rx.Concat(rx.Symbol("-"), rx.Cross(b, s)),
		"[ab]b:s":     rx.Concat(rx.OneOf(rx.One("a"), rx.One("b")), rx.Cross(b, s)),
		"<+2>a*":      rx.Concat(two, rx.Star(a)),
		"a:b<+2>":     rx.Concat(rx.Cross(a, b), two),
		"(<+2>)*":     rx.Star(two),
		"a(<+2>)*":    rx.Concat(a, rx.Star(two)),
		"a:(<+2>)b":   rx.Concat(rx.Cross(a, two), b),
		"a(<+2>):b":   rx.Concat(a, rx.Cross(two, b)),
		"a<+2>b*":     rx.Concat(a, two, rx.Star(b)),
		"(a<+2>)*z":   rx.Concat(rx.Star(rx.Concat(a, two)), z),
		"a:s a:s a:s": rx.Concat(rx.Cross(a, s), rx.Cross(a, s), rx.Cross(a, s)),
	} {
		e, err := rx.Parse(text)
		if err != nil || !e.Equal(want) || e.String() != text {
			t.Errorf("%s is read as %v with error %v, want %v", text, e, err, want)
		}
	}
	for text, want := range map[string]rx.Expr{"<+2>*": rx.Star(two), "<+2>* a": rx.Concat(rx.Star(two), a)} { // nothing stands before it
		if e, err := rx.Parse(text); err != nil || !e.Equal(want) {
			t.Errorf("%s is read as %v with error %v, want %v", text, e, err, want)
		}
	}
}
