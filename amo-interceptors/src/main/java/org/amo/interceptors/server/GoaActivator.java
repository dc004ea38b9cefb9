package org.amo.interceptors.server;

import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantActivator;
import org.omg.PortableServer._ServantActivatorLocalBase;

/** The application's servant activator, as JacORB sees it: the servants that it makes are wrapped. */
final class GoaActivator extends _ServantActivatorLocalBase {
    private static final long serialVersionUID = 1L;

    private final transient GoaPoa poa;
    private final transient WrappedServants servants;
    private final transient ServantActivator user;

    GoaActivator(GoaPoa poa, WrappedServants servants, ServantActivator user) {
        this.poa = poa;
        this.servants = servants;
        this.user = user;
    }

    @Override
    public Servant incarnate(byte[] objectId, POA real) throws ForwardRequest {
        return servants.wrap(user.incarnate(objectId, poa));
    }

    @Override
    public void etherealize(byte[] objectId, POA real, Servant servant, boolean cleanup, boolean remaining) {
        user.etherealize(objectId, poa, WrappedServants.unwrap(servant), cleanup, remaining);
        if (servant instanceof GoaServant wrapper) {
            servants.release(wrapper);
        }
    }
}
