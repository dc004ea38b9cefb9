/**
 * Linearizable RPC over a store that keeps an rpc record beside the object (Park). {@link
 * org.amo.linearizable.rpclog.RpcTracker} numbers a client's calls, {@link org.amo.linearizable.rpclog.UnackedRpcResults} tells a server
 * how to treat each attempt, {@link org.amo.linearizable.rpclog.RpcRecord} is the record on disk, and {@link
 * org.amo.linearizable.rpclog.PendingRemovals} and {@link org.amo.linearizable.rpclog.RangeRecovery} are the rules of cleaning and of
 * recovery. docs/protocols/linearizable-rpc.md maps the paper's words to names here.
 */
@NullMarked
package org.amo.linearizable.rpclog;

import org.jspecify.annotations.NullMarked;
