package asynqlimit

import (
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/sweetspot-go/sweetspot"
)

// NewUnhooked is NewServer on an asynq whose commands the hook does not know.
func NewUnhooked(opt asynq.RedisClientOpt, cfg asynq.Config, limiter *sweetspot.Limiter) *Server {
	client := opt.MakeRedisClient().(redis.UniversalClient)
	g := newGate(limiter, &cfg)
	return newServer(client, cfg, g)
}

// GiveUpAfter has s take a task that has no context after d for one that asynq cannot read.
func (s *Server) GiveUpAfter(d time.Duration) { s.gate.late = d }

// A Gate is what the commands of asynq wait at.
type Gate struct{ g *gate }

func NewGate(limiter *sweetspot.Limiter) Gate { return Gate{newGate(limiter, &asynq.Config{})} }

func (g Gate) Hook(next redis.ProcessHook) redis.ProcessHook { return g.g.ProcessHook(next) }
func (g Gate) Close()                                        { g.g.close() }
