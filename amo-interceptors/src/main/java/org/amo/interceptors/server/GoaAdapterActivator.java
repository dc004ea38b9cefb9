package org.amo.interceptors.server;

import org.omg.PortableServer.POA;
import org.omg.PortableServer._AdapterActivatorLocalBase;

/**
 * The application's adapter activator, as JacORB sees it. JacORB asks it where a request arrives; the application's is asked when the
 * members run a request for that adapter.
 */
final class GoaAdapterActivator extends _AdapterActivatorLocalBase {
    private static final long serialVersionUID = 1L;

    private final transient GoaPoa poa;

    GoaAdapterActivator(GoaPoa poa) {
        this.poa = poa;
    }

    @Override
    public boolean unknown_adapter(POA real, String name) {
        return poa.unknownAdapter(name);
    }
}
