/**
 * Linearizable calls over RocksDB (Park): {@link org.amo.linearizable.rocksdb.LinearizableStore} is the front door. The rules are
 * those of org.amo.linearizable.rpclog; the format on disk: docs/wire/rpclog.md.
 */
@NullMarked
package org.amo.linearizable.rocksdb;

import org.jspecify.annotations.NullMarked;
