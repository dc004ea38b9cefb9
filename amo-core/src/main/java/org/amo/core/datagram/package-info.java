/**
 * The datagrams by which a client calls a group without a connection: their bytes, and their seals. Members and both kinds of clients
 * share them.
 */
@NullMarked
package org.amo.core.datagram;

import org.jspecify.annotations.NullMarked;
