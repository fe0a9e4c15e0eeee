package privacy

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/wholefile"
)

// OpenLedger opens the ledger in the named file, or creates it. Entries are appended, each on disk
// before its record is released. So even if a process is killed or a machine loses power at any
// time, every release has an entry; there may be an entry without a release. OpenLedger removes an
// incomplete entry at the end of the file.
//
// The file has a line of text for each entry, with the loss and the person's key, quoted. Every
// line ends in a checksum of itself and all preceding lines. On systems with file locks, only one
// ledger can have a file open. Memory is proportional to the number of people.
//
// The error wraps
//
//	ErrInvalid  for a budget that is not a positive number or not the file's
//	ErrFormat   for a file that is no ledger, or where a line was changed
//	ErrBusy     for a file that another ledger has open
//
// or is the system's.
func OpenLedger(name string, budget float64) (*Ledger[string], error) {
	l, err := NewLedger[string](budget)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nested.Errorf("privacy: ledger: %w", err)
	}
	j := &journal{file: f}
	err = j.open(budget, func(person string, loss float64) {
		l.spent[person] = Sequential(l.spent[person], loss)
	})
	if err != nil {
		return nil, errors.Join(nested.Errorf("privacy: ledger %s: %w", name, err), f.Close())
	}
	l.enter = func(person string, loss float64) error {
		if err := j.enter(person, loss); err != nil {
			return nested.Errorf("privacy: ledger %s: %w", name, err)
		}
		return nil
	}
	l.close = f.Close
	return l, nil
}

// ErrBusy is returned, wrapped, for a file that another ledger has open.
var ErrBusy = errors.New("another ledger has the file open")

// journal is the file of a ledger.
type journal struct {
	file   *os.File
	size   int64  // of the complete lines
	sum    uint32 // the checksum of the complete lines
	broken error  // if not nil, why entries are no longer possible
}

const (
	heading = "pathsum privacy ledger 1"
	// longest bounds the length of a line, and so the memory for reading. Keys may be half as long.
	longest = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// line returns text with its checksum appended, and the checksum.
func (j *journal) line(text string) (string, uint32) {
	sum := crc32.Update(j.sum, castagnoli, []byte(text))
	return fmt.Sprintf("%s %08x\n", text, sum), sum
}

// open reads the entries, calls add for each, and truncates the file after the last complete line.
func (j *journal) open(budget float64, add func(person string, loss float64)) error {
	if !wholefile.Lock(j.file) {
		return ErrBusy
	}
	first := fmt.Sprintf("%s, budget %s", heading, strconv.FormatFloat(budget, 'x', -1, 64))
	in := bufio.NewReaderSize(j.file, longest)
	for number := 0; ; number++ {
		read, err := in.ReadSlice('\n')
		line := string(read)
		if err == io.EOF {
			head, _ := j.line(first)
			if number == 0 && !strings.HasPrefix(head, line) && !strings.HasPrefix(line, heading) {
				return fmt.Errorf("%w: it does not begin with %q", ErrFormat, heading)
			}
			break
		}
		if err == bufio.ErrBufferFull {
			return fmt.Errorf("%w: line %d has more than %d bytes", ErrFormat, number+1, longest)
		}
		if err != nil {
			return err
		}
		entry := line[:max(0, strings.LastIndexByte(line, ' '))]
		want, sum := j.line(entry)
		if line != want {
			return fmt.Errorf("%w: line %d has not the checksum of itself and the lines before", ErrFormat, number+1)
		}
		if number == 0 {
			if !strings.HasPrefix(entry, heading) {
				return fmt.Errorf("%w: it does not begin with %q", ErrFormat, heading)
			}
			if entry != first {
				return fmt.Errorf("%w: it begins with %s, want %q", ErrInvalid, text.Quote(entry), first)
			}
		} else {
			person, loss, err := parse(entry)
			if err != nil {
				return nested.Errorf("%w: line %d: %w", ErrFormat, number+1, err)
			}
			add(person, loss)
		}
		j.sum, j.size = sum, j.size+int64(len(line))
	}
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	if j.size == 0 {
		if err := j.append(first); err != nil {
			return err
		}
	}
	// Sync the directory, so that the file's name is on disk, too. Systems on which a directory
	// cannot be synced do this themselves.
	if d, err := os.Open(filepath.Dir(j.file.Name())); err == nil {
		_ = d.Sync()
		return d.Close()
	}
	return nil
}

// parse reads the text of an entry.
func parse(entry string) (person string, loss float64, err error) {
	number, key, _ := strings.Cut(entry, " ")
	if loss, err = strconv.ParseFloat(number, 64); err != nil || !(loss >= 0) {
		return "", 0, fmt.Errorf("a loss of %s, want a number of at least 0", text.Quote(number))
	}
	if person, err = strconv.Unquote(key); err != nil {
		return "", 0, fmt.Errorf("%s is not a quoted key", text.Quote(key))
	}
	return person, loss, nil
}

// enter appends an entry.
func (j *journal) enter(person string, loss float64) error {
	key := strconv.Quote(person)
	if len(key) > longest/2 {
		return fmt.Errorf("%w: a key of %d bytes, want at most %d", ErrInvalid, len(key), longest/2)
	}
	return j.append(strconv.FormatFloat(loss, 'x', -1, 64) + " " + key)
}

// append appends a line and waits until it is on disk. After an error it removes the line; if that
// fails, all later calls return an error.
func (j *journal) append(text string) error {
	if j.broken != nil {
		return j.broken
	}
	line, sum := j.line(text)
	_, err := j.file.WriteString(line)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		if cut := errors.Join(j.file.Truncate(j.size), j.file.Sync()); cut != nil {
			j.broken = nested.Errorf("an entry may be incomplete: %w", errors.Join(err, cut))
		}
		return err
	}
	j.sum, j.size = sum, j.size+int64(len(line))
	return nil
}
