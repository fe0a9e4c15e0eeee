package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/internal/grammars"
)

// A small speaker of written numbers, independent of the grammars. It speaks numbers below 1000
// and groups of three digits above, and combines the words of spoken_test.go like the
// development lines ("thousand and eleven").

// below1000and is below1000 with "and" after hundreds.
func below1000and(n int) string {
	if n > 100 && n%100 > 0 {
		return small[n/100] + " hundred and " + below1000(n%100)
	}
	return below1000(n)
}

// cardinal speaks a number below 10¹².
func cardinal(n int64) string {
	if n == 0 {
		return "zero"
	}
	var words []string
	for i, unit := range []int64{1e9, 1e6, 1e3} {
		if g := n / unit % 1000; g > 0 {
			if unit == 1e3 && n < 2000 {
				words = append(words, "thousand")
			} else {
				words = append(words, below1000and(int(g))+" "+large[3-i])
			}
		}
	}
	rest := int(n % 1000)
	switch {
	case rest == 0:
	case rest < 100 && len(words) > 0:
		words = append(words, "and "+below1000(rest))
	default:
		words = append(words, below1000and(rest))
	}
	return strings.Join(words, " ")
}

// ordinal speaks a rank; a thousand is one thousand.
func ordinal(n int64) string {
	said := cardinal(n)
	if 1000 <= n && n < 2000 {
		said = "one " + said
	}
	i := strings.LastIndexByte(said, ' ') + 1
	return said[:i] + ranked(said[i:])
}

// singly speaks digits one by one, zero as oh.
func singly(digits string) string {
	return strings.ReplaceAll(spelled(digits), "zero", "oh")
}

