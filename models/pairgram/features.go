package pairgram

import (
	"math/bits"
	"slices"

	"example.org/pathsum/internal/keytable"
)

// The features of a chunk in a sequence are n-grams of chunks, the chunk with surrounding symbols
// of the source, the previous chunk with the symbols after it, and the chunk with more distant
// symbols. The latter matter because the length and stress of a vowel depend on the next syllable,
// and little on the consonant before it. Other features combine the chunk, or its target alone,
// with the targets of the last chunks that have one: sequences of sounds are similar in all
// spellings.
const (
	order    = 4               // the longest n-gram of chunks
	reach    = 4               // the most symbols of the source on one side
	ahead    = 2               // the most of them together with the chunk before
	farther  = 4               // features of symbols after the next one
	written  = 2*3 + 2 + ahead // features of the previous targets
	features = order + 3*reach + ahead + farther + written
)

// Names of the beginning and the end, and kinds of features: arbitrary numbers, to be mixed.
const (
	beginning = 0x1b873593
	theEnd    = 0xcc9e2d51

	kindGrams  = 0x9e3779b97f4a7c15
	kindAfter  = 0xbf58476d1ce4e5b9
	kindBefore = 0x94d049bb133111eb
	kindBoth   = 0xd6e8feb86659fd93
	kindAhead  = 0xa0761d6478bd642f
	kindNext   = 0xe7037ed1a0b428d1 // and those after it
	kindSaid   = 0x8ebc6af09c88c6e3
	kindSound  = 0x589965cc75374cc3
	kindGap    = 0x1d8e4e27c47d124f // and the one after it
	kindSeen   = 0xeb44accab455d165
)

// arc is an occurrence of a chunk with the context of its features.
type arc struct {
	names       [order]uint32     // of the chunk, and of those before it, the last one first
	target      uint32            // the name of its target
	said        [order - 1]uint32 // names of the targets before it, the last one first
	after, size int32             // the source goes on at after, and size symbols were read last
}

// The features of an arc form two chains of links. The first link of both is the chunk with its
// place in the source. Each further link of a chain adds a chunk before, or the target of one.
const (
	chainChunks = iota
	chainTargets
	chains

	links = order
)

// appendHashes appends the hashes of the features of a that belong to one link of a chain. They
// depend on this link and the links before it.
func (a *arc) appendHashes(dst []uint64, chain, link int, sources []int32) []uint64 {
	if chain == chainTargets {
		return a.appendTargets(dst, link, sources)
	}
	grams := uint64(kindGrams)
	for _, name := range a.names[:link+1] {
		grams = mix(grams, uint64(name))
	}
	dst = append(dst, grams)
	chunk := uint64(a.names[0])
	switch link {
	case 0:
		second, third, fourth := uint64(sources[a.after+1]), uint64(sources[a.after+2]), uint64(sources[a.after+3])
		dst = append(dst, mix(mix(kindNext, chunk), second), mix(mix(kindNext+1, chunk), third),
			mix(mix(mix(kindNext+2, chunk), second), third), mix(mix(mix(kindNext+3, chunk), third), fourth))
		after, before, both := mix(kindAfter, chunk), mix(kindBefore, chunk), mix(kindBoth, chunk)
		for i := range int32(reach) {
			right, left := uint64(sources[a.after+i]), uint64(sources[a.after-a.size-1-i])
			after, before = mix(after, right), mix(before, left)
			both = mix(mix(both, right), left)
			dst = append(dst, after, before, both)
		}
	case 1:
		next := mix(mix(kindAhead, chunk), uint64(a.names[1]))
		for i := range int32(ahead) {
			next = mix(next, uint64(sources[a.after+i]))
			dst = append(dst, next)
		}
	}
	return dst
}

// appendTargets is appendHashes for the chain of the targets before a.
func (a *arc) appendTargets(dst []uint64, link int, sources []int32) []uint64 {
	if link == 0 {
		return dst
	}
	chunk := uint64(a.names[0])
	said, sound := mix(kindSaid, chunk), mix(kindSound, uint64(a.target))
	for _, before := range a.said[:link] {
		said, sound = mix(said, uint64(before)), mix(sound, uint64(before))
	}
	dst = append(dst, said, sound)
	if link > 1 {
		return append(dst, mix(mix(kindGap+uint64(link-2), chunk), uint64(a.said[link-1])))
	}
	seen := mix(mix(kindSeen, chunk), uint64(a.said[0]))
	for i := range int32(ahead) {
		seen = mix(seen, uint64(sources[a.after+i]))
		dst = append(dst, seen)
	}
	return dst
}

// index numbers features, identified by 64-bit hashes.
type index = keytable.Table[uint64]

// frequent reduces the features of the shards to those that fire in at least support sources, and
// returns their index. Features that fire in many sources come first, so that their strengths are
// close together in memory.
func frequent(shards []*evidence) *index {
	n := 0
	for _, v := range shards {
		for chain := range v.bundles {
			n += len(v.bundles[chain].new)
		}
	}
	often := newSketch(n)
	for _, v := range shards {
		for chain := range v.bundles {
			often.add(&v.bundles[chain], chain, v.arcs, v.sources)
		}
	}
	var all index
	var count, last []int32 // per feature: the number of sources, and the last of them
	first := int32(1)       // the number of the first source of a shard
	for _, v := range shards {
		for chain := range v.bundles {
			b, source := &v.bundles[chain], int32(0)
			b.number(chain, v.arcs, v.sources, &all, often)
			for n := len(all.Keys()) - len(count); n > 0; n-- {
				count, last = append(count, 0), append(last, 0)
			}
			for n, l := range b.new {
				for l.arc >= v.ends[source] {
					source++
				}
				for _, k := range b.fired[b.row[n]:b.row[n+1]] {
					if last[k] != first+source {
						count[k], last[k] = count[k]+1, first+source
					}
				}
			}
		}
		first += int32(len(v.ends))
		v.numbered()
	}
	var classes [33][]int32 // features by the number of bits of their count
	for k, n := range count {
		if int(n) >= support {
			class := &classes[bits.Len32(uint32(n))]
			*class = append(*class, int32(k))
		}
	}
	some, to := new(index), last // the new number of each feature
	for k := range to {
		to[k] = -1
	}
	for _, class := range slices.Backward(classes[:]) {
		for _, k := range class {
			to[k], _ = some.Number(all.Keys()[k])
		}
	}
	for _, v := range shards {
		for chain := range v.bundles {
			b := &v.bundles[chain]
			for i, k := range b.fired {
				b.fired[i] = to[k]
			}
			b.reduce()
		}
	}
	return some
}

// mix returns a hash of h and x.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^(x*0x9e3779b97f4a7c15+0xe7037ed1a0b428db), 0x8ebc6af09c88c6e3)
	return hi ^ lo
}

// names contains the names of chunks and of their targets, by the index of the chunk. Equal
// contents have equal names in all inventories. The names at 0 are for ngram.End.
type names struct{ chunk, target []uint32 }

// names returns the names of the chunks of c.
func (c *Chunks) names() names {
	n := names{[]uint32{theEnd}, []uint32{theEnd}}
	for _, chunk := range c.all {
		n.chunk = append(n.chunk, name(chunk.Source, chunk.Target))
		n.target = append(n.target, name(nil, chunk.Target))
	}
	return n
}

// name returns a name of a chunk.
func name(source, target []int32) uint32 {
	h := mix(uint64(len(source)), uint64(len(target)))
	for _, side := range [][]int32{source, target} {
		for _, s := range side {
			h = mix(h, uint64(s))
		}
	}
	return uint32(h >> 32)
}
