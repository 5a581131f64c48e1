package sim_test

import (
	"reflect"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

// Rows take their medians from the figures of the same name.
func TestRowsNameFiguresOfResults(t *testing.T) {
	for _, c := range []struct{ row, result reflect.Type }{
		{reflect.TypeFor[sim.Row](), reflect.TypeFor[sim.Result]()},
		{reflect.TypeFor[sim.ServeRow](), reflect.TypeFor[sim.ServeResult]()},
		{reflect.TypeFor[sim.CompanyRow](), reflect.TypeFor[sim.CompanyResult]()},
	} {
		for f := range c.row.Fields() {
			if _, ok := c.result.FieldByName(f.Name); !ok && f.Name != "Worst" && f.Type.Kind() == reflect.Float64 {
				t.Errorf("%v has %s, and %v does not", c.row, f.Name, c.result)
			}
		}
	}
}
