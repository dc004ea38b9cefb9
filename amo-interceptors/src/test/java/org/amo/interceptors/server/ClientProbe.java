package org.amo.interceptors.server;

import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** A client interceptor that registers itself and does nothing yet. */
abstract class ClientProbe extends LocalObject implements ORBInitializer, ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;

    @Override
    public final void pre_init(ORBInitInfo info) {
        try {
            info.add_client_request_interceptor(this);
        } catch (DuplicateName e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public final void post_init(ORBInitInfo info) {}

    @Override
    public final String name() {
        return getClass().getName();
    }

    @Override
    public final void destroy() {}

    @Override
    public final void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {}

    @Override
    public void receive_exception(ClientRequestInfo info) {}

    @Override
    public final void receive_other(ClientRequestInfo info) {}
}
