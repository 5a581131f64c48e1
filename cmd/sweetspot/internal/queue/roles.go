package queue

import (
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Who has pushKey or workKey may do what the commands push and work need, and nothing
// else. What would open more than that is done by the [service]: to make a queue, or to change
// its consumer, can have the server copy any stream to any subject.

// inboxPrefix begins the subjects where answers to the owner of a key come. By default all
// clients have theirs below the same one, and could read each other's.
func inboxPrefix(public string) string { return "_INBOX." + public }

// answerMost is how long a worker may take to answer a question: those who ask wait for less.
const answerMost = 10 * time.Second

// users returns what a server knows of the keys: nothing to sign with.
func (h *home) users() (all []*server.NkeyUser, err error) {
	for _, one := range []struct {
		key                string
		publish, subscribe []string // none: everything
		answers            bool
	}{
		{key: userKey},
		{key: pushKey, publish: []string{
			"$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.INFO.*." + consumerName, // to find the queue
			"$JS.API.INFO", jobsSubject + "*",
			makeSubject + "*", syncSubject + "*.*",
		}},
		{key: workKey, publish: []string{
			"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.INFO.*." + consumerName,
			"$JS.API.CONSUMER.MSG.NEXT.*." + consumerName, "$JS.ACK.*." + consumerName + ".>", // jobs
			"$JS.API.DIRECT.GET.*.$KV.*.>",                                // whether a job has a result, and orders to end
			"$KV.*." + jobKeys + "*", "$KV.*." + deadKeys + "*", "$O.*.>", // results
			"$JS.API.DIRECT.GET.*.$O.*.>",
			"$JS.API.CONSUMER.CREATE.*.*.$KV.*." + drainName, "$JS.API.CONSUMER.DELETE.*.*", "$JS.FC.>", // to watch for orders
			"$KV.*.fleet.>", "sweetspot.fleet.>",
			makeSubject + "*", tuneSubject + "*", syncSubject + "*.*",
		}, subscribe: []string{pingSubject + "*", "sweetspot.fleet.>"}, answers: true},
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
				Publish:   &server.SubjectPermission{Allow: one.publish, Deny: []string{"$JS.API.CONSUMER.DELETE.*." + consumerName}},
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
