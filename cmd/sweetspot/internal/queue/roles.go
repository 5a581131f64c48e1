package queue

import (
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A client with pushKey or workKey may do what the commands push and work need, and nothing
// else. Two things in NATS are wider than that, and go through the [service] of the server:
//
//   - To make a queue, or to change its consumer, can have the server copy any stream to any subject.
//   - A question names the subject of its answer, and NATS asks for no right to that: what a
//     stream holds, sent to a subject of JetStream, deletes streams.
//
// What a worker tells a stream goes there by itself: each job has two such messages. Their
// confirmations, misused, can end other workers or add jobs without values, and no more.

// inboxPrefix begins the subjects where answers to the owner of a key come. By default all
// clients have theirs below the same one, and could read each other's.
func inboxPrefix(public string) string { return "_INBOX." + public }

// answerMost is how long a worker may take to answer a question. Commands wait less.
const answerMost = 10 * time.Second

// users returns what a server knows of the keys: nothing to sign with.
func (h *home) users() (all []*server.NkeyUser, err error) {
	const api, stores = apiPrefix + ".", storesPrefix + "."
	for _, one := range []struct {
		key                string
		publish, subscribe []string // none: everything
		answers            bool
	}{
		{key: userKey},
		{key: pushKey, publish: []string{
			pushSubject + "*", sentSubject + "*", makeSubject + "*", syncSubject + "*.*",
			api + "INFO", // why nothing is confirmed
		}},
		{key: workKey, publish: []string{
			api + "INFO", api + "STREAM.INFO.*", api + "CONSUMER.INFO.*." + consumerName,
			api + "CONSUMER.MSG.NEXT.*." + consumerName, "$JS.ACK.*." + consumerName + ".>", // jobs
			api + "DIRECT.GET.*.$KV.*.>",       // whether a job has a result, how often it has failed, and orders to end
			"$KV.*." + jobKeys + "*", "$O.*.>", // results
			stores + "STREAM.INFO.*", stores + "STREAM.PURGE.*", stores + "DIRECT.GET.*.$O.*.>", // and long outputs, also to delete those of a lost race
			api + "$KV.*." + jobKeys + "*", api + "$KV.*." + deadKeys + "*", api + "$KV.*." + roundKeys + "*", api + "$KV.*.fleet.>", api + "$KV.*.tries.>",
			api + "CONSUMER.CREATE.*.*.$KV.*." + drainName, api + "CONSUMER.DELETE.*.*", "$JS.FC.>", // to watch for orders
			"sweetspot.fleet.>",
			makeSubject + "*", tuneSubject + "*", syncSubject + "*.*",
		}, subscribe: []string{"sweetspot.fleet.>", "sweetspot.workers.>"}, answers: true},
	} {
		path, err := h.seed(one.key)
		if err != nil {
			return nil, err
		}
		_, public, err := readKey(path)
		if err != nil {
			return nil, err
		}
		user := &server.NkeyUser{Nkey: public}
		if one.publish != nil {
			user.Permissions = &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: one.publish, Deny: []string{api + "CONSUMER.DELETE.*." + consumerName}},
				Subscribe: &server.SubjectPermission{Allow: append(one.subscribe, inboxPrefix(public)+".>")},
			}
		}
		if one.answers {
			user.Permissions.Response = &server.ResponsePermission{MaxMsgs: 1, Expires: answerMost}
		}
		all = append(all, user)
	}
	return all, nil
}
