/**
 * Leases of clients under one cluster time (paper 002, sections III-A and V-B): who keeps what a client has been
 * answered, and until when. {@link org.amo.core.lease.LeaseAuthority} decides, {@link org.amo.core.lease.LeaseAgent} is
 * the client's side, {@link org.amo.core.lease.LeaseValidator} a server's. docs/protocols/linearizable-rpc.md maps the
 * paper's words to names here.
 */
@NullMarked
package org.amo.core.lease;

import org.jspecify.annotations.NullMarked;
