package org.amo.interceptors.jacorb;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import org.jacorb.orb.giop.ReplyOutputStream;
import org.omg.CORBA.ORB;
import org.omg.GIOP.ReplyStatusType_1_2;

/**
 * Makes JacORB's streams of replies. Their constructor names a logger of the SLF4J that JacORB sees. In a wrapped program that is
 * the program's SLF4J, not amo's, so no call of it can be compiled. Any thread.
 */
final class ReplyStreams {
    private static final int PARAMETERS = 6;
    private static final int LOGGER = 5;
    private static final MethodHandle CONSTRUCTOR = constructor();

    private ReplyStreams() {}

    static ReplyOutputStream make(ORB orb, int requestId, ReplyStatusType_1_2 status, int giopMinor) {
        try {
            return (ReplyOutputStream) CONSTRUCTOR.invokeExact(orb, requestId, status, giopMinor, false);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("JacORB cannot make a reply: " + e, e);
        }
    }

    private static MethodHandle constructor() {
        for (Constructor<?> each : ReplyOutputStream.class.getConstructors()) {
            if (each.getParameterCount() == PARAMETERS) {
                try {
                    // JacORB logs there only when it turns a reply into that of a LocateRequest, which amo never asks
                    // for.
                    return MethodHandles.insertArguments(
                            MethodHandles.publicLookup().unreflectConstructor(each), LOGGER, (Object) null);
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException("amo needs JacORB 3.9; its ReplyOutputStream has another constructor");
    }
}
