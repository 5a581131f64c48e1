// Package keyset has the set of the keys that a walk has reached. It only grows.
//
// A [Set] belongs to one goroutine at a time. [Set.Share] makes a [Sharded] set of it,
// which any number of goroutines use: it has a lock for each of 64 shards.
//
// Large sets take keys in batches: insertions that follow each other closely wait for
// memory together, so the complete tree of 349,525 strings takes four fifths of the time,
// and a lock serves 64 keys.
//
// A builtin map needs a look-up and an insertion for each new key, and cannot be shared.
// A set has three forms, one after the other:
//
//   - an array inside the Set: a small walk allocates nothing for its set;
//   - cells: one table with open addressing and linear probing (Knuth, TAOCP 6.4);
//   - a directory of tables: extendible hashing in memory (Fagin, Nievergelt,
//     Pippenger and Strong, ACM TODS 4, 1979). Seven of the lower bits of the hash, the
//     tags, find a place in a group (the Swiss tables of Abseil; Kulukundis, CppCon 2017).
//
// So a large set grows a little at a time and abandons no memory. That matters because
// memory that is touched for the first time costs more than what is done in it, most of
// all in a virtual machine. For the same reason tables do not keep hashes: with them, a
// walk over int64 keys took 1.7 times as long. The groups of a table are in the order of
// the hashes, so a split reads it from front to back.
package keyset
