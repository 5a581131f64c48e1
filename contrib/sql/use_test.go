package sqllimit_test

import (
	"database/sql"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

// BenchmarkUse is the cost of one statement but for the driver and the server,
// through the pool of database/sql alone and through the gate.
func BenchmarkUse(b *testing.B) {
	b.Run("plain", func(b *testing.B) { use(b, sql.OpenDB(new(server))) })
	b.Run("gate", func(b *testing.B) { use(b, sql.OpenDB(sqllimit.Connector(new(server), sweetspot.New()))) })
}

func use(b *testing.B, db *sql.DB) {
	defer db.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.ExecContext(b.Context(), ""); err != nil {
			b.Fatal(err)
		}
	}
}
