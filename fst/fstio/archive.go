package fstio

import (
	"encoding/binary"
	"io"
	"iter"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// Archive is the arrangement of an archive of machines, OpenFst's FAR.
type Archive string

const (
	// Table has an index at its end, with which OpenFst finds a machine by its key without reading
	// the preceding machines.
	Table Archive = "sttable"
	// List has no index.
	List Archive = "stlist"
)

const (
	tableMagic     = 2125656924
	listMagic      = 5656924
	archiveVersion = 1
)

// ReadArchive returns the machines of an archive, of either arrangement, with their keys. The
// sequence reads one machine at a time and ends after an error. ring and errors are as for
// ReadBinary.
func ReadArchive[W any](r io.Reader, ring semiring.Semiring[W]) iter.Seq2[Entry[W], error] {
	nonnil.Check("fstio: ReadArchive", "reader", r, "ring", ring)
	return func(yield func(Entry[W], error) bool) { readArchive(newSource(r, ""), ring, yield) }
}

// ReadArchiveFile is ReadArchive for a named file, which is decompressed if its name ends in .gz.
// The file is open while the sequence runs.
func ReadArchiveFile[W any](name string, ring semiring.Semiring[W]) iter.Seq2[Entry[W], error] {
	nonnil.Check("fstio: ReadArchiveFile", "ring", ring)
	return func(yield func(Entry[W], error) bool) {
		f, err := Open(name, 0)
		if err != nil {
			yield(Entry[W]{}, err)
			return
		}
		defer f.Close()
		readArchive(newSource(f, name), ring, yield)
	}
}

// Entry is a machine of an archive.
type Entry[W any] struct {
	Key string
	FST *fst.FST[W] // nil if there is an error
}

func readArchive[W any](s *source, ring semiring.Semiring[W], yield func(Entry[W], error) bool) {
	a := archiveReader{source: s}
	a.begin()
	for a.next() {
		e := Entry[W]{Key: a.key}
		var err error
		if e.FST, err = readBinary(s, ring); err != nil {
			yield(Entry[W]{Key: a.key}, nested.Errorf("machine %s: %w", text.Quote(a.key), err))
			return
		}
		if !yield(e, nil) {
			return
		}
	}
	if s.err != nil {
		yield(Entry[W]{}, s.err)
	}
}

// archiveReader reads the parts of an archive other than machines: its header, keys and index.
type archiveReader struct {
	*source
	table bool
	begun []int64 // offsets of the entries
	key   string
}

func (a *archiveReader) begin() {
	a.table = a.magic("archive of machines", tableMagic, listMagic) == tableMagic
	if v := a.int32(); v != archiveVersion {
		a.fail(4, "version %d of the archive, want %d", v, archiveVersion)
	}
}

// next reads the key of the next machine, and returns false after the last.
func (a *archiveReader) next() bool {
	switch {
	case a.err != nil:
		return false
	case a.table && a.atIndex():
		a.index()
		return false
	}
	a.begun = append(a.begun, a.offset)
	a.key = a.text()
	return a.err == nil && (a.table || a.key != "")
}

// atIndex reports whether the index is next. It begins with the number of entries and the offset of
// the first one, in place of the length and the text of a key.
func (a *archiveReader) atIndex() bool {
	b, err := a.r.Peek(16)
	if err != nil || binary.LittleEndian.Uint64(b) != uint64(len(a.begun)) {
		return false
	}
	return len(a.begun) == 0 || binary.LittleEndian.Uint64(b[8:]) == uint64(a.begun[0])
}

// index reads the index and compares it with the entries that were read.
func (a *archiveReader) index() {
	at := a.offset
	same := a.int64() == int64(len(a.begun))
	for _, begun := range a.begun {
		same = a.int64() == begun && same
	}
	if a.int64() != int64(len(a.begun)) || !same {
		a.fail(at, "the index does not fit the archive")
	}
}

// WriteArchiveFile writes an archive of the machines in a sequence, such as the result of
// ReadArchiveFile, to a named file: see NewArchiveWriter and WriteTextFile. Keys and errors are as
// for Add; errors of the sequence are returned, too.
func WriteArchiveFile[W any](name string, archive Archive, entries iter.Seq2[Entry[W], error], form *Binary) error {
	nonnil.Check("fstio: WriteArchiveFile", "sequence of entries", entries)
	return writeFile(name, func(w io.Writer) error {
		a, err := NewArchiveWriter[W](w, archive, form)
		if err != nil {
			return err
		}
		for e, err := range entries {
			if err == nil {
				err = a.Add(e.Key, e.FST)
			}
			if err != nil {
				return err
			}
		}
		return a.Close()
	})
}

// ArchiveWriter writes an archive sequentially, machine by machine, to any io.Writer.
type ArchiveWriter[W any] struct {
	sink    *sink
	archive Archive
	binary  *Binary
	key     string
	begun   []int64 // offsets of the entries
	err     error
}

// NewArchiveWriter returns a writer of an archive with machines of the given form (see
// WriteBinary). It returns an error if the arrangement is unknown.
func NewArchiveWriter[W any](w io.Writer, archive Archive, form *Binary) (*ArchiveWriter[W], error) {
	nonnil.Check("fstio: NewArchiveWriter", "writer", w)
	a := &ArchiveWriter[W]{sink: newSink(w), archive: archive, binary: form}
	switch archive {
	case Table:
		a.sink.int32(tableMagic)
	case List:
		a.sink.int32(listMagic)
	default:
		return nil, nested.Errorf("fstio: %w: an archive of type %s, want %s or %s", fst.ErrInvalid, text.Quote(string(archive)), Table, List)
	}
	a.sink.int32(archiveVersion)
	return a, nil
}

// Add writes a machine, expanded if it is not frozen. Keys must not be empty and must ascend,
// because OpenFst would not find them otherwise; if they do not, Add returns an error. Other errors
// are as for WriteBinary. After an error the archive is invalid, and Add and Close return the same
// error again.
func (a *ArchiveWriter[W]) Add(key string, m fst.Machine[W]) error {
	nonnil.Check("fstio: ArchiveWriter.Add", "machine", m)
	if a.err != nil {
		return a.err
	}
	f, err := fst.Expand(m, nil)
	if err != nil {
		a.err = err
		return err
	}
	form, err := formOf(a.binary, f.Semiring())
	switch {
	case err != nil:
		a.err = nested.Errorf("fstio: %w", err)
	case key <= a.key:
		a.err = nested.Errorf("fstio: %w: key %s after %s, want a greater one", fst.ErrInvalid, text.Quote(key), text.Quote(a.key))
	default:
		a.key = key
		a.begun = append(a.begun, a.sink.offset)
		a.sink.text(key)
		a.err = writeBinary(a.sink, f, form)
	}
	return a.err
}

// Close writes the end of the archive. It does not close the io.Writer.
func (a *ArchiveWriter[W]) Close() error {
	if a.err != nil {
		return a.err
	}
	if a.archive == List {
		a.sink.text("")
	} else {
		a.sink.int64(int64(len(a.begun)))
		for _, begun := range a.begun {
			a.sink.int64(begun)
		}
		a.sink.int64(int64(len(a.begun)))
	}
	return a.sink.out.Flush()
}