// commas writes a number with a comma before each group of three digits.
func commas(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// nth returns the suffix of a number that is a rank.
func nth(n int64) string {
	if n/10%10 != 1 && n%10 >= 1 && n%10 <= 3 {
		return []string{"st", "nd", "rd"}[n%10-1]
	}
	return "th"
}

// year speaks a year from 1910 to 2099, except 2000 to 2009.
func year(y int) string { return below1000(y/100) + " " + below1000(y%100) }

var monthNames = strings.Fields("january february march april may june july august september october november december")

// atLength returns a random number below 10ⁿ; all numbers of digits are equally probable.
func atLength(r *rand.Rand, n int) int64 {
	limit := int64(10)
	for range r.IntN(n) {
		limit *= 10
	}
	return r.Int64N(limit)
}

// someCase returns a text as it is, in capitals, or with a capital at the beginning.
func someCase(r *rand.Rand, text string) string {
	switch r.IntN(3) {
	case 0:
		return strings.ToUpper(text)
	case 1:
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// said is a written line and its spoken form.
type said struct{ written, spoken string }

// writtenItems make a line and its reading, of each kind.
var writtenItems = map[string]func(r *rand.Rand) said{
	"cardinal": func(r *rand.Rand) said {
		n := atLength(r, 12)
		if n == 411 || n == 911 { // these are spoken as telephone numbers
			n++
		}
		written := fmt.Sprint(n)
		if r.IntN(2) == 0 || 1100 <= n && n < 2100 { // without a comma it may be a year
			written = commas(n)
		}
		return said{"about " + written + " of them", "about " + cardinal(n) + " of them"}
	},
	"ordinal": func(r *rand.Rand) said {
		n := 1 + atLength(r, 9)
		suffix := nth(n)
		if r.IntN(2) == 0 {
			suffix = strings.ToUpper(suffix)
		}
		return said{fmt.Sprint(n, suffix), ordinal(n)}
	},
	"decimal": func(r *rand.Rand) said {
		n, fraction := atLength(r, 9), fmt.Sprint(r.IntN(100_000))
		return said{commas(n) + "." + fraction, cardinal(n) + " point " + singly(fraction)}
	},
	"fraction": func(r *rand.Rand) said {
		n, m := int64(1+r.IntN(99)), int64(3+r.IntN(96))
		if n == 24 && m == 7 || n == m { // all day, and half and half
			m++
		}
		part := ordinal(m)
		if m == 4 {
			part = "quarter"
		}
		if n > 1 {
			part += "s"
		}
		return said{fmt.Sprintf("it is %d/%d", n, m), "it is " + cardinal(n) + " " + part}
	},
	"money": func(r *rand.Rand) said {
		n, cents := 2+atLength(r, 9), r.IntN(101)
		sign := r.IntN(3)
		unit := []string{"dollars", "euros", "pounds"}[sign]
		written := []string{"$", "€", "£"}[sign] + commas(n)
		spoken := cardinal(n)
		if cents < 100 {
			written += fmt.Sprintf(".%02d", cents)
			spoken += " point " + singly(fmt.Sprintf("%02d", cents))
		}
		return said{written, spoken + " " + unit}
	},
	"date": func(r *rand.Rand) said {
		d, m, y := 1+r.IntN(28), r.IntN(12), 2010+r.IntN(90)
		if r.IntN(2) == 0 {
			y -= 100
		}
		spoken := "the " + ordinal(int64(d)) + " of " + monthNames[m]
		switch r.IntN(4) {
		case 0:
			return said{fmt.Sprintf("%d-%02d-%02d", y, m+1, d), spoken + " " + year(y)}
		case 1:
			return said{fmt.Sprintf("%d %s %d", d, someCase(r, monthNames[m]), y), spoken + " " + year(y)}
		case 2:
			return said{fmt.Sprintf("%s %d, %d", someCase(r, monthNames[m][:3]), d, y), spoken + ", " + year(y)}
		}
		return said{fmt.Sprintf("%d/%d/%d", m+1, d, y), spoken + " " + year(y)}
	},
	"time": func(r *rand.Rand) said {
		h, m := 1+r.IntN(12), 1+r.IntN(59)
		spoken := small[h] + " " + below1000(m)
		if m < 10 {
			spoken = small[h] + " oh " + small[m]
		}
		half := r.IntN(4)
		half2 := []string{" a.m.", " PM", "am", " p.m."}[half]
		return said{fmt.Sprintf("at %d:%02d%s", h, m, half2), "at " + spoken + []string{" AM", " PM", " AM", " PM"}[half]}
	},
	"telephone": func(r *rand.Rand) said {
		d := fmt.Sprintf("%010d", r.Int64N(1e10))
		written := []string{"%s-%s-%s", "(%s) %s-%s", "%s.%s.%s"}[r.IntN(3)]
		return said{
			fmt.Sprintf("call "+written, d[:3], d[3:6], d[6:]),
			fmt.Sprintf("call %s, %s, %s", singly(d[:3]), singly(d[3:6]), singly(d[6:])),
		}
	},
}

// spokenItems make a spoken line, in any case, and its written form.
var spokenItems = map[string]func(r *rand.Rand) said{
	"cardinal": func(r *rand.Rand) said {
		n := 1001 + atLength(r, 12)
		if n%1_000_000 == 0 { // whole millions have another written form
			n++
		}
		return said{fmt.Sprint(n), someCase(r, strings.TrimPrefix(full(n), "and "))}
	},
	"ordinal": func(r *rand.Rand) said {
		n := 1 + atLength(r, 9)
		return said{fmt.Sprint(n, nth(n)), someCase(r, ordinalOf(full(n)))}
	},
	"decimal": func(r *rand.Rand) said {
		n, fraction := atLength(r, 9), fmt.Sprint(r.IntN(100_000))
		return said{fmt.Sprint(n, ".", fraction), someCase(r, full(n)+" point "+spelled(fraction))}
	},
	"fraction": func(r *rand.Rand) said {
		n, m := int64(2+r.IntN(98)), int64(3+r.IntN(96))
		return said{fmt.Sprint(n, "/", m), someCase(r, full(n)+" "+ordinalOf(full(m))+"s")}
	},
	"money": func(r *rand.Rand) said {
		n, cents := 1001+atLength(r, 9), 1+r.IntN(99)
		if n%1_000_000 == 0 {
			n++
		}
		return said{fmt.Sprintf("$%d.%02d", n, cents), someCase(r, full(n)+" dollars and "+below1000(cents)+" cents")}
	},
	"date": func(r *rand.Rand) said {
		d, m, y := 1+r.IntN(28), r.IntN(12), 1910+r.IntN(90)
		return said{fmt.Sprintf("%d %s %d", d, monthNames[m], y), someCase(r, "the "+ordinalOf(full(int64(d)))+" of "+monthNames[m]+" "+year(y))}
	},
	"time": func(r *rand.Rand) said {
		h, m := 1+r.IntN(12), 10+r.IntN(50)
		half := []string{"a m", "p m"}[r.IntN(2)]
		written := strings.ReplaceAll(half, " ", ".") + "."
		return said{fmt.Sprintf("%02d:%02d %s", h, m, written), someCase(r, small[h]+" "+below1000(m)+" "+half)}
	},
	"telephone": func(r *rand.Rand) said {
		d := fmt.Sprintf("%010d", r.Int64N(1e10))
		return said{d[:3] + "-" + d[3:6] + "-" + d[6:], someCase(r, spelled(d))}
	},
}

// full says a number as it is spoken: "one thousand eleven".
func full(n int64) string {
	if n == 0 {
		return "zero"
	}
	var groups []int
	for ; n > 0; n /= 1000 {
		groups = append(groups, int(n%1000))
	}
	return say(groups)
}

// ordinalOf replaces the last word of a number by its ordinal.
func ordinalOf(n string) string {
	i := strings.LastIndexByte(n, ' ') + 1
	return n[:i] + ranked(n[i:])
}

// Random numbers of each kind are read like the speaker reads them, and the speaker's output is
// converted back, in any case.
func TestSpeaker(t *testing.T) {
	for _, d := range grammars.Directions {
		items := [...]map[string]func(*rand.Rand) said{writtenItems, spokenItems}[d]
		g := grammarOf(t, d)
		var wait sync.WaitGroup
		for kind, item := range items {
			wait.Go(func() {
				wrong := 0
				for seed := range count(25, 10_000) {
					x := item(rand.New(rand.NewPCG(seed, 5)))
					input, want := x.written, x.spoken
					if d == grammars.SpokenWritten {
						input, want = want, input
					}
					readings, err := g.Apply(input, 1)
					if err != nil {
						t.Errorf("%s: %v", kind, err)
						return
					}
					// A copied month keeps the case of the input.
					if got := readings[0].Text; got != want && !(d == grammars.SpokenWritten && strings.EqualFold(got, want)) {
						if wrong++; wrong <= 5 {
							t.Errorf("%s %s: %s\nis read as %s\nwant       %s", d, kind, input, got, want)
						}
					}
				}
				if wrong > 5 {
					t.Errorf("%s %s: %d are wrong", d, kind, wrong)
				}
			})
		}
		wait.Wait()
	}
}
