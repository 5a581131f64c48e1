package main

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// copies makes a file of 8 MB.
func copies(_ context.Context, dir string) (command, values []string, err error) {
	b := make([]byte, 8<<20)
	for i := range b {
		b[i] = byte(i * i >> 8)
	}
	return []string{"dd", "if=src", "of=out/{}", "bs=1M", "conv=fsync", "status=none"}, numbered(60),
		os.WriteFile(filepath.Join(dir, "src"), b, 0o600)
}

// pictures writes PNGs of 100 to 240 pixels a side, with some noise.
func pictures(_ context.Context, dir string) (command, values []string, err error) {
	random := rand.New(rand.NewPCG(1, 60))
	for i := range 60 {
		side := 100 + 20*(i%8)
		m := image.NewRGBA(image.Rect(0, 0, side, side))
		for y := range side {
			for x := range side {
				m.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(random.IntN(16)), 255})
			}
		}
		name := fmt.Sprintf("%02d.png", i)
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		if err := cmp.Or(png.Encode(f, m), f.Close()); err != nil {
			return nil, nil, err
		}
		values = append(values, name)
	}
	return []string{"optipng", "-quiet", "-o2", "-out", "out/{}", "{}"}, values, nil
}

// A line passes so many bytes per second on, to all who write.
type line struct {
	mu   sync.Mutex
	free time.Time // when what was taken so far has passed
	rate float64
}

func (l *line) pass(n int) {
	l.mu.Lock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))
	due := l.free
	l.mu.Unlock()
	time.Sleep(time.Until(due))
}

// packuments starts a server that ends with ctx, of files as the registry of npm has them by
// sizes: half of them below 79 kB, none above 4.2 MB. Each takes 50 ms to find.
func packuments(ctx context.Context, _ string) (command, values []string, err error) {
	shared := &line{rate: 20e6}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left, _ := strconv.Atoi(r.URL.RawQuery)
		time.Sleep(50 * time.Millisecond)
		for chunk := make([]byte, 16<<10); left > 0; left -= len(chunk) {
			chunk = chunk[:min(left, len(chunk))]
			shared.pass(len(chunk))
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	context.AfterFunc(ctx, server.Close)
	random := rand.New(rand.NewPCG(1, 190))
	for range 190 {
		size := min(79e3*math.Exp(1.5*random.NormFloat64()), 4.2e6)
		values = append(values, strconv.Itoa(int(size)))
	}
	return []string{"curl", "-sS", "-o", "/dev/null", server.URL + "/?{}"}, values, nil
}
