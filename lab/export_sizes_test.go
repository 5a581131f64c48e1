package lab

// SizesOfTwo tells how much work two points of an experiment do.
func SizesOfTwo(id, scale, a, b string) string {
	e := find(id)
	r := &runner{scale: scaleOf(scale)}
	pair, err := r.pairOf(e, e.points(r.scale), []string{a, b})
	if err != nil {
		panic(err)
	}
	return e.sizesOf(pair)
}

// SizesOf returns by the names of an experiment's points how much work they say
// that they do where the experiment has n; empty for those that do that.
func SizesOf(id, scale string, n int) map[string]string {
	sizes := map[string]string{}
	for _, p := range find(id).points(scaleOf(scale)) {
		sizes[p.name()] = ""
		if p.size != nil {
			sizes[p.name()] = p.size(n)
		}
	}
	return sizes
}
