/**
 * Leases of clients under one cluster time (Park, sections III-A and V-B): they decide until when a client's
 * results are kept. {@link org.amo.linearizable.lease.LeaseAuthority} decides, {@link org.amo.linearizable.lease.LeaseAgent}
 * is the client's side, {@link org.amo.linearizable.lease.LeaseValidator} a server's. docs/protocols/linearizable-rpc.md
 * maps the paper's words to names here.
 */
@NullMarked
package org.amo.linearizable.lease;

import org.jspecify.annotations.NullMarked;
