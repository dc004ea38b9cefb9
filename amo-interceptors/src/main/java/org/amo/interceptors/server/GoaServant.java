package org.amo.interceptors.server;

import org.jspecify.annotations.Nullable;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/**
 * Replaces a servant of the application in JacORB's object adapter: it passes each request to the group and never to
 * the servant. The servant answers questions about the object's type, here alone. JacORB asks them of it even if an operation has
 * taken the object away, or has given it another servant.
 */
final class GoaServant extends Servant implements InvokeHandler {
    private final GroupObjectAdaptor adaptor;
    private final Servant user;

    GoaServant(GroupObjectAdaptor adaptor, Servant user) {
        this.adaptor = adaptor;
        this.user = user;
    }

    Servant user() {
        return user;
    }

    @Override
    public @Nullable OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
        adaptor.serve(operation, in, handler);
        // JacORB keeps the stream of the reply itself and does not look at this.
        return null;
    }

    @Override
    public String[] _all_interfaces(POA poa, byte[] objectId) {
        // JacORB asks for it before each request, even one for the cached reply of an object that is gone.
        return adaptor.replacement(poa, objectId).orElse(user)._all_interfaces(poa, objectId);
    }

    @Override
    public boolean _is_a(String type) {
        if (adaptor.isGone(_poa(), _object_id())) {
            throw new OBJECT_NOT_EXIST(0, CompletionStatus.COMPLETED_NO);
        }
        return super._is_a(type);
    }

    @Override
    public boolean _non_existent() {
        return adaptor.isGone(_poa(), _object_id())
                || adaptor.replacement(_poa(), _object_id()).orElse(user)._non_existent();
    }
}
