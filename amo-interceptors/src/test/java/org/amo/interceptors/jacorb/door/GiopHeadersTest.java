package org.amo.interceptors.jacorb.door;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Lengths in headers of every version and byte order: as they should be, and one of them a lie. */
class GiopHeadersTest {
    private static final int[] LIES = {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0x7000_0000, 1_000};

    private static ByteBuffer begin(int minor, ByteOrder order, int type) {
        ByteBuffer out = ByteBuffer.allocate(100_000).order(order);
        out.put("GIOP".getBytes(StandardCharsets.US_ASCII));
        out.put(new byte[] {1, (byte) minor, (byte) (order == ByteOrder.LITTLE_ENDIAN ? 1 : 0), (byte) type});
        return out.putInt(0);
    }

    private static byte[] end(ByteBuffer out) {
        byte[] message = new byte[out.position()];
        out.putInt(8, message.length - 12).flip().get(message);
        return message;
    }

    private static void octets(ByteBuffer out, String text) {
        out.position((out.position() + 3) & -4);
        out.putInt(text.length()).put(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void contexts(ByteBuffer out) {
        out.position((out.position() + 3) & -4);
        out.putInt(2).putInt(1);
        octets(out, "abc");
        out.position((out.position() + 3) & -4);
        out.putInt(13);
        octets(out, "");
    }

    private static byte[] request(int minor, ByteOrder order) {
        return request(minor, order, "key");
    }

    private static byte[] request(int minor, ByteOrder order, String key) {
        ByteBuffer out = begin(minor, order, 0);
        if (minor == 2) {
            out.putInt(7).put(new byte[] {1, 0, 0, 0}).putShort((short) 0);
            octets(out, key);
            octets(out, "deposit\0");
            contexts(out);
        } else {
            contexts(out);
            out.putInt(7).put((byte) 1);
            out.position(out.position() + (minor == 1 ? 3 : 0));
            octets(out, key);
            octets(out, "deposit\0");
            octets(out, "");
        }
        return end(out);
    }

    private static byte[] locate(int minor, ByteOrder order) {
        ByteBuffer out = begin(minor, order, 3).putInt(7);
        if (minor == 2) {
            out.putShort((short) 0);
        }
        octets(out, "key");
        return end(out);
    }

    private static byte[] reply(int minor, ByteOrder order) {
        ByteBuffer out = begin(minor, order, 1);
        if (minor < 2) {
            contexts(out);
            return end(out.putInt(7).putInt(0));
        }
        out.putInt(7).putInt(0);
        contexts(out);
        return end(out);
    }

    @Test
    void aHeaderThatIsWholeIsLetInAndOneThatIsCutIsNot() {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            for (int minor = 0; minor <= 2; minor++) {
                for (byte[] message : new byte[][] {request(minor, order), locate(minor, order), reply(minor, order)}) {
                    assertEquals(Optional.empty(), GiopHeaders.flaw(message, 0, message.length));
                    assertTrue(GiopDoor.isReadable(message));
                    for (int length = 0; length < message.length; length++) {
                        assertEquals(false, GiopDoor.isReadable(Arrays.copyOf(message, length)));
                    }
                }
            }
        }
    }

    @Test
    void aLengthThatClaimsMoreThanThereIsIsFoundWhereverItStands() {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            for (int minor = 0; minor <= 2; minor++) {
                byte[] message = request(minor, order);
                int lengths = 0;
                for (int at = 12; at + 4 <= message.length; at += 4) {
                    int before = ByteBuffer.wrap(message).order(order).getInt(at);
                    if (before == 3 || before == 8 || before == 2) {
                        lengths++;
                        for (int lie : LIES) {
                            byte[] lying = message.clone();
                            ByteBuffer.wrap(lying).order(order).putInt(at, lie);
                            assertTrue(GiopHeaders.flaw(lying, 0, lying.length).isPresent(), "at " + at);
                        }
                    }
                }
                assertEquals(4, lengths, "contexts, the first of them, key and operation");
            }
        }
    }

    /** It would have the same context read two thousand million times. */
    @Test
    void aLengthBelowZeroDoesNotGoBack() {
        ByteBuffer out = begin(0, ByteOrder.BIG_ENDIAN, 0);
        out.putInt(Integer.MAX_VALUE).putInt(7).putInt(-8).put(new byte[40]);
        byte[] message = end(out);
        long began = System.nanoTime();
        assertTrue(GiopHeaders.flaw(message, 0, message.length).isPresent());
        assertTrue(System.nanoTime() - began < 1_000_000_000L);
    }

    @Test
    void aMessageAmongOthersIsJudgedByItsOwnBytes() {
        byte[] message = request(2, ByteOrder.BIG_ENDIAN);
        byte[] stream = new byte[message.length + 77];
        System.arraycopy(message, 0, stream, 7, message.length);
        assertEquals(Optional.empty(), GiopHeaders.flaw(stream, 7, message.length));
        assertTrue(GiopHeaders.flaw(stream, 7, message.length - 1).isPresent());
    }

    @Test
    void aKeyIsLongOnlyIfJacorbMadeIt() {
        String most = "/".repeat(GiopHeaders.MOST_KEY_BYTES);
        String name = "k".repeat(GiopHeaders.MOST_NAME_BYTES);
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            for (int minor = 0; minor <= 2; minor++) {
                for (String taken : new String[] {most, name, name + "/k"}) {
                    byte[] message = request(minor, order, taken);
                    assertEquals(Optional.empty(), GiopHeaders.flaw(message, 0, message.length));
                    assertEquals(Optional.empty(), GiopHeaders.earlyFlaw(message, 0, message.length));
                }
                for (String refused : new String[] {most + "/", name + "k"}) {
                    byte[] message = request(minor, order, refused);
                    String flaw = GiopHeaders.flaw(message, 0, message.length).orElseThrow();
                    assertTrue(flaw.contains("object key of " + refused.length() + " bytes"), flaw);
                }
            }
            byte[] message = request(2, order, most + "/");
            assertEquals(Optional.empty(), GiopHeaders.earlyFlaw(message, 0, 27));
            assertEquals(28, GiopHeaders.EARLY_BYTES);
            assertTrue(GiopHeaders.earlyFlaw(message, 0, 28).isPresent());
        }
    }

    @Test
    void aTargetThatIsNoKeyIsNotTaken() {
        byte[] message = request(2, ByteOrder.BIG_ENDIAN);
        message[21] = 1;
        assertTrue(GiopHeaders.flaw(message, 0, message.length).orElseThrow().contains("object key"));
    }

    @Test
    void responseFlagsThatGiopDoesNotHaveAreNotTaken() {
        byte[] message = request(2, ByteOrder.LITTLE_ENDIAN);
        for (int flags = 0; flags < 256; flags++) {
            message[16] = (byte) flags;
            Optional<String> flaw = GiopHeaders.flaw(message, 0, message.length);
            assertEquals(flags != 0 && flags != 1 && flags != 3, flaw.isPresent(), "flags " + flags);
            int told = flags;
            flaw.ifPresent(why -> assertTrue(why.contains("response flags are " + told), why));
        }
        byte[] older = request(1, ByteOrder.BIG_ENDIAN);
        assertEquals(Optional.empty(), GiopHeaders.flaw(older, 0, older.length));
    }
}
