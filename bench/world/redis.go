package main

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"
)

const (
	redisKeys  = 10_000
	redisValue = 1 << 10 // bytes of each
	redisSets  = 10      // one unit in so many sets a key, the others get one
)

// redisConfig lacks the port and the password.
//
//go:embed redis.conf
var redisConfig string

// openRedis starts a server and returns units that get a random key, or sometimes
// set it.
func openRedis(ctx context.Context, h *host) (unit, error) {
	program, err := find("redis-server")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	password := rand.Text() // without it any user of this machine could write files as the server
	if err := h.write("redis.conf", strings.NewReplacer("PORT", port, "PASSWORD", password).Replace(redisConfig)); err != nil {
		return nil, err
	}
	client := redis.NewClient(&redis.Options{
		Addr: address, Password: password, MaxRetries: -1,
		PoolSize: 1 << 10, ConnMaxIdleTime: -1, // every caller has a connection, and keeps it
	})
	err = h.start(ctx, server{
		program: program, args: []string{h.path("redis.conf")}, stop: syscall.SIGTERM,
		ready: func(ctx context.Context) error { return client.Ping(ctx).Err() },
	})
	h.atEnd(func() { _ = client.Close() })
	if err != nil {
		return nil, err
	}
	value := bytes.Repeat([]byte("x"), redisValue)
	_, err = client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for k := range redisKeys {
			p.Set(ctx, fmt.Sprint(k), value, 0)
		}
		return nil
	})
	return func(ctx context.Context) error {
		key := fmt.Sprint(mrand.IntN(redisKeys))
		if mrand.IntN(redisSets) == 0 {
			return client.Set(ctx, key, value, 0).Err()
		}
		got, err := client.Get(ctx, key).Bytes()
		if err == nil && len(got) != redisValue {
			err = errors.New("a value has another length")
		}
		return err
	}, err
}
