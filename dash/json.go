package dash

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sweetspot-go/sweetspot"
)

// schema is the version of all that programs can read here; see the package
// documentation.
const schema = 1

// A state is how a Limiter is at a moment.
type state struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Limit      int     `json:"limit"`
	InFlight   int     `json:"in_flight"`
	Waiting    int     `json:"waiting"`
	Manual     bool    `json:"manual"`
	Rate       figure  `json:"rate"`
	OwnCPU     figure  `json:"own_cpu"`
	MachineCPU figure  `json:"machine_cpu"`
	CPUs       figure  `json:"cpus"`
	Completed  int64   `json:"completed"`
	Ignored    int64   `json:"ignored"`
	Overloads  int64   `json:"overloads"`
	Active     seconds `json:"active"`
	Decisions  int64   `json:"decisions"`
	Why        string  `json:"why"`
}

func newState(s *series, st sweetspot.Stats, p point) state {
	cpus := unknown
	if st.CPUs > 0 {
		cpus = figure(st.CPUs)
	}
	return state{
		ID: s.id, Name: s.name, Limit: st.Limit, InFlight: st.InFlight, Waiting: st.Waiting, Manual: st.Manual,
		Rate: p.rate, OwnCPU: p.own, MachineCPU: p.machine, CPUs: cpus,
		Completed: st.Completed, Ignored: st.Ignored, Overloads: st.Overloads,
		Active: seconds(st.Active.Seconds()), Decisions: s.ledger.total, Why: s.ledger.why,
	}
}

// A figure is measured: four digits of it mean something. NaN is unknown.
type figure float32

var unknown = figure(math.NaN())

func (f figure) MarshalJSON() ([]byte, error) {
	x := float64(f)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, x, 'g', 4, 64), nil
}

// Seconds of work are told to the millisecond.
type seconds float64

func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 3, 64), nil
}

// overview is limiters.json.
func (p *Page) overview(m *moment) []byte {
	return encode(struct {
		Schema   int     `json:"schema"`
		Program  string  `json:"program"`
		Control  bool    `json:"control"`
		Time     int64   `json:"time"`
		Limiters []state `json:"limiters"`
	}{schema, strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), p.control, m.at.UnixMilli(), m.states})
}

// account is history.json.
func (h *history) account(s *series) []byte {
	a := struct {
		Schema     int      `json:"schema"`
		Limiter    string   `json:"limiter"`
		Time       []int64  `json:"time"`
		Limit      []int32  `json:"limit"`
		InFlight   []int32  `json:"in_flight"`
		Waiting    []int32  `json:"waiting"`
		Rate       []figure `json:"rate"`
		OwnCPU     []figure `json:"own_cpu"`
		MachineCPU []figure `json:"machine_cpu"`
		Changes    []change `json:"changes"`
	}{Schema: schema, Limiter: s.id}
	n := min(len(s.points), len(h.times))
	a.Time = h.times[len(h.times)-n:]
	a.Limit, a.InFlight, a.Waiting = make([]int32, n), make([]int32, n), make([]int32, n)
	a.Rate, a.OwnCPU, a.MachineCPU = make([]figure, n), make([]figure, n), make([]figure, n)
	for i, p := range s.points[len(s.points)-n:] {
		a.Limit[i], a.InFlight[i], a.Waiting[i] = p.limit, p.inFlight, p.waiting
		a.Rate[i], a.OwnCPU[i], a.MachineCPU[i] = p.rate, p.own, p.machine
	}
	a.Changes = s.ledger.after(s.of.Value(), 0)
	return encode(a)
}

// news is the event "changes".
func news(id string, c []change) []byte {
	return encode(struct {
		Schema  int      `json:"schema"`
		Limiter string   `json:"limiter"`
		Changes []change `json:"changes"`
	}{schema, id, c})
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // nothing here is of a kind that could fail
	}
	return b
}

func (p *Page) serveLimiters(w http.ResponseWriter, r *http.Request) {
	m, err := p.history.next(r.Context(), nil)
	if err != nil {
		return // nobody is there to read why
	}
	serveJSON(w, p.overview(m))
}

func (p *Page) serveHistory(w http.ResponseWriter, r *http.Request) {
	if _, err := p.history.next(r.Context(), nil); err != nil {
		return
	}
	id := r.URL.Query().Get("limiter")
	p.history.mu.Lock()
	var data []byte
	if s := p.history.find(id); s != nil {
		data = p.history.account(s)
	}
	p.history.mu.Unlock()
	if data == nil {
		http.Error(w, noLimiter(id), http.StatusNotFound)
		return
	}
	serveJSON(w, data)
}

func noLimiter(id string) string {
	return fmt.Sprintf("sweetspot: there is no Limiter with the id %q; limiters.json lists them", id)
}

func serveJSON(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(data, '\n')) // who does not read it needs no error
}
