package org.amo.interceptors.server;

import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer._ServantActivatorLocalBase;

/**
 * The application's servant activator, as JacORB sees it. JacORB asks for a servant when a request arrives, and gets one that only
 * passes requests on; the application's activator is asked when the request is executed, at every member.
 */
final class GoaActivator extends _ServantActivatorLocalBase {
    private static final long serialVersionUID = 1L;

    private final transient GroupObjectAdaptor adaptor;
    private final transient GoaPoa poa;

    GoaActivator(GroupObjectAdaptor adaptor, GoaPoa poa) {
        this.adaptor = adaptor;
        this.poa = poa;
    }

    @Override
    public Servant incarnate(byte[] objectId, POA real) {
        return new ActivatedObject(adaptor, poa, objectId);
    }

    @Override
    public void etherealize(byte[] objectId, POA real, Servant servant, boolean cleanup, boolean remaining) {
        // Otherwise only JacORB's entry ends.
        if (cleanup) {
            poa.end(objectId, servant);
        }
    }
}
