package figures

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"time"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// Schema is the JSON Schema of a [File].
//
//go:embed schema.json
var Schema []byte

// A File is the result of one run of the lab.
type File struct {
	Version     int          `json:"version"`
	Machine     Machine      `json:"machine"`
	Run         Run          `json:"run"`
	Experiments []Experiment `json:"experiments"`
}

// A Run says how it was measured.
type Run struct {
	Scale   string    `json:"scale"`  // quick, full or article: how large the work was
	Rounds  int       `json:"rounds"` // each point was measured once in each, by a fresh process, unless it has more or fewer samples
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	// Confidence is that of all intervals, such as 0.95.
	Confidence float64 `json:"confidence"`
	// Behaviour is a digest of what the default law decides in simulations, and of the
	// calls. If it differs, expect other figures.
	Behaviour string `json:"behaviour,omitempty"`
}

// An Experiment is one system that an article describes: its claim, what was
// measured here, and what this library answers.
type Experiment struct {
	ID      string `json:"id"` // as in "A3"
	Title   string `json:"title"`
	Article string `json:"article"`
	Link    string `json:"link,omitempty"` // to the article
	About   string `json:"about"`          // what exactly is run
	Claim   string `json:"claim"`          // what the article measured

	// Published are the article's own figures.
	Published []Published `json:"published,omitempty"`

	SizeArticle string `json:"size_article"`
	SizeHere    string `json:"size_here"`

	// Seconds is how long it took to measure what no other experiment measured for it.
	Seconds float64 `json:"seconds,omitempty"`

	// Rounds is the number of rounds in which all of it was measured, if it is not the
	// run's. Points may have more or fewer samples, too.
	Rounds int `json:"rounds,omitempty"`

	Axis   Axis   `json:"axis"`
	Better string `json:"better"` // lower or higher: which figures of the points are better

	Verdict string   `json:"verdict"` // in words
	Effect  Effect   `json:"effect,omitempty"`
	Holds   bool     `json:"holds"` // the effect shows, or it is a baseline
	Points  []Point  `json:"points"`
	Fits    []Fit    `json:"fits,omitempty"`
	Ours    *Ours    `json:"ours"` // null where the experiment asks nothing that this library answers
	Notes   []string `json:"notes,omitempty"`
	Series  []Series `json:"series,omitempty"`
	Heat    []Heat   `json:"heat,omitempty"`
	InFull  string   `json:"in_full,omitempty"` // text for a reader who wants all of it

	WhyUntold string `json:"why_untold,omitempty"` // why it is undecided whether the effect shows, where it is
	WhyShort  string `json:"why_short,omitempty"`  // why ours falls short of the best variant, where it does
	Further   string `json:"further,omitempty"`    // how a reader can add to it

	Error string `json:"error,omitempty"` // why it could not be measured; the figures are not to be used then
}

// An Axis is what the points of an experiment differ by.
type Axis struct {
	Name string `json:"name"` // empty if they differ by their labels alone
	Log2 bool   `json:"log2,omitempty"`
}

// A Point is one figure: a median, and the interval in which the true one lies
// with the confidence of the run. With few samples the interval is no narrower
// than all of them.
type Point struct {
	Label   string    `json:"label"`
	X       float64   `json:"x"` // where on the axis; 0 if the experiment has none
	Y       float64   `json:"y"`
	Unit    string    `json:"unit"`
	Low     float64   `json:"low"`
	High    float64   `json:"high"`
	Samples []float64 `json:"samples"` // one for each round, in their order
	CPUs    int       `json:"cpus"`    // GOMAXPROCS of the processes
	// Size is how much work this point did, where that is not the experiment's
	// SizeHere.
	Size string `json:"size,omitempty"`
	Ours bool   `json:"ours,omitempty"`
	// Aside is set where the point is not of the experiment's own measure, but
	// beside it, such as an allocation count beside times.
	Aside bool `json:"aside,omitempty"`
	// Panel names what the points of one picture have in common, where an
	// experiment has several, such as its tasks.
	Panel string `json:"panel,omitempty"`
}

// A Published is a figure of the article, in the unit of the points that it is
// compared with: for one unit of work, or for as much as was done here.
type Published struct {
	Label string  `json:"label"` // that of the points
	X     float64 `json:"x"`     // where on the axis
	Y     float64 `json:"y"`     // 0 if only a place was published, such as the best number
	Slope float64 `json:"slope,omitempty"`
	Unit  string  `json:"unit"`
	Text  string  `json:"text"` // as it was published
	Aside bool    `json:"aside,omitempty"`
	Panel string  `json:"panel,omitempty"`
}

// A Series is what was seen in the course of one measurement.
type Series struct {
	Panel  string    `json:"panel"` // the picture, as that of points
	Label  string    `json:"label"` // whose, such as a law
	Name   string    `json:"name"`  // what, such as limit
	Unit   string    `json:"unit"`
	Times  []float64 `json:"times"` // seconds since the beginning
	Values []float64 `json:"values"`
	Ours   bool      `json:"ours,omitempty"`
	Goal   bool      `json:"goal,omitempty"` // what was aimed at, not what was
}

// A Heat is a figure over two parameters.
type Heat struct {
	Title  string     `json:"title"`
	X      string     `json:"x"` // what is along the axes
	Y      string     `json:"y"`
	Unit   string     `json:"unit"`
	Better string     `json:"better"` // lower or higher
	Cells  []HeatCell `json:"cells"`
}

// A HeatCell is the figure at one pair of parameters.
type HeatCell struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Value float64 `json:"value"`
}

// A Fit is a straight line through the points of a label.
type Fit struct {
	Label     string  `json:"label"`
	Intercept float64 `json:"intercept"` // in the unit of the points
	Slope     float64 `json:"slope"`     // in the unit of the points for each unit of x
	Low       float64 `json:"low"`       // of the slope
	High      float64 `json:"high"`
	From      float64 `json:"from,omitempty"` // the least x that it was fitted to
}

// Ours is what this library makes of the same work.
type Ours struct {
	Label string  `json:"label"`
	Y     float64 `json:"y"`
	Unit  string  `json:"unit"`
	// Ratio is that to the best variant of the article, formed within each round:
	// above 1 ours is better.
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Best  string  `json:"best"` // that variant
	// Avoids says what the article measures and ours avoids, if ours does not do
	// the same work. Such an answer does not count.
	Avoids string `json:"avoids,omitempty"`
}

// Write writes f as JSON.
func (f *File) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(f)
}

// anID is that of an experiment. Pictures have it in their names.
var anID = regexp.MustCompile(`^[A-Z][0-9]+$`)

// Read reads what Write has written. It refuses other versions.
func Read(r io.Reader) (*File, error) {
	var f File
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("reading figures: %w", err)
	}
	if f.Version != Version {
		return nil, fmt.Errorf("reading figures: the file is of version %d, want %d", f.Version, Version)
	}
	for i := range f.Experiments {
		if id := f.Experiments[i].ID; !anID.MatchString(id) {
			return nil, fmt.Errorf("reading figures: an experiment has the ID %q, want a letter and a number, such as A3", id)
		}
		f.Experiments[i].known()
	}
	return &f, nil
}
