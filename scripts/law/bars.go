package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
)

// bars are what the law must reach. They are read from the source of `sweetspot
// sim`, which is another module's, so that they stand in one place only.
type bars struct {
	each []bar
	// constants holds those of the source: the bars on all scenarios together.
	constants map[string]float64
}

// A bar is what one scenario asks for, by the field names of the source.
type bar struct {
	scenario string
	want     map[string]float64 // without those that are not asked for
	counts   bool               // in the bars on all scenarios
}

// readBars reads the list allBars of a Go file, and its constants.
func readBars(file string) (bars, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return bars{}, err
	}
	var fields []string
	var literal *ast.CompositeLit
	values := map[string]float64{"none": math.NaN(), "false": 0, "true": 1}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && n.Name.Name == "bars" {
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						fields = append(fields, name.Name)
					}
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i >= len(n.Values) {
					break
				}
				if l, ok := n.Values[i].(*ast.CompositeLit); ok && name.Name == "allBars" {
					literal = l
				} else if x, err := number(n.Values[i], nil); err == nil {
					values[name.Name] = x
				}
			}
		}
		return true
	})
	if literal == nil || len(fields) == 0 {
		return bars{}, fmt.Errorf("%s: want a struct type bars and a list allBars of it", file)
	}
	list := bars{constants: values}
	for _, name := range []string{"minMean", "minMeanWorst", "minRun", "maxRatio"} {
		if _, ok := values[name]; !ok {
			return bars{}, fmt.Errorf("%s: want a constant %s", file, name)
		}
	}
	for _, e := range literal.Elts {
		b, err := newBar(e, fields, values)
		if err != nil {
			return bars{}, fmt.Errorf("%s: %w", file, err)
		}
		list.each = append(list.each, b)
	}
	return list, nil
}

func newBar(e ast.Expr, fields []string, values map[string]float64) (bar, error) {
	l, ok := e.(*ast.CompositeLit)
	if !ok || len(l.Elts) != len(fields) {
		return bar{}, fmt.Errorf("an entry of allBars: want the %d fields %s", len(fields), strings.Join(fields, ", "))
	}
	b := bar{want: map[string]float64{}}
	for i, x := range l.Elts {
		if s, ok := x.(*ast.BasicLit); ok && s.Kind == token.STRING {
			b.scenario, _ = strconv.Unquote(s.Value)
			continue
		}
		v, err := number(x, values)
		switch {
		case err != nil:
			return bar{}, fmt.Errorf("%s, field %s: %w", b.scenario, fields[i], err)
		case fields[i] == "partOfTheAverage":
			b.counts = v != 0
		case !math.IsNaN(v):
			b.want[fields[i]] = v
		}
	}
	return b, nil
}

// number returns the value of a literal or of one of the names in values.
func number(e ast.Expr, values map[string]float64) (float64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.Ident:
		if x, ok := values[e.Name]; ok {
			return x, nil
		}
	}
	return 0, fmt.Errorf("want a number or a known name")
}

// missed returns the bars that rows miss, by name.
func (l bars) missed(rows []row) []string {
	byName := map[string]row{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	var names []string
	mean, meanWorst, worst, ratio, n := 0.0, 0.0, math.Inf(1), 0.0, 0.0
	for _, b := range l.each {
		r, ok := byName[b.scenario]
		if !ok {
			names = append(names, b.scenario+": not run")
			continue
		}
		if m := b.missed(r); len(m) > 0 {
			names = append(names, b.scenario+": "+strings.Join(m, ", "))
		}
		if b.counts {
			n++
			mean += float64(r.Score)
			meanWorst += float64(r.Worst)
			worst = min(worst, float64(r.Worst))
			ratio = max(ratio, float64(r.Ratio))
		}
	}
	for _, all := range []struct {
		name string
		miss bool
	}{
		{"mean", mean/n < l.constants["minMean"]},
		{"mean of worst", meanWorst/n < l.constants["minMeanWorst"]},
		{"worst run", worst < l.constants["minRun"]},
		{"N/N*", ratio > l.constants["maxRatio"]},
	} {
		if all.miss {
			names = append(names, "all: "+all.name)
		}
	}
	return names
}

// missed returns the figures of r that miss b.
func (b bar) missed(r row) []string {
	var names []string
	for _, f := range []struct {
		field, name string
		got         figure
		atMost      bool
	}{
		{"score", "score", r.Score, false},
		{"worst", "worst", r.Worst, false},
		{"last", "last", r.Last, false},
		{"settled", "after 10 s", r.Settled, false},
		{"ratio", "N/N*", r.Ratio, true},
		{"t95", "t95", r.T95, true},
		{"recover", "recover", r.Recover, true},
		{"act", "act", r.Act, false},
	} {
		want, asked := b.want[f.field]
		const rounding = 1e-9
		got := float64(f.got)
		if asked && (f.atMost && got > want+rounding || !f.atMost && got < want-rounding) {
			names = append(names, f.name)
		}
	}
	return names
}
