/**
 * At-most-once calls over UDP (Liskov, Shrira and Wroclawski): {@link org.amo.scmp.udp.ScmpServer} and
 * {@link org.amo.scmp.udp.ScmpClient} are Netty shells around the cores in {@code org.amo.scmp}.
 */
@NullMarked
package org.amo.scmp.udp;

import org.jspecify.annotations.NullMarked;
