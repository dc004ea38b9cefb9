package org.amo.cli;

import java.util.Optional;
import org.amo.core.replica.AdministrationException;
import org.amo.interceptors.status.StatusClient;

/** A way to ask members the questions of {@link org.amo.core.replica.Administration}. */
@FunctionalInterface
interface MemberPort {
    /** The IIOP port of CORBA members. It needs no secret; a change of members carries its own proof. */
    MemberPort IIOP = (host, port, question, argument, timeoutMillis) -> StatusClient.ask(
            host, port, timeoutMillis, question, argument.isEmpty() ? Optional.empty() : Optional.of(argument));

    /** @throws AdministrationException if there is no answer */
    String ask(String host, int port, String question, String argument, int timeoutMillis)
            throws AdministrationException;
}
