/** Certificates: key and trust stores of the JDK as TLS contexts, and the check that a certificate is a member's. */
@NullMarked
package org.amo.replication.tls;

import org.jspecify.annotations.NullMarked;
