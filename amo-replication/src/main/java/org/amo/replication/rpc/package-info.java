/**
 * Requests of plain Java clients to the members of a group, over TCP (docs/wire/rpc.md): {@link
 * org.amo.replication.rpc.FrameServer} stands before a replica, {@link org.amo.replication.rpc.RpcConnection} before a member.
 */
@NullMarked
package org.amo.replication.rpc;

import org.jspecify.annotations.NullMarked;
