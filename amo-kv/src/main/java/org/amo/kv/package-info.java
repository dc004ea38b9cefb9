/**
 * A sharded key-value service with linearizable calls (Park): {@link org.amo.kv.KvServer}s keep ranges
 * of keys in RocksDB, a group of {@link org.amo.kv.KvCoordinator}s keeps leases, cluster time and the owner of
 * each range, {@link org.amo.kv.KvClient} calls. docs/protocols/linearizable-rpc.md.
 */
@NullMarked
package org.amo.kv;

import org.jspecify.annotations.NullMarked;
