package org.amo.exon.udp;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.amo.exon.udp.ObservedSession.KeyName;
import org.amo.sim.SimViolationException;
import org.jspecify.annotations.Nullable;

/** Every record of a run, and the process that may take it. */
final class RecordLedger {
    static final String NUMBER_TWICE = "a number used twice under a key";
    static final String RECORDING = "a recording taken";
    static final String ONE_SIDED = "a record under keys of one side alone";
    static final String ROTATED = "a record lost by a rotation";

    private final Map<KeyName, Reader> readers = new HashMap<>();
    private final Set<RecordName> numbers = new HashSet<>();
    private final Map<ByteBuffer, RecordName> sealed = new HashMap<>();
    private final Set<RecordName> taken = new HashSet<>();

    /** One life of a node. */
    record Reader(String node, int life) {
        @Override
        public String toString() {
            return node + " in life " + life;
        }
    }

    /** Names a record for good. */
    record RecordName(KeyName key, long number) {
        @Override
        public String toString() {
            return "record " + number + " under key " + key;
        }
    }

    /** A handshake gave this process the key to read by; a later life has no right to it. */
    void onAgreed(KeyName key, Reader reader) {
        readers.putIfAbsent(key, reader);
    }

    /** Before a record is sealed. */
    void onNumber(RecordName name, Reader by) {
        if (!numbers.add(name)) {
            throw new SimViolationException(NUMBER_TWICE, name + " by " + by);
        }
        if (!readers.containsKey(name.key())) {
            throw new SimViolationException(ONE_SIDED, name + " by " + by);
        }
    }

    void onSealed(RecordName name, byte[] record) {
        sealed.put(ByteBuffer.wrap(record), name);
    }

    /** The record that a datagram is; null if it is none. */
    @Nullable
    RecordName find(byte[] datagram) {
        return sealed.get(ByteBuffer.wrap(datagram));
    }

    void onTaken(RecordName name, Reader by) {
        if (!taken.add(name)) {
            throw new SimViolationException(RECORDING, name + " by " + by + ", a second time");
        }
        Reader meant = readers.get(name.key());
        if (!by.equals(meant)) {
            throw new SimViolationException(RECORDING, name + " by " + by + ", for " + meant);
        }
    }

    boolean isTaken(RecordName name) {
        return taken.contains(name);
    }
}
