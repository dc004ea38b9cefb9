package org.amo.interceptors.client;

import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** An interceptor of the application's own, which does what a test says. One test at a time. */
public final class ApplicationInterceptor extends LocalObject implements ClientRequestInterceptor {
    private static final long serialVersionUID = 1;
    private static final Reaction NONE = info -> {};

    private static volatile Reaction request = NONE;
    private static volatile Reaction reply = NONE;
    private static volatile Reaction exception = NONE;
    private static volatile Reaction other = NONE;
    private static volatile Runnable end = () -> {};

    private final String name;

    private ApplicationInterceptor(String name) {
        this.name = name;
    }

    /** An interception point. */
    @FunctionalInterface
    public interface Reaction {
        void to(ClientRequestInfo info) throws ForwardRequest;
    }

    /** The property that registers one. */
    public static String last() {
        return property(Last.class);
    }

    static String first() {
        return property(First.class);
    }

    private static String property(Class<?> initializer) {
        return "org.omg.PortableInterceptor.ORBInitializerClass." + initializer.getName();
    }

    static void onRequest(Reaction reaction) {
        request = reaction;
    }

    static void onReply(Reaction reaction) {
        reply = reaction;
    }

    public static void onException(Reaction reaction) {
        exception = reaction;
    }

    static void onOther(Reaction reaction) {
        other = reaction;
    }

    static void onEnd(Runnable reaction) {
        end = reaction;
    }

    /** It does nothing any more. */
    public static void reset() {
        request = NONE;
        reply = NONE;
        exception = NONE;
        other = NONE;
        end = () -> {};
    }

    /** Registers one that JacORB asks after amo's about requests, and before it about their ends. Public for JacORB. */
    public static final class Last extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1;

        @Override
        public void pre_init(ORBInitInfo info) {}

        @Override
        public void post_init(ORBInitInfo info) {
            register(info, "zz");
        }
    }

    /** Registers one that JacORB asks before amo's about requests, and after it about their ends. Public for JacORB. */
    public static final class First extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1;

        @Override
        public void pre_init(ORBInitInfo info) {}

        @Override
        public void post_init(ORBInitInfo info) {
            register(info, "aa");
        }
    }

    private static void register(ORBInitInfo info, String name) {
        try {
            info.add_client_request_interceptor(new ApplicationInterceptor(name));
        } catch (DuplicateName twice) {
            throw new IllegalStateException(twice);
        }
    }

    @Override
    public String name() {
        // JacORB sorts by name.
        return name;
    }

    @Override
    public void destroy() {
        end.run();
    }

    @Override
    public void send_request(ClientRequestInfo info) throws ForwardRequest {
        request.to(info);
    }

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {
        try {
            reply.to(info);
        } catch (ForwardRequest impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void receive_exception(ClientRequestInfo info) throws ForwardRequest {
        exception.to(info);
    }

    @Override
    public void receive_other(ClientRequestInfo info) throws ForwardRequest {
        other.to(info);
    }
}
