package figures

// A Count says how the experiments of a file ended.
type Count struct {
	Shown, Hidden        int // whose effect shows here, or does not
	Ahead, Level, Behind int // how ours stands
	Failed               []string
}

// Count counts the experiments.
func (f *File) Count() Count {
	var c Count
	for _, e := range f.Experiments {
		switch {
		case e.Error != "":
			c.Failed = append(c.Failed, e.ID)
			continue
		case e.Holds:
			c.Shown++
		default:
			c.Hidden++
		}
		if e.Ours == nil {
			continue
		}
		switch e.Ours.Standing() {
		case Ahead:
			c.Ahead++
		case Behind:
			c.Behind++
		default:
			c.Level++
		}
	}
	return c
}

// A Standing is how ours compares with the best variant of an article.
type Standing string

const (
	Ahead  Standing = "better"
	Level  Standing = "no difference beyond the noise"
	Behind Standing = "worse"
)

// Standing says what the interval of the ratio says, and not the ratio alone.
func (o *Ours) Standing() Standing {
	switch {
	case o.Low > 1:
		return Ahead
	case o.High < 1:
		return Behind
	}
	return Level
}
