package em

import "hash/maphash"

// nameIndex finds groups by their names. It is a hash table of group numbers and takes about 8
// bytes per group; a map would take 50.
type nameIndex struct {
	seed  maphash.Seed
	slots []int32 // 1 + the number of a group, or 0 if empty; a power of two, at most ¾ full
}

// slot returns the slot of a name. It is empty if the index does not contain the name.
func (x *nameIndex) slot(groups []*Group, name string) int {
	mask := len(x.slots) - 1
	i := int(maphash.String(x.seed, name)) & mask
	for x.slots[i] > 0 && groups[x.slots[i]-1].name != name {
		i = (i + 1) & mask
	}
	return i
}

// find returns the group with a name, or nil.
func (x *nameIndex) find(groups []*Group, name string) *Group {
	if len(x.slots) == 0 {
		return nil
	}
	if k := x.slots[x.slot(groups, name)]; k > 0 {
		return groups[k-1]
	}
	return nil
}

// add adds the last of groups, whose name is new.
func (x *nameIndex) add(groups []*Group) {
	n := len(groups)
	first := n - 1
	if 4*n > 3*len(x.slots) {
		if len(x.slots) == 0 {
			x.seed = maphash.MakeSeed()
		}
		x.slots, first = make([]int32, max(8, 2*len(x.slots))), 0
	}
	for k := first; k < n; k++ {
		x.slots[x.slot(groups, groups[k].name)] = int32(k + 1)
	}
}
