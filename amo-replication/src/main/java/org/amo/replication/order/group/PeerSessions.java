package org.amo.replication.order.group;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.amo.base.wire.ReplayWindow;

/**
 * The sessions of the processes that write to this one, by their salts: the key of each, and the window that refuses a frame
 * that was recorded and is sent again. A session is kept only once a frame of it has been authenticated, so that a stranger
 * can neither fill this table nor push a member out of it. Any thread.
 *
 * <p>The session unused for longest goes when there are too many. Its process ended long ago, since a member uses one session
 * for its life; its frames are refused from then on, because nothing tells any more which of them came before.
 */
final class PeerSessions<K> {
    /**
     * Numbers are shared by all connections of the sender, so frames of the sender's other threads may overtake a
     * frame. A frame that falls out of the window is lost like one in the network: JGroups sends it again.
     */
    private static final int WINDOW = 1 << 16;

    private final int most;
    private final Function<byte[], K> derive;

    // Guarded by this.
    private final Map<ByteBuffer, Session<K>> sessions = new LinkedHashMap<>(16, 0.75f, true);
    private final Set<ByteBuffer> retired = new HashSet<>();

    private record Session<K>(K key, ReplayWindow window) {}

    PeerSessions(int most, Function<byte[], K> derive) {
        this.most = most;
        this.derive = derive;
    }

    /** The key for frames with this salt; derived anew for each frame of an unknown session. Empty for a retired one. */
    Optional<K> key(byte[] salt) {
        ByteBuffer name = ByteBuffer.wrap(salt);
        synchronized (this) {
            if (retired.contains(name)) {
                return Optional.empty();
            }
            Session<K> known = sessions.get(name);
            if (known != null) {
                return Optional.of(known.key());
            }
        }
        return Optional.of(derive.apply(salt));
    }

    /**
     * A frame was authenticated with the session's key.
     *
     * @param salt not changed afterwards
     * @return false if the frame with this number came before
     */
    synchronized boolean admit(byte[] salt, K key, long number) {
        ByteBuffer name = ByteBuffer.wrap(salt);
        if (retired.contains(name)) {
            return false;
        }
        boolean fresh = sessions.computeIfAbsent(name, absent -> new Session<>(key, new ReplayWindow(WINDOW)))
                .window()
                .accept(number);
        if (sessions.size() > most) {
            Iterator<ByteBuffer> oldest = sessions.keySet().iterator();
            retired.add(oldest.next());
            oldest.remove();
        }
        return fresh;
    }

    /** Whether {@link #admit} would take the frame with this number, which was authenticated with the session's key. */
    synchronized boolean isNew(byte[] salt, long number) {
        ByteBuffer name = ByteBuffer.wrap(salt);
        Session<K> known = sessions.get(name);
        return known == null ? !retired.contains(name) : known.window().isNew(number);
    }

    synchronized int size() {
        return sessions.size();
    }
}
