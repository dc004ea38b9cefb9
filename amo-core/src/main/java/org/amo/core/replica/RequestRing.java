package org.amo.core.replica;

import org.amo.base.ClientId;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;

/**
 * The latest executions with their requests, without paths of nested calls, in arrays of numbers and bytes. They are numbered from 0 as
 * they are added, and the oldest is removed first. The arrays grow with what they hold. One thread owns it.
 */
final class RequestRing {
    private static final int POSITION = 0;
    private static final int INDEX = 1;
    private static final int DIGEST = 2;
    private static final int OWN = 3;
    private static final int CLIENT_HIGH = 4;
    private static final int CLIENT_LOW = 5;
    private static final int NUMBER = 6;
    private static final int TIMESTAMP = 7;
    private static final int DEADLINE = 8;
    private static final int FINGERPRINT = 9;
    private static final int ONEWAY = 10;
    private static final int BODY_END = 11;
    private static final int WIDTH = 12;

    private static final int LEAST_STEPS = 16;
    private static final int LEAST_BYTES = 1 << 10;

    private final int mostSteps;
    private final int mostBytes;

    private long first;
    private long end;
    private long[] fields = new long[LEAST_STEPS * WIDTH];

    // Byte i of all bodies that were ever added is at i modulo the length.
    private long bodiesBegin;
    private long bodiesEnd;
    private byte[] bodies = new byte[LEAST_BYTES];

    /** @param mostBytes of all bodies; both are powers of two */
    RequestRing(int mostSteps, int mostBytes) {
        this.mostSteps = mostSteps;
        this.mostBytes = mostBytes;
    }

    /** Number of the oldest one; {@link #end} if there is none. */
    long first() {
        return first;
    }

    /** Number of the next one. */
    long end() {
        return end;
    }

    boolean isEmpty() {
        return first == end;
    }

    boolean lacksRoomFor(Request request) {
        return end - first == mostSteps || bodiesEnd - bodiesBegin + request.body().length > mostBytes;
    }

    /** There is room for it. */
    void add(Execution execution, long digest) {
        Request request = execution.request();
        takeRoomFor(request.body().length);
        put(request.body(), bodies, bodiesEnd);
        bodiesEnd += request.body().length;
        int at = at(end);
        fields[at + POSITION] = execution.position();
        fields[at + INDEX] = execution.index();
        fields[at + DIGEST] = digest;
        fields[at + OWN] = request.id().space() == Space.OWN ? 1 : 0;
        fields[at + CLIENT_HIGH] = request.id().client().high();
        fields[at + CLIENT_LOW] = request.id().client().low();
        fields[at + NUMBER] = request.id().number();
        fields[at + TIMESTAMP] = request.timestampMillis();
        fields[at + DEADLINE] = request.deadlineMillis();
        fields[at + FINGERPRINT] = request.fingerprint();
        fields[at + ONEWAY] = request.oneway() ? 1 : 0;
        fields[at + BODY_END] = bodiesEnd;
        end++;
    }

    void removeFirst() {
        bodiesBegin = field(first, BODY_END);
        first++;
    }

    void clear() {
        first = end;
        bodiesBegin = bodiesEnd;
    }

    long position(long step) {
        return field(step, POSITION);
    }

    Place place(long step) {
        return new Place(field(step, POSITION), (int) field(step, INDEX));
    }

    long digest(long step) {
        return field(step, DIGEST);
    }

    Request request(long step) {
        long begin = step == first ? bodiesBegin : field(step - 1, BODY_END);
        RequestId id = new RequestId(
                field(step, OWN) == 1 ? Space.OWN : Space.FOREIGN,
                new ClientId(field(step, CLIENT_HIGH), field(step, CLIENT_LOW)),
                field(step, NUMBER));
        return new Request(
                id,
                field(step, TIMESTAMP),
                field(step, DEADLINE),
                field(step, FINGERPRINT),
                field(step, ONEWAY) == 1,
                bodies(begin, field(step, BODY_END)));
    }

    private void takeRoomFor(int bytes) {
        if (end - first == capacity()) {
            long[] more = new long[2 * fields.length];
            for (long step = first; step < end; step++) {
                int place = place(step, 2L * capacity());
                System.arraycopy(fields, at(step), more, place, WIDTH);
            }
            fields = more;
        }
        int wanted = (int) (bodiesEnd - bodiesBegin) + bytes;
        if (wanted > bodies.length) {
            byte[] all = bodies(bodiesBegin, bodiesEnd);
            bodies = new byte[Integer.highestOneBit(2 * wanted - 1)];
            put(all, bodies, bodiesBegin);
        }
    }

    private static void put(byte[] bytes, byte[] ring, long at) {
        int place = (int) (at & (ring.length - 1));
        int head = Math.min(bytes.length, ring.length - place);
        System.arraycopy(bytes, 0, ring, place, head);
        System.arraycopy(bytes, head, ring, 0, bytes.length - head);
    }

    private byte[] bodies(long begin, long behind) {
        byte[] bytes = new byte[(int) (behind - begin)];
        int place = (int) (begin & (bodies.length - 1));
        int head = Math.min(bytes.length, bodies.length - place);
        System.arraycopy(bodies, place, bytes, 0, head);
        System.arraycopy(bodies, 0, bytes, head, bytes.length - head);
        return bytes;
    }

    private int capacity() {
        return fields.length / WIDTH;
    }

    private long field(long step, int column) {
        return fields[at(step) + column];
    }

    private int at(long step) {
        return place(step, capacity());
    }

    private static int place(long step, long capacity) {
        return Math.toIntExact(step % capacity * WIDTH);
    }
}
