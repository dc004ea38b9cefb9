package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.MinorCodes;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.NO_MEMORY;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.InvokeHandler;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.ResponseHandler;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/**
 * An operation that has begun may have changed its state: no exception of it says that it did not run. An error of the virtual
 * machine is no reply at all.
 */
class ServantRunnerTest {
    private static final CompletableFuture<JacorbAccess> ACCESS = new CompletableFuture<>();
    private static final ORB JACORB = orb();

    private final AtomicInteger runs = new AtomicInteger();

    private static ORB orb() {
        Properties properties = new Properties();
        properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        properties.put("org.omg.PortableInterceptor.ORBInitializerClass." + Initializer.class.getName(), "");
        return ORB.init(new String[0], properties);
    }

    /** JacORB makes it by name. */
    public static final class Initializer extends LocalObject implements ORBInitializer {
        private static final long serialVersionUID = 1L;

        @Override
        public void pre_init(ORBInitInfo info) {}

        @Override
        public void post_init(ORBInitInfo info) {
            ACCESS.complete(JacorbAccess.of(info));
        }
    }

    @AfterAll
    static void end() {
        JACORB.shutdown(true);
    }

    @Test
    void aSkeletonThatAsksForItsReplyLateHasRunTheServant() {
        CapturedReply reply = run(() -> {
            throw new IllegalStateException("behind the change of its state");
        });
        assertEquals(CompletionStatus._COMPLETED_MAYBE, reply.completed());
        assertEquals(1, runs.get());
    }

    @Test
    void theRefusalOfANestedCallSpeaksOfThatCallAlone() {
        CapturedReply reply = run(() -> {
            throw new BAD_INV_ORDER(MinorCodes.NESTED_CALL, CompletionStatus.COMPLETED_NO);
        });
        assertEquals(MinorCodes.NESTED_CALL, reply.minor());
        assertEquals(CompletionStatus._COMPLETED_MAYBE, reply.completed());
    }

    @Test
    void anExceptionOfTheServantKeepsItsStatus() {
        CapturedReply reply = run(() -> {
            throw new BAD_PARAM(7, CompletionStatus.COMPLETED_NO);
        });
        assertEquals(7, reply.minor());
        assertEquals(CompletionStatus._COMPLETED_NO, reply.completed());
    }

    /** Memory and stack end at another place in each process, so other members would give another reply. */
    @Test
    void anErrorOfTheVirtualMachineIsNoReply() {
        OutOfMemoryError memory = new OutOfMemoryError("of the servant");
        assertThrown(memory, () -> {
            throw memory;
        });
        StackOverflowError stack = new StackOverflowError();
        assertThrown(stack, () -> {
            throw stack;
        });
    }

    /** Where a skeleton or the servant has made it the cause of another exception. */
    @Test
    void norIsAnExceptionThatItCaused() {
        OutOfMemoryError memory = new OutOfMemoryError("of the servant");
        assertThrown(memory, () -> {
            NO_MEMORY ofTheOrb = new NO_MEMORY(0, CompletionStatus.COMPLETED_NO);
            ofTheOrb.initCause(memory);
            throw ofTheOrb;
        });
        assertThrown(memory, () -> {
            throw new IllegalStateException(new IllegalArgumentException(memory));
        });
        assertThrown(memory, () -> {
            throw new AssertionError(memory);
        });
    }

    private void assertThrown(VirtualMachineError error, Runnable work) {
        assertSame(error, assertThrows(VirtualMachineError.class, () -> run(work)));
    }

    private CapturedReply run(Runnable work) {
        CapturedRequest request = new CapturedRequest(false, 2, 0, 0, 0, "work", new byte[1], new byte[0]);
        return new ServantRunner(ACCESS.join()).run(new LateSkeleton(runs, work), request);
    }

    /** As idlj makes them: the servant runs first. */
    private static final class LateSkeleton extends Servant implements InvokeHandler {
        private final AtomicInteger runs;
        private final Runnable work;

        LateSkeleton(AtomicInteger runs, Runnable work) {
            this.runs = runs;
            this.work = work;
        }

        @Override
        public OutputStream _invoke(String operation, InputStream in, ResponseHandler handler) {
            runs.incrementAndGet();
            work.run();
            return handler.createReply();
        }

        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[] {"IDL:amo/Late:1.0"};
        }
    }
}
