package sim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestCurveValues(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want float64
	}{
		{"1", 5, 1},
		{"1 + n*(n-1)/576", 24, 1 + 24*23/576.0},
		{"2 - 1 - -1", 1, 2},
		{"pow(2, pow(3, 2)) / 2", 1, 256},
		{"-pow(2, 2) + 5", 1, 1},
		{"8/2/2*3", 1, 6},
		{"1.5*n - .5", 3, 4},
		{"max(1, n/4)", 3, 1},
		{"min(n, 3) + sqrt(n) + ln(exp(4))", 4, 9},
		{"1 up to 8; pow(n/8, 1.05)", 8, 1},
		{"1 up to 8; pow(n/8, 1.05)", 9, math.Pow(9.0/8, 1.05)},
		{"1 up to 8; pow(n/8, 1.05)", 0, 1},
		{"1 up to 16; n/16 up to 64; n / (16 * pow(min(n, 1024)/64, ln(10)/ln(16)))", 1024, 6.4},
	} {
		f, err := sim.ParseCurve(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if y := f.At(c.n); math.Abs(y-c.want) > 1e-12 {
			t.Errorf("%q at %d is %v, want %v", c.text, c.n, y, c.want)
		}
	}
	if y := (sim.Curve{}).At(7); y != 1 {
		t.Errorf("the zero curve is %v", y)
	}
}

func TestParseCurveErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "expected operand",
		"1 +":                          "expected operand",
		"1 + * 2":                      "*2: want a number",
		"(1":                           "expected ')'",
		"1)":                           "expected 'EOF'",
		"1.2.3":                        "expected 'EOF'",
		"'1'":                          "is not a number",
		"m":                            "m: want a number, n",
		"n[1]":                         "n[1]: want a number, n",
		"n ^ 2":                        `unknown name "^": want`,
		"mean(n)":                      `unknown name "mean": want`,
		"min(n)":                       "min does not take 1 argument(s)",
		"ln(n, n, n)":                  "ln does not take 3 argument(s)",
		"*n":                           "*n: want a number",
		"sqrt(m)":                      "m: want a number, n",
		"ln n":                         "expected 'EOF'",
		"sqrt(n":                       "missing ','",
		"10 - n":                       "at n = 10",
		"n - 1":                        "at n = 1",
		"exp(n)":                       "at n = 710",
		"1 up to 8":                    "the last must not have it",
		"1; n":                         "every formula but the last needs",
		"1 up to x; n":                 "want a whole number above 0",
		"1 up to 8; n up to 8; n":      "want a whole number above 8",
		"1 up to 500000; n":            "past the highest limit",
		"1 up to 5000; n - 5001":       "at n = 5001",
		strings.Repeat("(", 1e6) + "1": "nesting depth",
	} {
		if _, err := sim.ParseCurve(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseCurve(%.40q): %v; want an error with %q", text, err, want)
		}
	}
}

func FuzzParseCurve(f *testing.F) {
	f.Add("1 + n*(n-1)/576")
	f.Add("1 up to 8; pow(n/8, 1.05)")
	f.Add("min(n, 3) + sqrt(n) + ln(exp(2))")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := sim.ParseCurve(text)
		if err != nil {
			return
		}
		again, err := sim.ParseCurve(c.String())
		if err != nil || again.At(17) != c.At(17) {
			t.Errorf("%q does not survive its own spelling: %v", text, err)
		}
	})
}

func ExampleParseCurve() {
	c, err := sim.ParseCurve("1 up to 40; 1 + 5.667*(n/40 - 1)")
	fmt.Println(c.At(40), c.At(80), err)
	_, err = sim.ParseCurve("2 - n/10")
	fmt.Println(err)
	// Output:
	// 1 6.667 <nil>
	// curve "2 - n/10": it is 0 at n = 20; it must be a number above 0
}

func ExampleCurve_At() {
	c, _ := sim.ParseCurve("1 + 0.3*(n-1)")
	fmt.Println(c.At(1), c.At(11))
	// Output: 1 4
}

func ExampleCurve_String() {
	c, _ := sim.ParseCurve("1   +n")
	fmt.Println(c)
	// Output: 1 +n
}
