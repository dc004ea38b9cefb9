package org.amo.interceptors.jacorb.door;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.amo.core.door.DoorLimits;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;

/** The messages of a connection as the door lets them in. */
class GiopInputTest implements HostileBytes {
    private static final int KB = 1 << 10;

    private static final GiopLimits LIMITS = new GiopLimits(
            new DoorLimits(20, 20, 512 * KB, 1 << 20, 2 << 20, 2 << 20),
            128 * KB,
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            1 << 20,
            8 << 20);

    private final GiopDoor door = new GiopDoor(LIMITS);

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                        "GIOP at the door",
                        IOException.class,
                        this::read,
                        stream(ByteOrder.BIG_ENDIAN),
                        stream(ByteOrder.LITTLE_ENDIAN))
                .taking(100_000)); // a socket, and the buffer for whole messages
    }

    private void read(byte[] bytes) throws IOException {
        try (GuardedSocket socket = new GuardedSocket(door)) {
            door.arrive(socket.connection());
            GiopInput input = new GiopInput(new ByteArrayInputStream(bytes), socket.connection(), LIMITS);
            byte[] to = new byte[64];
            int read = input.read(to, 0, to.length);
            while (read > 0) {
                read = input.read(to, 0, to.length);
            }
        }
        if (door.held() != 0) {
            throw new AssertionError("the door holds " + door.held() + " bytes for nobody");
        }
    }

    /** A request, one in three fragments and an end. */
    private static byte[] stream(ByteOrder order) {
        ByteBuffer out = ByteBuffer.allocate(1_000).order(order);
        message(out, 0, 0, 9, 40);
        message(out, 0, 2, 10, 24);
        message(out, 7, 2, 10, 8);
        message(out, 7, 0, 10, 8);
        message(out, 5, 0, 0, 0);
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    private static void message(ByteBuffer out, int type, int flags, int id, int length) {
        int order = out.order() == ByteOrder.LITTLE_ENDIAN ? 1 : 0;
        out.put("GIOP".getBytes(StandardCharsets.US_ASCII)).put(new byte[] {1, 2, (byte) (flags | order), (byte) type});
        out.putInt(length);
        if (length >= 4) {
            out.putInt(id).put(new byte[length - 4]);
        }
    }
}
