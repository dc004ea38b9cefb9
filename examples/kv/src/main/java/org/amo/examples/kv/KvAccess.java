package org.amo.examples.kv;

import java.util.Optional;
import org.amo.base.wire.Secrets;

/**
 * How servers and clients reach a cluster.
 *
 * @param coordinators {@code a=host:orderPort/clientPort,b=…}, the same text everywhere
 * @param secret of coordinators, servers and clients; empty only if the user said that it may be insecure
 */
public record KvAccess(String coordinators, Optional<String> secret) {
    /** Name of the coordinators' group, and of the service of the servers. */
    static final String GROUP = "kv";

    public KvAccess {
        secret.ifPresent(value -> Secrets.check(value, "the secret of the cluster"));
    }
}
