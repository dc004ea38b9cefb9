/**
 * Linearizable calls over RocksDB (paper 002): {@link org.amo.rpclog.LinearizableStore} is the front door. The rules are
 * those of org.amo.core.rpclog; what is on disk: docs/wire/rpclog.md.
 */
@NullMarked
package org.amo.rpclog;

import org.jspecify.annotations.NullMarked;
