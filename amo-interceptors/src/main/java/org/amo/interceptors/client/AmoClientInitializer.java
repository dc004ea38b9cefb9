package org.amo.interceptors.client;

import java.security.SecureRandom;
import org.amo.base.ClientId;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INTERNAL;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitInfoPackage.InvalidName;
import org.omg.PortableInterceptor.ORBInitializer;

/**
 * Makes a CORBA client that knows nothing of amo a client of replicated objects. Named by the property
 * {@code org.omg.PortableInterceptor.ORBInitializerClass.org.amo.interceptors.client.AmoClientInitializer}. Its settings
 * are the properties {@code amo.*} that {@link ClientSettings} reads.
 */
public final class AmoClientInitializer extends LocalObject implements ORBInitializer {
    private static final long serialVersionUID = 1;

    /** The ORB's initial reference for its interceptor, for inspection. */
    static final String INITIAL_REFERENCE = "AmoClient";

    @Override
    public void pre_init(ORBInitInfo info) {
        JacorbClientDefaults.forOrb().forEach((name, value) -> JacorbClientAccess.setDefault(info, name, value));
        JacorbClientAccess.allowFirstAttempt(info);
        // JacORB awaits the answer to a LocateRequest without limit, before any interceptor knows of the call.
        JacorbClientAccess.set(info, "jacorb.locate_on_bind", "off");
    }

    @Override
    public void post_init(ORBInitInfo info) {
        ClientSettings settings = settings(info);
        ClientId client = draw();
        CallHistory history = new CallHistory(
                settings.history(),
                settings.clientName().orElse(client.toString().substring(0, 8)));
        ClientInterceptor interceptor = new ClientInterceptor(
                JacorbClientAccess.orb(info),
                settings,
                new Targets(client, settings),
                CallsByDatagram.of(settings, client),
                history);
        try {
            info.add_client_request_interceptor(interceptor);
            info.register_initial_reference(INITIAL_REFERENCE, interceptor);
        } catch (DuplicateName | InvalidName twice) {
            throw new INTERNAL("amo's client interceptor is registered twice: name AmoClientInitializer once");
        }
        flushAtExit(interceptor);
    }

    /**
     * Registers the interceptor that deals with calls from inside operations, at the ORB of a member.
     *
     * @param deadlineMillis of a call to another group, if its operation states none
     */
    public static void registerNested(ORBInitInfo info, ORB orb, long deadlineMillis)
            throws DuplicateName, InvalidName {
        NestedCallInterceptor nested = new NestedCallInterceptor(orb, deadlineMillis);
        info.add_client_request_interceptor(nested);
        info.register_initial_reference(NestedCallInterceptor.INITIAL_REFERENCE, nested);
    }

    private static ClientSettings settings(ORBInitInfo info) {
        try {
            return ClientSettings.read(name -> JacorbClientAccess.property(info, name));
        } catch (IllegalArgumentException wrong) {
            throw new BAD_PARAM(wrong.getMessage(), 0, CompletionStatus.COMPLETED_NO);
        }
    }

    /** A new id for each incarnation: a restarted client never meets the records of its former life. */
    static ClientId draw() {
        SecureRandom random = new SecureRandom();
        return new ClientId(random.nextLong(), random.nextLong());
    }

    private static void flushAtExit(ClientInterceptor interceptor) {
        // Only that: calls of the application's own hooks go on.
        Thread hook = new Thread(interceptor::flush, "amo-last-flush");
        Runtime.getRuntime().addShutdownHook(hook);
        interceptor.onDestroy(() -> remove(hook));
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM ends: this code runs in the hook, or the hook comes too late to do harm.
        }
    }
}
