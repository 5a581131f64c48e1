package simcmd

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/plot"
)

// The parts of the pages. Nothing in them refers to anything outside.
//
//go:embed assets/page.html
var pageText string

//go:embed assets/page.css
var style string

//go:embed assets/sort.js
var script string

// A page is what the template gets: tables, and then pictures.
type page struct {
	Title, About string
	Tables       []*table
	Parts        []part
}

// A table begins each row with the name of a part.
type table struct {
	ID, Title, About string
	Head             []string
	Rows, Foot       [][]cell
}

type cell struct{ Text, Class string }

// cells returns the texts as cells without a class.
func cells(texts ...string) (all []cell) {
	for _, t := range texts {
		all = append(all, cell{Text: t})
	}
	return all
}

// A part is one scenario or service, with a picture of what each law made of it.
type part struct {
	Name, Small, About string
	Pictures           []pictured
}

type pictured struct {
	Law   string
	Score cell
	Words string
	SVG   template.HTML
}

func (p *page) write(w io.Writer) error {
	functions := template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style + plot.Style) },
		"script": func() template.JS { return template.JS(script) },
		// Long names may be broken after their colon, or a table of many laws
		// would be wider than a screen.
		"breakable": func(s string) template.HTML {
			return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(s), ":", ":<wbr>"))
		},
	}
	return template.Must(template.New("page").Funcs(functions).Parse(pageText)).Execute(w, p)
}
