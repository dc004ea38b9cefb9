/**
 * Requests of plain Java clients to the members of a group, over TCP (docs/wire/rpc.md): {@link
 * org.amo.transport.rpc.RpcServer} stands before a replica, {@link org.amo.transport.rpc.RpcConnection} before a member.
 */
@NullMarked
package org.amo.transport.rpc;

import org.jspecify.annotations.NullMarked;
