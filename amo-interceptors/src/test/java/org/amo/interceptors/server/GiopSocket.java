package org.amo.interceptors.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that writes GIOP requests byte by byte, whole or not. */
final class GiopSocket implements AutoCloseable {
    /** The reply's status and body. */
    record Reply(int status, byte[] body) {
        /** The first string of the body: an exception's id. */
        String id() {
            ByteBuffer in = ByteBuffer.wrap(body);
            byte[] text = new byte[in.getInt() - 1];
            in.get(text);
            return new String(text, StandardCharsets.ISO_8859_1);
        }

        /** Of a system exception: minor code, then whether it was completed (0 yes, 1 no, 2 maybe). */
        int[] minorAndCompleted() {
            ByteBuffer in = ByteBuffer.wrap(body);
            in.position(4 + (in.getInt() + 3 & -4));
            return new int[] {in.getInt(), in.getInt()};
        }
    }

    private static final int CODE_SETS = 1;

    private final Socket socket;
    private final DataInputStream in;
    private int nextId = 1;

    GiopSocket(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setSoTimeout(20_000);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Calls with a body as given, of GIOP 1.minor. */
    Reply call(int minor, boolean littleEndian, byte[] objectKey, String operation, byte[] body) throws IOException {
        send(minor, littleEndian, objectKey, operation, body);
        return read();
    }

    /** Calls with GIOP 1.2, big-endian, and chooses the code sets of the connection. */
    Reply callChoosing(int charSet, int wcharSet, byte[] objectKey, String operation, byte[] body) throws IOException {
        byte[] chosen =
                ByteBuffer.allocate(12).putInt(4, charSet).putInt(8, wcharSet).array();
        send(2, false, objectKey, operation, body, chosen);
        return read();
    }

    /** Sends the same and reads nothing. */
    void send(int minor, boolean littleEndian, byte[] objectKey, String operation, byte[] body) throws IOException {
        send(minor, littleEndian, objectKey, operation, body, new byte[0]);
    }

    /** @param codeSets data of a CODE_SETS context, with GIOP 1.2 only; none if it is empty */
    private void send(int minor, boolean littleEndian, byte[] objectKey, String operation, byte[] body, byte[] codeSets)
            throws IOException {
        ByteBuffer out = ByteBuffer.allocate(1_024 + objectKey.length + operation.length() + body.length);
        ByteOrder order = littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        out.order(order);
        out.put("GIOP".getBytes(StandardCharsets.US_ASCII)).put((byte) 1).put((byte) minor);
        out.put((byte) (littleEndian ? 1 : 0)).put((byte) 0).putInt(0);
        int id = nextId++;
        if (minor == 2) {
            out.putInt(id).put((byte) 3).put(new byte[3]).putShort((short) 0);
            align(out, 4);
            octets(out, objectKey);
            text(out, operation);
            align(out, 4);
            out.putInt(codeSets.length > 0 ? 1 : 0);
            if (codeSets.length > 0) {
                out.putInt(CODE_SETS);
                octets(out, codeSets);
            }
            if (body.length > 0) {
                align(out, 8);
            }
        } else {
            out.putInt(0).putInt(id).put((byte) 1);
            if (minor == 1) {
                out.put(new byte[3]);
            }
            align(out, 4);
            octets(out, objectKey);
            text(out, operation);
            align(out, 4);
            out.putInt(0);
        }
        out.put(body);
        out.putInt(8, out.position() - 12);
        socket.getOutputStream().write(out.array(), 0, out.position());
    }

    /** To the same server. */
    GiopSocket another() throws IOException {
        return new GiopSocket(socket.getInetAddress().getHostAddress(), socket.getPort());
    }

    /** Bytes as they are. */
    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** A server that reads on hangs up. */
    void endOfRequests() throws IOException {
        socket.shutdownOutput();
    }

    /** The types of all messages that come until the server hangs up. */
    List<Integer> typesToTheEnd() throws IOException {
        List<Integer> types = new ArrayList<>();
        for (byte[] header = in.readNBytes(12); header.length == 12; header = in.readNBytes(12)) {
            types.add((int) header[7]);
            ByteBuffer head =
                    ByteBuffer.wrap(header).order(header[6] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            in.skipNBytes(head.getInt(8));
        }
        return types;
    }

    private Reply read() throws IOException {
        byte[] header = in.readNBytes(12);
        ByteBuffer head =
                ByteBuffer.wrap(header).order(header[6] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        byte[] message = in.readNBytes(head.getInt(8));
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(header);
        whole.write(message);
        ByteBuffer reply = ByteBuffer.wrap(whole.toByteArray()).order(head.order());
        reply.position(12);
        int status;
        if (header[5] == 2) {
            reply.getInt();
            status = reply.getInt();
            skipContexts(reply);
            if (reply.hasRemaining()) {
                reply.position(reply.position() + 7 & -8);
            }
        } else {
            skipContexts(reply);
            reply.getInt();
            status = reply.getInt();
        }
        byte[] body = new byte[reply.remaining()];
        reply.get(body);
        return new Reply(status, body);
    }

    private static void skipContexts(ByteBuffer in) {
        for (int left = in.getInt(); left > 0; left--) {
            in.position(in.position() + 3 & -4);
            in.getInt();
            int length = in.getInt();
            in.position(in.position() + length);
        }
        in.position(in.position() + 3 & -4);
    }

    private static void octets(ByteBuffer out, byte[] bytes) {
        out.putInt(bytes.length).put(bytes);
    }

    private static void text(ByteBuffer out, String value) {
        align(out, 4);
        byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
        out.putInt(bytes.length + 1).put(bytes).put((byte) 0);
    }

    private static void align(ByteBuffer out, int size) {
        while (out.position() % size != 0) {
            out.put((byte) 0);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
