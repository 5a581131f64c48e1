package browser_test

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

var pictures = flag.String("pictures", "", "write pictures of the page into this directory")

// TestPictures shows three kinds of work for a minute, and writes light.png,
// dark.png and phone.png:
//
//	go test -run Pictures . -args -pictures DIR
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("only with -pictures")
	}
	os.Args[0] = "crawler" // the page names the program
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	serve := func(name string, callers int, unit func(inFlight int) time.Duration) {
		l := sweetspot.New(sweetspot.Name(name))
		for range callers {
			go func() {
				for l.Do(ctx, func(context.Context) error {
					time.Sleep(unit(l.Stats().InFlight))
					return nil
				}) == nil {
				}
			}()
		}
	}
	ms := func(x float64) time.Duration { return time.Duration(x * float64(time.Millisecond)) }
	began := time.Now()
	serve("fetch", 150, func(n int) time.Duration { // a server that slows down, and is halved after 40 s
		knee := 48.0
		if time.Since(began) > 40*time.Second {
			knee = 20
		}
		return ms((40 + 10*rand.Float64()) * max(1, float64(n)/knee))
	})
	serve("store", 24, func(n int) time.Duration { return ms(20 * max(1, float64(n)/6)) })
	serve("thumbnails", 12, func(n int) time.Duration { return ms(15 * max(1, float64(n)/3)) })
	server := httptest.NewServer(muxOf(dash.Handler(dash.Control())))
	t.Cleanup(server.Close) // after the browser, whose stream it would wait for

	tb := open(t)
	tb.do(chromedp.EmulateViewport(1200, 1130), chromedp.Navigate(server.URL+"/limits/"))
	time.Sleep(75 * time.Second)
	tb.write("light.png")
	tb.scheme("dark")
	tb.do(chromedp.Sleep(1500 * time.Millisecond))
	tb.write("dark.png")
	tb.do(chromedp.EmulateViewport(390, 1700, chromedp.EmulateMobile), chromedp.Sleep(1500*time.Millisecond))
	tb.write("phone.png")
}

func muxOf(page http.Handler) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/limits/", page)
	return mux
}

// write writes a picture in 256 colours.
func (tb *tab) write(name string) {
	tb.t.Helper()
	data, err := chromedp.Run(tb.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		tb.t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		tb.t.Fatal(err)
	}
	few := image.NewPaletted(full.Bounds(), frequent(full, 256))
	draw.Draw(few, few.Bounds(), full, full.Bounds().Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few); err != nil {
		tb.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name), b.Bytes(), 0o644); err != nil {
		tb.t.Fatal(err)
	}
}

// frequent returns the most frequent colours, of those that look alike only one.
func frequent(m image.Image, n int) color.Palette {
	count := map[color.Color]int{}
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			count[m.At(x, y)]++
		}
	}
	byCount := func(a, b color.Color) int { return count[b] - count[a] }
	best := map[[3]uint32]color.Color{}
	for _, c := range slices.SortedFunc(maps.Keys(count), byCount) {
		r, g, b, _ := c.RGBA()
		alike := [3]uint32{r >> 12, g >> 12, b >> 12}
		if _, ok := best[alike]; !ok {
			best[alike] = c
		}
	}
	all := slices.SortedFunc(maps.Values(best), byCount)
	return all[:min(n, len(all))]
}
