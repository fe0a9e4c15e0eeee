package privacy

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// survey returns mechanisms of several kinds and a record of each of their indices.
func survey() (ms []Observer, records []Record) {
	source := NotPrivate(rand.NewPCG(21, 22))
	d := must(NewDomain(repeat(70, Range{0, 1})...)).Named("habits")
	s := must(d.Check(make([]float64, 70)))
	all := make([]int, 70)
	for j := range all {
		all[j] = j
	}
	for _, m := range []*GroupRelease{
		must(NewPerValue(d, 2, Tight)),
		must(NewCoordinateRelease(d, nil, 1, Published)),
		must(NewGroupRelease(d, [][]int{all, {1, 2, 3}, {7}}, nil, 3, Tight)),
	} {
		ms = append(ms, m)
		for range 200 {
			records = append(records, must(m.Release(s, source)))
		}
		records = append(records, must(m.Release(s, nil)))
	}
	r := must(NewRandomizedResponse(300, nil, 8)).Named("town")
	for y := range 300 {
		records = append(records, must(r.Release(y, source)))
	}
	return append(ms, r), records
}

// equal fails unless two records are the same, except that different but equal mechanisms may have
// released them.
func equal(t *testing.T, got, want Record) {
	t.Helper()
	if got.Fingerprint() != want.Fingerprint() || got.index != want.index || got.private != want.private ||
		!reflect.DeepEqual(got.bits, want.bits) || !reflect.DeepEqual(got.Observation(), want.Observation()) {
		t.Errorf("record %+v, want %+v", got, want)
	}
}

