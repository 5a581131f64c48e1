package dash

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
)

// orderSize is far more than an order with a long name needs.
const orderSize = 64 << 10

// An order is the body of a POST to limit.
type order struct {
	Limiter string `json:"limiter"`
	Action  string `json:"action"`
	Limit   int    `json:"limit"`
}

func (p *Page) serveLimit(w http.ResponseWriter, r *http.Request) {
	if !p.control {
		http.Error(w, "sweetspot: this page only shows; dash.Control lets it change limits", http.StatusForbidden)
		return
	}
	// Forms cannot send this type, so no old browser does it for another site.
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		http.Error(w, "sweetspot: want a body of the type application/json", http.StatusUnsupportedMediaType)
		return
	}
	var o order
	if err := decode(http.MaxBytesReader(w, r.Body, orderSize), &o); err != nil {
		http.Error(w, "sweetspot: "+err.Error()+`; want {"limiter": "ID", "action": "set", "limit": 16}`, http.StatusBadRequest)
		return
	}
	if _, err := p.history.next(r.Context(), nil); err != nil {
		return
	}
	l := p.history.limiter(o.Limiter)
	if l == nil || o.Limiter == "" {
		http.Error(w, noLimiter(o.Limiter), http.StatusNotFound)
		return
	}
	if err := o.carryOut(l); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	st := l.Stats()
	serveJSON(w, encode(struct {
		Schema int  `json:"schema"`
		Limit  int  `json:"limit"`
		Manual bool `json:"manual"`
	}{schema, st.Limit, st.Manual}))
}

func decode(r io.Reader, o *order) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one value")
	}
	return nil
}

func (o *order) carryOut(l *sweetspot.Limiter) error {
	switch {
	case o.Action == "set" && (o.Limit < 1 || o.Limit > limit.MaxLimit):
		return fmt.Errorf("sweetspot: limit %d: want a number from 1 to %d", o.Limit, limit.MaxLimit)
	case o.Action == "set":
		l.SetLimit(o.Limit)
	case o.Limit != 0:
		return fmt.Errorf("sweetspot: the action %q takes no limit", o.Action)
	case o.Action == "freeze":
		l.SetLimit(l.Limit())
	case o.Action == "auto":
		l.Auto()
	default:
		return fmt.Errorf("sweetspot: action %q: want set, freeze or auto", o.Action)
	}
	return nil
}
