package org.amo.core.order;

import java.nio.file.Path;

/**
 * The files for TLS between members: each member shows its own certificate and asks the others for theirs. Made by the JDK's
 * keytool (PKCS12 or JKS). A value; {@link #toString} leaves the passwords out.
 *
 * @param keyStore holds the member's key and its certificate, which names {@code ID.GROUP} (for example {@code a.bank}) as a
 *     DNS name or as its common name
 * @param keyPassword of the key store and of the key in it
 * @param trustStore holds the certificates, or those of their issuers, that members trust
 * @param trustPassword of the trust store
 */
public record TlsFiles(Path keyStore, String keyPassword, Path trustStore, String trustPassword) {

    @Override
    public String toString() {
        return "TLS with " + keyStore + ", trusting " + trustStore;
    }
}
