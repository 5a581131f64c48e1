// Package plot draws figures as SVG: [Lines] over an axis, [Dots] for figures that
// differ by their names alone, [Course] over time, and [Heat] over two parameters.
//
// A picture is text that needs nothing else, neither script nor font nor network.
// Its colours are classes of [Style], so that a page gives them once for all of
// its pictures and they follow its light or dark scheme; Standalone puts the
// style into the picture, which then is a file of its own. Marks and names say the
// same as colours.
package plot
