package org.amo.interceptors.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * FT-CORBA's {@code Checkpointable}: a servant with the operations {@code State get_state()} and
 * {@code void set_state(in State s)}, State being a sequence of octets. Recognised by its methods, so that it does not
 * matter into which package the IDL was compiled. The same for {@code Updateable}, with {@code get_update} and {@code set_update}.
 */
final class Checkpoint {
    private final Object servant;
    private final Method take;
    private final Method restore;

    private Checkpoint(Object servant, Method take, Method restore) {
        this.servant = servant;
        this.take = take;
        this.restore = restore;
    }

    static Optional<Checkpoint> of(Object servant) {
        return of(servant, "get_state", "set_state");
    }

    /** Of the updates of the state. */
    static Optional<Checkpoint> ofUpdates(Object servant) {
        return of(servant, "get_update", "set_update");
    }

    private static Optional<Checkpoint> of(Object servant, String get, String set) {
        try {
            Method take = servant.getClass().getMethod(get);
            Method restore = servant.getClass().getMethod(set, byte[].class);
            if (take.getReturnType() != byte[].class) {
                return Optional.empty();
            }
            take.setAccessible(true);
            restore.setAccessible(true);
            return Optional.of(new Checkpoint(servant, take, restore));
        } catch (NoSuchMethodException | RuntimeException e) {
            return Optional.empty();
        }
    }

    byte[] take() throws NoStateException {
        try {
            return (byte[]) take.invoke(servant);
        } catch (InvocationTargetException e) {
            throw new NoStateException(
                    take.getName() + " of " + servant.getClass().getName() + " failed: " + e.getTargetException(), e);
        } catch (IllegalAccessException e) {
            throw new NoStateException(
                    take.getName() + " of " + servant.getClass().getName() + " cannot be called", e);
        }
    }

    void restore(byte[] state) {
        try {
            restore.invoke(servant, (Object) state);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(
                    restore.getName() + " of " + servant.getClass().getName() + " failed: " + e.getTargetException(),
                    e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(
                    restore.getName() + " of " + servant.getClass().getName() + " cannot be called", e);
        }
    }
}
