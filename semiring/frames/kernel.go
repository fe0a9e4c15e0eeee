package frames

// assign sets y to the sum of the products w·x, elementwise, of the first three pairs at most.
func assign(y []float64, w, x [][]float64) {
	switch len(w) {
	case 0:
		clear(y)
	case 1:
		assign1(y, w[0], x[0])
	case 2:
		assign2(y, w[0], x[0], w[1], x[1])
	default:
		assign3(y, w[0], x[0], w[1], x[1], w[2], x[2])
	}
	for i := 3; i < len(w); i++ {
		addProducts(y, w[i], x[i])
	}
}

func assign1(y, w, x []float64) {
	w, x = w[:len(y)], x[:len(y)]
	for i := range y {
		y[i] = w[i] * x[i]
	}
}

func assign2(y, w, x, v, z []float64) {
	w, x, v, z = w[:len(y)], x[:len(y)], v[:len(y)], z[:len(y)]
	for i := range y {
		y[i] = float64(w[i]*x[i]) + float64(v[i]*z[i])
	}
}

func assign3(y, w, x, v, z, u, s []float64) {
	w, x, v, z, u, s = w[:len(y)], x[:len(y)], v[:len(y)], z[:len(y)], u[:len(y)], s[:len(y)]
	for i := range y {
		y[i] = float64(w[i]*x[i]) + float64(v[i]*z[i]) + float64(u[i]*s[i])
	}
}

// addProducts adds w·x to y.
func addProducts(y, w, x []float64) {
	w, x = w[:len(y)], x[:len(y)]
	for i := range y {
		y[i] += float64(w[i] * x[i])
	}
}

// assignMax sets y to the greatest of the products w·x, elementwise.
func assignMax(y []float64, w, x [][]float64) {
	clear(y)
	for n := range w {
		w, x := w[n][:len(y)], x[n][:len(y)]
		for i := range y {
			y[i] = max(y[i], w[i]*x[i])
		}
	}
}
