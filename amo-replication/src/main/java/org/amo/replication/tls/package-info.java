/** Certificates: key and trust stores of the JDK as TLS contexts. */
@NullMarked
package org.amo.replication.tls;

import org.jspecify.annotations.NullMarked;
