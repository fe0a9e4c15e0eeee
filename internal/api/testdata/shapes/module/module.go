package module

func Module() {}
