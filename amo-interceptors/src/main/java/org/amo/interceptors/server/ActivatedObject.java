package org.amo.interceptors.server;

import org.jspecify.annotations.Nullable;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/**
 * Stands in JacORB's object adapter for an object whose servant the application's activator makes: it passes each request to the group.
 * The servant is made when the members run a request, and may not be there yet.
 */
final class ActivatedObject extends Servant implements InvokeHandler {
    private final GroupObjectAdaptor adaptor;
    private final GoaPoa poa;
    private final byte[] objectId;

    ActivatedObject(GroupObjectAdaptor adaptor, GoaPoa poa, byte[] objectId) {
        this.adaptor = adaptor;
        this.poa = poa;
        this.objectId = objectId;
    }

    @Override
    public @Nullable OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
        try {
            adaptor.serve(operation, in, handler);
        } finally {
            poa.leave(objectId);
        }
        return null;
    }

    @Override
    public String[] _all_interfaces(POA real, byte[] id) {
        // JacORB asks for it before each request.
        return poa.replacement(objectId)
                .map(servant -> servant._all_interfaces(real, id))
                .orElseGet(() -> new String[] {"IDL:omg.org/CORBA/Object:1.0"});
    }

    @Override
    public boolean _is_a(String type) {
        try {
            Servant unused = poa.broughtAbout(objectId);
            return super._is_a(type);
        } finally {
            poa.leave(objectId);
        }
    }

    @Override
    public boolean _non_existent() {
        try {
            return poa.broughtAbout(objectId)._non_existent();
        } finally {
            poa.leave(objectId);
        }
    }
}
