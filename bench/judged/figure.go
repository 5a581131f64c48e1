package main

import "fmt"

// figure formats a number with three digits.
func figure(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x == float64(int(x)):
		return fmt.Sprint(int(x))
	}
	return fmt.Sprintf("%.2f", x)
}
