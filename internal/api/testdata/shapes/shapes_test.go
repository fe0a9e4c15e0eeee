package shapes

func Tested() {}
