package org.amo.interceptors.server;

import java.util.Optional;
import org.omg.PortableServer.Servant;

/** Maps the servants of one POA to their wrappers in JacORB's POA. Any thread may call it. */
final class WrappedServants {
    private final UseCounts<Servant, GoaServant> wrappers;

    WrappedServants(GroupObjectAdaptor adaptor) {
        wrappers = new UseCounts<>(adaptor::wrap);
    }

    /** The one wrapper of a servant. Each call needs a {@link #release}. */
    GoaServant wrap(Servant user) {
        return wrappers.use(user);
    }

    /** The wrapper of an active servant. */
    Optional<GoaServant> find(Servant user) {
        return wrappers.find(user);
    }

    /** One activation of the servant has ended. */
    void release(GoaServant wrapper) {
        wrappers.release(wrapper.user());
    }

    /** The application's servant behind a wrapper; a servant that is none is returned as it is. */
    static Servant unwrap(Servant servant) {
        return servant instanceof GoaServant wrapper ? wrapper.user() : servant;
    }
}
