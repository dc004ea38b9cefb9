package org.amo.lab.load;

import java.util.Optional;
import java.util.Properties;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.request.RequestId;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/**
 * Watches the load's own calls from inside the ORB: the id of each call, and the member that serves it. It only
 * reads.
 */
final class CallObserver extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<Optional<CopyListener>> LISTENER = ThreadLocal.withInitial(Optional::empty);

    /** Of all calls of this process the one answered last; empty before the first. */
    private static volatile String servedBy = "";

    private CallObserver() {}

    /** Registers the observer; named by a property of the ORB. */
    public static final class Initializer extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1L;

        @Override
        public void pre_init(ORBInitInfo info) {
            // Nothing is needed before the ORB is there.
        }

        @Override
        public void post_init(ORBInitInfo info) {
            try {
                info.add_client_request_interceptor(new CallObserver());
            } catch (DuplicateName e) {
                throw new IllegalStateException("the observer is registered twice", e);
            }
        }
    }

    /** An ordinary ORB, but for this observer. */
    static ORB orb() {
        Properties properties = new Properties();
        properties.put("org.omg.PortableInterceptor.ORBInitializerClass." + Initializer.class.getName(), "");
        return ORB.init(new String[0], properties);
    }

    /** Calls of this thread are reported to the listener from now on. */
    static void listen(CopyListener listener) {
        LISTENER.set(Optional.of(listener));
    }

    /** {@code host:port} of the member that served the last call, as the client sees it. */
    static String servedBy() {
        return servedBy;
    }

    /** JacORB runs interceptors in the order of their names; this one must see the additions of the others. */
    @Override
    public String name() {
        return "~observer of the load";
    }

    @Override
    public void destroy() {
        // Holds nothing.
    }

    @Override
    public void send_request(ClientRequestInfo info) {
        LISTENER.get().ifPresent(listener -> id(info).ifPresent(listener::onCopy));
    }

    @Override
    public void send_poll(ClientRequestInfo info) {
        // Not used by JacORB.
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
        JacorbClientAccess.peerAddress(info).ifPresent(address -> servedBy = address);
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {
        // The caller sees the exception.
    }

    @Override
    public void receive_other(ClientRequestInfo info) {
        // A forward: another send follows.
    }

    private static Optional<String> id(ClientRequestInfo info) {
        try {
            RequestContext context =
                    RequestContext.decode(info.get_request_service_context(RequestContext.CONTEXT_ID).context_data);
            return context.call()
                    .map(call -> RequestId.own(context.client(), call.number()).toString());
        } catch (BAD_PARAM | MalformedFrameException e) {
            // Not a call of amo's client: it runs plainly.
            return Optional.empty();
        }
    }
}
