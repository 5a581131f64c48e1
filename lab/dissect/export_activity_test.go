package dissect

// MedianOf returns the median that is kept of some times.
func MedianOf(all ...float64) float64 {
	d := durations{}
	for _, s := range all {
		d.add(s)
	}
	return d.median()
}
