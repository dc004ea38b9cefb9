package org.amo.interceptors.server;

import java.util.IdentityHashMap;
import java.util.Optional;
import org.omg.PortableServer.Servant;

/** The servants of one POA and what stands for them in JacORB's. Any thread may call it. */
final class WrappedServants {
    private final GroupObjectAdaptor adaptor;
    private final IdentityHashMap<Servant, Entry> entries = new IdentityHashMap<>();

    WrappedServants(GroupObjectAdaptor adaptor) {
        this.adaptor = adaptor;
    }

    /** The one wrapper of a servant. Each call needs a {@link #release}. */
    synchronized GoaServant wrap(Servant user) {
        Entry entry = entries.computeIfAbsent(user, key -> new Entry(adaptor.wrap(key)));
        entry.uses++;
        return entry.wrapper;
    }

    /** The wrapper of an active servant. */
    synchronized Optional<GoaServant> find(Servant user) {
        return Optional.ofNullable(entries.get(user)).map(entry -> entry.wrapper);
    }

    /** One activation of the servant has ended. */
    synchronized void release(GoaServant wrapper) {
        Entry entry = entries.get(wrapper.user());
        if (entry != null && --entry.uses == 0) {
            entries.remove(wrapper.user());
        }
    }

    /** The application's servant behind a wrapper; a servant that is none is returned as it is. */
    static Servant unwrap(Servant servant) {
        return servant instanceof GoaServant wrapper ? wrapper.user() : servant;
    }

    private static final class Entry {
        private final GoaServant wrapper;
        private int uses;

        Entry(GoaServant wrapper) {
            this.wrapper = wrapper;
        }
    }
}
