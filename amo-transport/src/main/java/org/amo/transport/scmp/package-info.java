/**
 * At-most-once calls over UDP (paper 000): {@link org.amo.transport.scmp.ScmpServer} and
 * {@link org.amo.transport.scmp.ScmpClient} are Netty shells around the cores in {@code org.amo.core.scmp.rpc}.
 */
@NullMarked
package org.amo.transport.scmp;

import org.jspecify.annotations.NullMarked;
