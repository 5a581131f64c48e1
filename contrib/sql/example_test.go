package sqllimit_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	sqllimit "github.com/sweetspot-go/sweetspot/contrib/sql"
)

// The examples use a driver that is a fake, so that they run anywhere.
func init() { sql.Register("fake", new(server)) }

func ExampleOpen() {
	l := sweetspot.New(sweetspot.Name("orders"), sweetspot.Max(80))
	db, err := sqllimit.Open("fake", "host=db.example", l)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if _, err := db.ExecContext(context.Background(), "update orders ..."); err != nil {
				log.Print(err)
			}
		})
	}
	wg.Wait()
	fmt.Println(l.Stats().Completed, "statements, limit in range:", l.Limit() >= 1 && l.Limit() <= 80)
	// Output: 100 statements, limit in range: true
}

func ExampleConnector() {
	connector := new(server) // such as that of pq.NewConnector or stdlib.GetConnector
	l := sweetspot.New()
	l.SetLimit(2)
	db := sql.OpenDB(sqllimit.Connector(connector, l))
	defer db.Close()

	tx, err := db.Begin()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("in use:", l.Stats().InFlight)
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("in use:", l.Stats().InFlight)
	// Output:
	// in use: 1
	// in use: 0
}

// A query inside the loop over the rows of another one needs two connections.
// Under one permit they cannot wait for each other.
func Example_twoConnections() {
	l := sweetspot.New()
	l.SetLimit(1)
	db := sql.OpenDB(sqllimit.Connector(new(server), l))
	defer db.Close()

	err := l.Do(context.Background(), func(ctx context.Context) error {
		rows, err := db.QueryContext(ctx, "select id from orders")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, n int
			if err := rows.Scan(&id); err != nil {
				return err
			}
			if err := db.QueryRowContext(ctx, "select count(*) from items where ...", id).Scan(&n); err != nil {
				return err
			}
			fmt.Println("order", id)
		}
		return rows.Err()
	})
	fmt.Println(err)
	// Output:
	// order 1
	// order 2
	// order 3
	// <nil>
}

func ExampleUnwrap() {
	db := sql.OpenDB(sqllimit.Connector(new(server), sweetspot.New()))
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		c, err := sqllimit.Unwrap(ctx, c)
		if err != nil {
			return err
		}
		fmt.Printf("%T\n", c)
		return nil
	})
	fmt.Println(err)
	// Output:
	// *sqllimit_test.fakeConn
	// <nil>
}

// A driver whose errors have no SQLSTATE.
func ExampleClassify() {
	tooMany := errors.New("error 1040: too many connections")
	busy := sqllimit.Classify(func(err error) sweetspot.Outcome {
		if errors.Is(err, tooMany) {
			return sweetspot.Overloaded
		}
		return sqllimit.Outcome(err)
	})
	l := sweetspot.New()
	db := sql.OpenDB(sqllimit.Connector(&server{refuse: tooMany}, l, busy))
	defer db.Close()
	_, err := db.Exec("select 1")
	fmt.Println(err)
	fmt.Println("overloads:", l.Stats().Overloads)
	// Output:
	// error 1040: too many connections
	// overloads: 1
}

func ExampleOutcome() {
	fmt.Println(sqllimit.Outcome(nil) == sweetspot.Done)
	fmt.Println(sqllimit.Outcome(sql.ErrNoRows) == sweetspot.Ignored)
	// Output:
	// true
	// true
}

func ExampleMaxIdleTime() {
	s := new(server)
	db := sql.OpenDB(sqllimit.Connector(s, sweetspot.New(),
		sqllimit.MaxIdleTime(5*time.Minute), sqllimit.MaxLifetime(time.Hour)))
	defer db.Close()
	for range 10 {
		if err := db.Ping(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("opened:", s.opened)
	// Output: opened: 1
}

func ExampleMaxLifetime() {
	s := new(server)
	db := sql.OpenDB(sqllimit.Connector(s, sweetspot.New(), sqllimit.MaxLifetime(time.Nanosecond)))
	defer db.Close()
	for range 10 {
		if err := db.Ping(); err != nil {
			log.Fatal(err)
		}
		time.Sleep(time.Microsecond)
	}
	fmt.Println("opened:", s.opened)
	// Output: opened: 10
}