// TestWire: a record is unchanged after transmission in either form to a collector with mechanisms
// made again, and the mean of a stream of both forms is the mean of the records sent.
func TestWire(t *testing.T) {
	_, records := survey()
	ms, _ := survey()
	c := NewCollector(ms...)
	streams := map[string]*bytes.Buffer{}
	for i, r := range records {
		b := must(r.MarshalBinary())
		j := must(json.Marshal(r))
		equal(t, must(c.Binary(b)), r)
		equal(t, must(c.JSON(j)), r)
		if bytes.ContainsRune(j, '\n') {
			t.Error("more than a line")
		}
		key := r.by.statistics()
		if streams[key] == nil {
			streams[key] = &bytes.Buffer{}
		}
		if i%3 == 0 {
			b = append(j, '\n')
		}
		streams[key].Write(b)
	}
	for key, stream := range streams {
		var tally Tally
		for _, r := range records {
			if r.by.statistics() == key {
				if err := tally.Add(r); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := must(Mean(c.Records(iotest.HalfReader(stream))))
		if want := must(tally.Estimate()); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: mean %v of what was sent, want %v", key, got, want)
		}
	}
}

// The forms of version 1, which later versions must still read.
func TestWireForm(t *testing.T) {
	d := must(NewDomain(repeat(10, Range{-1, 1})...)).Named("x")
	m := must(NewPerValue(d, 2, Tight))
	r := Record{m, 0, []uint64{0x2a5}, true}
	const fingerprint = "6f8231bfb256d409aaee45e8178e5d6f"
	if b := hex.EncodeToString(must(r.MarshalBinary())); b != "50520101"+fingerprint+"00"+"a502" {
		t.Errorf("binary %s", b)
	}
	if j := string(must(r.MarshalJSON())); j != `{"version":1,"mechanism":"`+fingerprint+`","private":true,"index":0,"bits":"a502"}` {
		t.Errorf("JSON %s", j)
	}
	o := must(NewRandomizedResponse(300, nil, 1))
	r = Record{by: o, index: 299}
	if b := hex.EncodeToString(must(r.MarshalBinary())); b != "50520100"+o.Fingerprint().String()+"ab02" {
		t.Errorf("binary %s", b)
	}
}

// TestWireRefuses: truncated or changed records, and records of other mechanisms, are errors.
func TestWireRefuses(t *testing.T) {
	ms, records := survey()
	c := NewCollector(ms...)
	for _, r := range []Record{records[0], records[len(records)-1]} {
		b, j := must(r.MarshalBinary()), must(r.MarshalJSON())
		for n := range b {
			wants(t, "cut off", ErrFormat)(c.Binary(b[:n]))
			if n > 0 {
				_, err := Mean(c.Records(bytes.NewReader(b[:n])))
				wants(t, "cut off", io.ErrUnexpectedEOF)(nil, err)
			}
		}
		for n := range j {
			wants(t, "cut off", ErrFormat)(c.JSON(j[:n]))
		}
		wants(t, "more", ErrFormat)(c.Binary(append(b, 0)))
		wants(t, "more", ErrFormat)(c.JSON(append(j, " 1"...)))
		for i := range 3 + 1 {
			bad := bytes.Clone(b)
			bad[i] ^= 4
			wants(t, "head", ErrFormat)(c.Binary(bad))
		}
		bad := bytes.Clone(b)
		bad[10] ^= 1
		wants(t, "another mechanism", ErrInvalid)(c.Binary(bad))
		wants(t, "another mechanism", ErrInvalid)(NewCollector(ms[1]).JSON(j))
	}
	first := must(records[0].MarshalBinary())
	head := first[:20]
	for what, rest := range map[string]string{
		"index of no group": "\x01" + string(first[21:]), "a longer form of 0": "\x80\x00" + string(first[21:]),
		"a long index": "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "bit 71": "\x00" + string(first[21:29]) + "\x40",
	} {
		wants(t, what, ErrFormat)(c.Binary(append(bytes.Clone(head), rest...)))
	}
	text := string(must(records[0].MarshalJSON()))
	for old, bad := range map[string]string{
		`"version":1`: `"version":2`, `"index":0`: `"index":-1`, `"private"`: `"secret"`, `"bits":"`: `"bits":"0`, `"mechanism":"`: `"mechanism":"00`,
	} {
		wants(t, bad, ErrFormat)(c.JSON([]byte(strings.Replace(text, old, bad, 1))))
	}
	for _, line := range []string{"{}", "[]", "null", "{" + strings.Repeat(" ", 5000), "x"} {
		_, err := Mean(c.Records(strings.NewReader(line + "\n")))
		wants(t, line, ErrFormat)(nil, err)
	}
	broken := errors.New("broken")
	_, err := Mean(c.Records(io.MultiReader(bytes.NewReader(first), iotest.ErrReader(broken))))
	wants(t, "a broken reader", broken)(nil, err)
	_, err = Mean(c.Records(io.MultiReader(bytes.NewReader(first[:9]), iotest.ErrReader(broken))))
	wants(t, "a broken reader", broken)(nil, err)
	wants(t, "nothing", ErrInvalid)(Record{}.MarshalBinary())
	wants(t, "nothing", ErrInvalid)(Record{}.MarshalJSON())
	n := 0
	for range c.Records(bytes.NewReader(bytes.Repeat(first, 3))) {
		if n++; n == 2 {
			break
		}
	}
}

// FuzzRecords: a record that a collector reads can be written again, to the same bytes if it was
// binary.
func FuzzRecords(f *testing.F) {
	ms, records := survey()
	c := NewCollector(ms...)
	for _, r := range []Record{records[0], records[250], records[500], records[len(records)-1]} {
		b, j := must(r.MarshalBinary()), must(r.MarshalJSON())
		f.Add(b)
		f.Add(j)
		f.Add(append(append(append(bytes.Clone(b), j...), '\n'), b...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := c.Binary(data); err == nil {
			if again := must(r.MarshalBinary()); !bytes.Equal(again, data) {
				t.Errorf("%x became %x", data, again)
			}
		}
		if r, err := c.JSON(data); err == nil {
			equal(t, must(c.JSON(must(r.MarshalJSON()))), r)
		}
		for r, err := range c.Records(bytes.NewReader(data)) {
			if err == nil {
				equal(t, must(c.Binary(must(r.MarshalBinary()))), r)
			}
		}
	})
}
