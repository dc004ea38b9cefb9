package org.amo.lab.blackbox;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.wire.RequestContext;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** Reads what amo's interceptor attached to each request of the ORBs of this process that ask for it. */
public final class ContextSpy extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1L;

    /** Switches it on in an ORB. */
    static final Map<String, String> ON =
            Map.of("org.omg.PortableInterceptor.ORBInitializerClass." + Initializer.class.getName(), "");

    private static final List<Seen> SEEN = new CopyOnWriteArrayList<>();

    /** A request with amo's context. */
    record Seen(String operation, RequestContext context) {
        boolean carries(long number) {
            return context.finished().contains(number);
        }

        long number() {
            return context.call().orElseThrow().number();
        }
    }

    /** Registers it. */
    public static final class Initializer extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1L;

        @Override
        public void pre_init(ORBInitInfo info) {
            // Nothing is needed before the ORB is there.
        }

        @Override
        public void post_init(ORBInitInfo info) {
            try {
                info.add_client_request_interceptor(new ContextSpy());
            } catch (DuplicateName e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void clear() {
        SEEN.clear();
    }

    /** Calls in the order in which they left; carriers of acknowledgements alone are not among them. */
    static List<Seen> calls() {
        return SEEN.stream().filter(seen -> seen.context.call().isPresent()).toList();
    }

    /** JacORB runs interceptors in the order of their names; this one must come last. */
    @Override
    public String name() {
        return "~spy";
    }

    @Override
    public void destroy() {
        // Holds nothing.
    }

    @Override
    public void send_request(ClientRequestInfo info) {
        try {
            byte[] context = info.get_request_service_context(RequestContext.CONTEXT_ID).context_data;
            SEEN.add(new Seen(info.operation(), RequestContext.decode(context)));
        } catch (BAD_PARAM plain) {
            // A request without it.
            return;
        }
    }

    @Override
    public void send_poll(ClientRequestInfo info) {
        // Not used by JacORB.
    }

    @Override
    public void receive_reply(ClientRequestInfo info) {
        // Only requests are of interest.
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {
        // Only requests are of interest.
    }

    @Override
    public void receive_other(ClientRequestInfo info) {
        // Only requests are of interest.
    }
}
