package rows

// Postorder returns the nodes that the roots depend on, every tail before its head, and −1. If a
// node is derived from itself, it returns nil and such a node. The edges of node v have the tails
// tails[row[v]:row[v+1]].
func Postorder(row, tails, roots []int32) (order []int32, cyclic int32) {
	const (
		fresh = iota
		open
		done
	)
	nodes := len(row) - 1
	state := make([]byte, nodes)
	next := make([]int32, nodes) // the next tail of a node on the stack
	var stack []int32
	order = make([]int32, 0, nodes)
	push := func(v int32) {
		state[v], next[v] = open, row[v]
		stack = append(stack, v)
	}
	for _, root := range roots {
		if state[root] != fresh {
			continue
		}
		push(root)
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			if next[v] == row[v+1] {
				state[v] = done
				order = append(order, v)
				stack = stack[:len(stack)-1]
				continue
			}
			u := tails[next[v]]
			next[v]++
			switch state[u] {
			case open:
				return nil, u
			case fresh:
				push(u)
			}
		}
	}
	return order, -1
}
