package main

func Example() {
	main()
	// Output:
	// 0.75 3
	// 0.125 8
	// cast becomes cat with probability 0.102
	// P(at) = 0.148
	// at 0.064
	// cat 0.051
	// act 0.026
	// cast 0.008
	// a is missed with probability 0.50
	// at 0.10
	// act 0.23
	// cat 0.39
	// cast 0.28
	// agreement: -20.64 nats
	// yes, no, neither: [0.56 0.33 0.11]
	// kinds [0 0 0 0 1 1 1 1]: a loss of 15.66, where none is below 12.64
}
