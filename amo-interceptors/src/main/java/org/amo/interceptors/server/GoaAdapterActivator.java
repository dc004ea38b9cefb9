package org.amo.interceptors.server;

import org.omg.PortableServer.AdapterActivator;
import org.omg.PortableServer.POA;
import org.omg.PortableServer._AdapterActivatorLocalBase;

/** The application's adapter activator, as JacORB sees it: it creates its POAs in the proxy. */
final class GoaAdapterActivator extends _AdapterActivatorLocalBase {
    private static final long serialVersionUID = 1L;

    private final transient GoaPoa poa;
    private final transient AdapterActivator user;

    GoaAdapterActivator(GoaPoa poa, AdapterActivator user) {
        this.poa = poa;
        this.user = user;
    }

    @Override
    public boolean unknown_adapter(POA real, String name) {
        return user.unknown_adapter(poa, name);
    }
}
