package org.amo.core.reply;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.amo.base.ClientId;

/** Takes so many replies, each once. */
final class MapReplies implements ReplyStore {
    private final Map<String, byte[]> kept = new HashMap<>();
    private final int room;
    private long onHeap;

    MapReplies(int room) {
        this.room = room;
    }

    /** Bytes of the replies that it did not take. */
    long onHeap() {
        return onHeap;
    }

    long bytes() {
        return kept.values().stream().mapToLong(each -> each.length).sum();
    }

    int count() {
        return kept.size();
    }

    @Override
    public boolean put(ClientId client, long number, byte[] reply) {
        if (kept.size() < room) {
            if (kept.put(client + " " + number, reply) != null) {
                throw new IllegalStateException("the reply to " + client + " " + number + " is kept already");
            }
            return true;
        }
        onHeap += reply.length;
        return false;
    }

    @Override
    public byte[] get(ClientId client, long number) {
        return Optional.ofNullable(kept.get(client + " " + number)).orElseThrow();
    }

    @Override
    public int remove(ClientId client, long number) {
        return Optional.ofNullable(kept.remove(client + " " + number)).orElseThrow().length;
    }

    @Override
    public void forgotten(int bytes) {
        onHeap -= bytes;
    }

    @Override
    public void clear() {
        kept.clear();
    }

    @Override
    public boolean isFull() {
        return kept.size() == room;
    }
}
