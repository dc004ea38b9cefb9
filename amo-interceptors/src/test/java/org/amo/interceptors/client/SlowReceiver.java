package org.amo.interceptors.client;

import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** An application's own interceptor that takes its time with each reply. */
final class SlowReceiver extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1;

    static volatile long pauseMillis;

    /** Registers it. Public for JacORB. */
    public static final class Initializer extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1;

        @Override
        public void pre_init(ORBInitInfo info) {}

        @Override
        public void post_init(ORBInitInfo info) {
            try {
                info.add_client_request_interceptor(new SlowReceiver());
            } catch (DuplicateName twice) {
                throw new IllegalStateException(twice);
            }
        }
    }

    @Override
    public String name() {
        // JacORB sorts by name, and asks the last one first about replies.
        return "zz.slow";
    }

    @Override
    public void destroy() {}

    @Override
    public void send_request(ClientRequestInfo info) {}

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {
        Clock.pause(pauseMillis);
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {}

    @Override
    public void receive_other(ClientRequestInfo info) {}
}
