package org.amo.interceptors.server;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.omg.PortableServer.Servant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the servants for a snapshot of their states: all that the server's main has activated. A member that starts
 * from a snapshot activates the same ones, and they are given their states. Objects that come and go by operations, and
 * those of a servant manager, cannot be told apart from these, so with them there is no state. Any thread may call it.
 */
final class ReplicatedServants {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedServants.class);
    private static final byte[] NO_ID = {};

    private final String group;
    private final ServantStates states;
    private final ActivationGate gate;
    private final Map<PoaObjectKey, Servant> active = new TreeMap<>();

    /** Of the activated servants: it stays. */
    private Optional<String> obstacle = Optional.empty();

    /** No update of the states could be taken as they were: a state that is put in place ends it. */
    private Optional<String> noUpdate = Optional.empty();

    /** The latest line of the log about states: snapshots are tried again and again. */
    private String told = "";

    /** Objects whose servants requests, or updates of the primary, may have changed since the last mark. */
    private final TreeSet<PoaObjectKey> touched = new TreeSet<>();

    /** Whether a state was put in place since the last mark: then those that were touched before are not known. */
    private boolean restored;

    ReplicatedServants(String group, ServantStates states, ActivationGate gate) {
        this.group = group;
        this.states = states;
        this.gate = gate;
    }

    /** @param inOperation whether an operation of a replicated object does it */
    void activated(byte[] poaId, byte[] objectId, Servant servant, boolean inOperation) {
        synchronized (this) {
            active.put(key(poaId, objectId), servant);
        }
        if (inOperation) {
            cannot("operations activate objects; activate all of them in main");
        }
        states.obstacle(servant)
                .ifPresent(why -> cannot(why + "; let the servant offer get_state and set_state, make its fields"
                        + " Serializable, or name a -Damo.stateCodec"));
    }

    void deactivated(byte[] poaId, byte[] objectId, boolean inOperation) {
        synchronized (this) {
            active.remove(key(poaId, objectId));
        }
        if (inOperation) {
            cannot("operations deactivate objects; keep them active");
        }
    }

    void managed() {
        cannot("a servant manager makes servants; activate them in main");
    }

    /** Tells the operator once, and as soon as it is known. */
    private void cannot(String why) {
        boolean known;
        synchronized (this) {
            known = obstacle().isPresent();
            obstacle = obstacle.or(() -> Optional.of(why));
        }
        if (!known) {
            tell(why);
        }
    }

    private void tell(String why) {
        synchronized (this) {
            if (why.equals(told)) {
                return;
            }
            told = why;
        }
        LOG.warn(
                "the log of group {} cannot be cut and grows, and a member that starts runs all of it: {}", group, why);
    }

    /** Why there is no state; empty while none is known. */
    synchronized Optional<String> obstacle() {
        return obstacle.or(() -> noUpdate);
    }

    /** Takes bytes of the servants. */
    @FunctionalInterface
    private interface Taking {
        byte[] take(Map<PoaObjectKey, Servant> servants) throws NoStateException;
    }

    /**
     * For a snapshot, in the thread that runs the servants. If the states cannot be taken, the group goes on with a longer log, and the
     * next attempt may succeed: so this is no obstacle.
     */
    Optional<byte[]> take() {
        return take(states::take, why -> {});
    }

    /** Style passive, in the thread that runs the servants. */
    Optional<byte[]> takeUpdate() {
        return take(
                servants -> {
                    // The backups touch them when they apply it.
                    servants.keySet().forEach(this::touch);
                    return states.takeUpdate(servants);
                },
                this::notUpdated);
    }

    private synchronized void notUpdated(String why) {
        noUpdate = Optional.of(why);
    }

    private Optional<byte[]> take(Taking taking, Consumer<String> onFailure) {
        Map<PoaObjectKey, Servant> servants;
        synchronized (this) {
            if (obstacle().isPresent()) {
                return Optional.empty();
            }
            servants = new TreeMap<>(active);
        }
        try {
            return Optional.of(taking.take(servants));
        } catch (NoStateException | RuntimeException e) {
            // Also if get_state gives null, or if the states have more than 2 GiB: nothing has changed, so the member
            // may go on.
            String why = e instanceof NoStateException
                    ? String.valueOf(e.getMessage())
                    : "the servants' states cannot be taken: " + e;
            onFailure.accept(why);
            tell(why);
            return Optional.empty();
        }
    }

    /** In the thread that runs the servants; waits for the server's main to activate them. */
    void restore(byte[] state) {
        synchronized (this) {
            restored = true;
            noUpdate = Optional.empty();
        }
        states.restore(state, this::awaited);
    }

    /** Style passive, in the thread that runs the servants; waits as {@link #restore} does. */
    void applyUpdate(byte[] update) {
        states.applyUpdate(update, key -> {
            touch(key);
            return awaited(key);
        });
    }

    // ---- digests ----

    /** Whether {@link #digestAtMark} may give one. */
    boolean isComparable() {
        return states.isComparable();
    }

    /** A request has run on the servant of this object; asked of those alone that {@link #isComparable}. */
    void called(byte[] poaId, byte[] objectId) {
        // The default servant of the POA stands for objects that are not active.
        Stream.of(key(poaId, objectId), key(poaId, NO_ID))
                .filter(key -> find(key).isPresent())
                .findFirst()
                .ifPresent(this::touch);
    }

    private synchronized void touch(PoaObjectKey key) {
        if (states.isComparable()) {
            touched.add(key);
        }
    }

    /**
     * At each mark, in the thread that runs the servants: of those servants alone that were touched since the mark before. All members
     * have these, while main may still activate others.
     *
     * @return empty if it is not due, or unknown
     */
    OptionalLong digestAtMark(boolean due) {
        TreeMap<PoaObjectKey, Servant> servants = new TreeMap<>();
        synchronized (this) {
            touched.forEach(key -> find(key).ifPresent(servant -> servants.put(key, servant)));
            // Main may have taken one away meanwhile, at this member first.
            boolean unknown = restored || obstacle().isPresent() || servants.size() < touched.size();
            touched.clear();
            restored = false;
            if (!due || unknown) {
                return OptionalLong.empty();
            }
        }
        try {
            return OptionalLong.of(states.digest(servants));
        } catch (NoStateException | RuntimeException e) {
            // Told when a snapshot is due.
            LOG.debug("no digest of the servants' states", e);
            return OptionalLong.empty();
        }
    }

    private Servant awaited(PoaObjectKey key) {
        return gate.await(() -> find(key))
                .orElseThrow(
                        () -> new IllegalStateException("the state of another member holds an object with key '" + key
                                + "', which this server has not activated; run the same version of the server, with the"
                                + " same -Djacorb.implname, at every member"));
    }

    private synchronized Optional<Servant> find(PoaObjectKey key) {
        return Optional.ofNullable(active.get(key));
    }

    private static PoaObjectKey key(byte[] poaId, byte[] objectId) {
        byte[] key = new byte[poaId.length + 1 + objectId.length];
        System.arraycopy(poaId, 0, key, 0, poaId.length);
        key[poaId.length] = '/';
        System.arraycopy(objectId, 0, key, poaId.length + 1, objectId.length);
        return new PoaObjectKey(key);
    }
}
