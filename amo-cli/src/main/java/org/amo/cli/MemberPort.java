package org.amo.cli;

import java.util.Optional;
import org.amo.core.replica.AdministrationException;
import org.amo.interceptors.status.StatusClient;
import org.amo.replication.rpc.OperatorClient;
import org.amo.replication.rpc.RpcKey;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcTls;

/** A way to ask members the questions of {@link org.amo.core.replica.Administration}. */
@FunctionalInterface
interface MemberPort {
    /** The IIOP port of CORBA members. It needs no secret; a change of members carries its own proof. */
    MemberPort IIOP = (host, port, question, argument, timeoutMillis) -> StatusClient.ask(
            host, port, timeoutMillis, question, argument.isEmpty() ? Optional.empty() : Optional.of(argument));

    /** @throws AdministrationException if there is no answer */
    String ask(String host, int port, String question, String argument, int timeoutMillis)
            throws AdministrationException;

    /** The port of Java clients. */
    static MemberPort java(String group, Optional<String> secret, Optional<RpcTls> tls) {
        Optional<RpcKey> key = secret.map(text -> RpcKey.of(group, text));
        return (host, port, question, argument, timeoutMillis) ->
                OperatorClient.ask(new RpcPeer(host, port, group, key, tls), question, argument, timeoutMillis);
    }
}
