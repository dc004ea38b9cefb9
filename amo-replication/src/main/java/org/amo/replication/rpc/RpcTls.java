package org.amo.replication.rpc;

import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * That a connection goes over TLS. At a client: the member's certificate must be one that the context trusts, and must name
 * the host under which the client knows the member. Any thread.
 *
 * @param contexts asked for each connection: holds the own key and certificate, if there are any, and those that are trusted
 * @param clientCertificates at a member: whether a client must show a certificate that the context trusts; of no meaning at
 *     a client
 */
public record RpcTls(Supplier<SSLContext> contexts, boolean clientCertificates) {
    private static final String NEEDED = "io.netty.handler.ssl.SslHandler";

    /** @throws IllegalStateException in one line when the library for it is not there */
    public RpcTls {
        try {
            Class.forName(NEEDED, false, RpcTls.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    "TLS needs io.netty:netty-handler, of the version of amo's other Netty jars, on the class path", e);
        }
    }
}
