package msa

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Files as other programs write them.
func TestReadOfOthers(t *testing.T) {
	dots, unknown := Options{Dots: DotsFirst}, Options{Dots: DotsMissing}
	best, consensus := Options{Repeats: BestRow}, Options{Repeats: Consensus}
	const several = "a score=1\ns a.1 0 4 + 9 ACGT\ns b.1 0 4 + 9 ACGA\ns b.2 0 4 + 9 TCGT\ns b.3 0 3 + 9 TC-C\ns c.1 0 4 + 9 ACGT\n\n" +
		"a\ns a.1 4 1 + 9 A\ns b.7 0 1 + 9 C\n"
	for _, c := range []struct {
		name, text, want, remark string
		read                     reader
	}{
		{"X", ">a\nACXx\n>b\nACGT", "a ACNN b ACGT [] []", "", ReadFASTA},
		{"~", ">a d\nAC~~\n>b\nACGT", "a ACNN b ACGT [] []", "", ReadFASTA},
		{"dots", ">human\nACGTACGT\n>chimp\n..A.....\n>macaque\n.....T.-\n", "human ACGTACGT chimp ACATACGT macaque ACGTATGN [] []", "", dots.ReadFASTA},
		{"dots over lines", ">a\nAC\nR-\n>b\n.\n.\n..\n", "a ACRN b ACRN [] []", "", dots.ReadFASTA},
		{"dots, unknown", ">a\nA.GT\n>b\n.C..\n", "a ANGT b NCNN [] []", "", unknown.ReadFASTA},
		{"dots of a block", "a\ns a.1 0 3 + 9 AC-T\ns b.1 0 3 + 9 .G..\na\ns b 0 2 + 9 GG\ns a 3 2 + 9 .A\n", "a ACNTGA b AGNTGG [0 4] []", "", dots.ReadMAF},
		{"dots of a block, unknown", "a\ns a.1 0 3 + 9 ACT.\ns b.1 0 2 + 9 .G.T\n", "a ACTN b NGNT [0] []", "", unknown.ReadMAF},
		{"dots of statistics", head + "0\tA.\t2\n1\tA-\t1\n2\t-.\t1\n", "a AAN b ANN [0 1 2] [2 1 1]", "", dots.ReadSS},
		// b.1 agrees with a and c in three columns, b.2 in three, b.3 in one.
		{"the best row", several, "a ACGTA b ACGAC c ACGTN [0] []", `"b" has several rows in 1 of 2 blocks, of which the best is taken`, best.ReadMAF},
		{"consensus", several, "a ACGTA b TCGHC c ACGTN [0] []", `"b" has several rows in 1 of 2 blocks, of which their consensus is taken`, consensus.ReadMAF},
		{"the best row of the first species", "a\ns a.1 7 2 + 99 AC\ns a.2 0 2 + 9 GT\ns b 0 2 + 9 GT\n\na\ns a.1 9 1 + 99 A\n", "a GTA b GTN [0] []", `"a" has`, best.ReadMAF},
		{"rows of FASTA", ">a\nACGT\n>b\nTTTT\n>a\nTTGT\n", "a TTGT b TTTT [] []", `"a" has several rows, of which the best`, best.ReadFASTA},
		{"consensus of what is missing", ">a\nA-R-\n>a\nA-GY\n>b\nACGT", "a ANGY b ACGT [] []", `"a" has`, consensus.ReadFASTA},
		{"three times the same", ">a\nAC\n>a\nAC\n>a\nAC\n", "a AC [] []", `"a" has`, best.ReadFASTA},
		{"none is there twice", ">a\nAC\n>b\nAC\n", "a AC b AC [] []", "", best.ReadFASTA},
	} {
		for how, content := range map[string]string{
			"as it is": c.text, "a mark": "\ufeff" + c.text, "carriage returns": strings.ReplaceAll(c.text, "\n", "\r"), "both": "\ufeff" + strings.ReplaceAll(c.text, "\n", "\r\n"),
		} {
			a, err := c.read(strings.NewReader(content), "f")
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, how, err)
				continue
			}
			if got := show(a); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.name, how, got, c.want)
			}
			if got := strings.Join(a.Remarks, "; "); (got == "") != (c.remark == "") || !strings.HasPrefix(got, c.remark) {
				t.Errorf("%s, %s: remarks %q, want %q", c.name, how, got, c.remark)
			}
			if err := a.Check(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// A message has at most 40 characters of a name.
func TestReadLongNames(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, text := range []string{">" + long + "\nA\n>" + long + "\nA", ">" + long + "\nA\n>b\n\n>c\n", ">" + long + "\n"} {
		if _, err := ReadFASTA(strings.NewReader(text), "f"); err == nil || len(err.Error()) > 400 {
			t.Errorf("%.400v", err)
		}
	}
	for _, text := range []string{"a\ns " + long + " 0 9 + 9 A\n", "a\ns a " + long + " 1 + 9 A\n"} {
		if _, err := ReadMAF(strings.NewReader(text), "f"); err == nil || len(err.Error()) > 400 {
			t.Errorf("%.400v", err)
		}
	}
}

// The rules for several rows, against their definition by column.
func TestRepeatsDefinition(t *testing.T) {
	symbols := "ACGT-NRY"
	for seed := range uint64(300) {
		x := seed*2654435761 + 12345
		draw := func(n int) int {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			return int(x % uint64(n))
		}
		columns, n := 1+draw(6), 2+draw(5)
		var b strings.Builder
		var names []string
		var all [][]byte
		for range n {
			name := string(rune('a' + draw(3)))
			row := make([]byte, columns)
			for j := range row {
				row[j] = symbols[draw(len(symbols))]
			}
			fmt.Fprintf(&b, ">%s\n%s\n", name, row)
			names, all = append(names, name), append(all, row)
		}
		for _, rule := range []Repeats{BestRow, Consensus} {
			a, err := Options{Repeats: rule}.ReadFASTA(io.Reader(strings.NewReader(b.String())), "f")
			if err != nil {
				t.Fatal(err)
			}
			for s, name := range a.Species {
				var own []int
				for i := range names {
					if names[i] == name {
						own = append(own, i)
					}
				}
				score := func(i int) (k int) {
					for o := range names {
						for j := range columns {
							if names[o] != name && all[o][j] == all[i][j] && strings.IndexByte("ACGT", all[i][j]) >= 0 {
								k++
							}
						}
					}
					return k
				}
				top := own[0]
				for _, i := range own {
					if score(i) > score(top) {
						top = i
					}
				}
				for j := range columns {
					want, _ := ParseCell(all[top][j])
					if rule == Consensus && len(own) > 1 {
						most := 0
						for _, b := range []byte(Bases) {
							n := 0
							for _, i := range own {
								if all[i][j] == b {
									n++
								}
							}
							c, _ := ParseCell(b)
							if n > most {
								most, want = n, c
							} else if n == most && n > 0 {
								want |= c
							}
						}
						if most == 0 {
							want = 0
							for _, i := range own {
								if c, _ := ParseCell(all[i][j]); c != Missing {
									want |= c
								}
							}
							if want == 0 {
								want = Missing
							}
						}
					}
					if got := a.Rows[s][j]; got != want {
						t.Fatalf("seed %d: %v of\n%s column %d of %s is %c, want %c", seed, rule, b.String(), j, name, got.Symbol(), want.Symbol())
					}
				}
			}
		}
	}
}
