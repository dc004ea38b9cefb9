package org.amo.interceptors.status;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;

/**
 * Asks a replica for its status with one GIOP request on a socket of its own. It uses no ORB: so it starts at once, and
 * can tell a replica from another program that answers on the port.
 */
public final class StatusClient {
    /** Under this key every replica's ORB knows its status object. */
    public static final String OBJECT_KEY = "AmoStatus";

    private static final int HEADER = 12;
    private static final int LARGEST_REPLY = 1 << 20;
    private static final byte[] MAGIC = {'G', 'I', 'O', 'P'};
    private static final int REQUEST = 0;
    private static final int REPLY = 1;
    private static final int REQUEST_ID = 1;
    private static final int WITH_RESPONSE = 3;
    private static final int LITTLE_ENDIAN = 1;
    private static final int MORE_FRAGMENTS = 2;
    private static final int NO_EXCEPTION = 0;
    private static final int SYSTEM_EXCEPTION = 2;

    /** A member raises it until it has joined its group. */
    private static final String TRANSIENT = "IDL:omg.org/CORBA/TRANSIENT:1.0";

    private StatusClient() {}

    /**
     * The status as JSON, its fields named as the components of {@link org.amo.core.replica.ReplicaStatus}.
     *
     * @param timeoutMillis for the connect, and again for each read
     */
    public static String ask(String host, int port, int timeoutMillis) throws AdministrationException {
        return ask(host, port, timeoutMillis, Administration.STATUS, Optional.empty());
    }

    /** The answer to a question of {@link Administration}, with the same time. */
    public static String ask(String host, int port, int timeoutMillis, String operation, Optional<String> argument)
            throws AdministrationException {
        String where = host + ":" + port;
        try (Socket socket = new Socket()) {
            connect(socket, where, host, port, timeoutMillis);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(timeoutMillis);
            socket.getOutputStream().write(request(operation, argument));
            return reply(socket.getInputStream(), where);
        } catch (SocketTimeoutException e) {
            // The system accepts connections for a process that hangs.
            throw silent("a process listens on " + where + " and has not answered within " + timeoutMillis + " ms");
        } catch (EOFException e) {
            throw noMember(where, "it closed the connection");
        } catch (IOException e) {
            throw noMember(where, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private static void connect(Socket socket, String where, String host, int port, int timeoutMillis)
            throws AdministrationException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new AdministrationException(AdministrationException.Cause.UNREACHABLE, "unknown host " + host);
        }
        try {
            socket.connect(address, timeoutMillis);
        } catch (IOException e) {
            throw new AdministrationException(
                    AdministrationException.Cause.UNREACHABLE,
                    "no process listens on " + where + " (" + e.getMessage() + ")");
        }
    }

    /** GIOP 1.2, big-endian: header, request header with the key as target, no contexts, and a string or nothing. */
    private static byte[] request(String operationName, Optional<String> argument) {
        ByteBuffer buffer =
                ByteBuffer.allocate(256 + argument.map(String::length).orElse(0));
        buffer.put(MAGIC).put(new byte[] {1, 2, 0, REQUEST}).putInt(0);
        buffer.putInt(REQUEST_ID).put((byte) WITH_RESPONSE).put(new byte[3]);
        byte[] key = OBJECT_KEY.getBytes(StandardCharsets.US_ASCII);
        buffer.putShort((short) 0).putShort((short) 0).putInt(key.length).put(key);
        align(buffer, 4);
        byte[] operation = operationName.getBytes(StandardCharsets.US_ASCII);
        buffer.putInt(operation.length + 1).put(operation).put((byte) 0);
        align(buffer, 4);
        buffer.putInt(0);
        if (argument.isPresent()) {
            byte[] text = argument.get().getBytes(StandardCharsets.US_ASCII);
            align(buffer, 8);
            buffer.putInt(text.length + 1).put(text).put((byte) 0);
        }
        buffer.putInt(8, buffer.position() - HEADER);
        byte[] bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    /**
     * Reads the answer.
     *
     * @throws EOFException when it ends too early
     */
    static String reply(InputStream input, String where) throws IOException, AdministrationException {
        byte[] header = readFully(input, HEADER);
        ByteBuffer head = ByteBuffer.wrap(header);
        for (byte expected : MAGIC) {
            if (head.get() != expected) {
                throw noMember(where, "it does not speak GIOP");
            }
        }
        int flags = header[6];
        head.order((flags & LITTLE_ENDIAN) != 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int size = head.getInt(8);
        if (header[7] != REPLY
                || header[5] != 2
                || (flags & MORE_FRAGMENTS) != 0
                || size < 12
                || size > LARGEST_REPLY) {
            throw noMember(where, "its answer is no reply in one GIOP 1.2 message");
        }
        byte[] body = readFully(input, size);
        // Alignment counts from the header on.
        ByteBuffer whole = ByteBuffer.allocate(HEADER + size).order(head.order());
        try {
            return string(whole.position(HEADER).put(body).position(HEADER), where);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw noMember(where, "its answer is cut short");
        }
    }

    /** Takes memory for the received bytes, not for the claimed length. */
    private static byte[] readFully(InputStream input, int length) throws IOException {
        byte[] bytes = input.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return bytes;
    }

    private static String string(ByteBuffer body, String where) throws AdministrationException {
        int id = body.getInt();
        int status = body.getInt();
        if (id != REQUEST_ID || (status != NO_EXCEPTION && status != SYSTEM_EXCEPTION)) {
            throw noObject(where);
        }
        for (int contexts = body.getInt(); contexts > 0; contexts--) {
            body.getInt();
            skip(body, body.getInt());
            align(body, 4);
        }
        align(body, 8);
        int length = body.getInt();
        if (length < 0 || length > body.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] text = new byte[Math.max(0, length - 1)];
        body.get(text);
        String result = new String(text, StandardCharsets.US_ASCII);
        if (status == SYSTEM_EXCEPTION) {
            throw result.equals(TRANSIENT)
                    ? silent(where + " cannot answer yet: it still joins its group, or has too much to do")
                    : noObject(where);
        }
        return result;
    }

    /** Never back: a length below 0 would have the same contexts read again. */
    private static void skip(ByteBuffer body, int length) {
        if (length < 0 || length > body.remaining()) {
            throw new BufferUnderflowException();
        }
        body.position(body.position() + length);
    }

    private static void align(ByteBuffer buffer, int boundary) {
        buffer.position((buffer.position() + boundary - 1) & -boundary);
    }

    private static AdministrationException silent(String message) {
        return new AdministrationException(AdministrationException.Cause.SILENT, message);
    }

    private static AdministrationException noObject(String where) {
        return noMember(where, "its ORB knows no object " + OBJECT_KEY);
    }

    private static AdministrationException noMember(String where, String why) {
        return new AdministrationException(
                AdministrationException.Cause.NO_MEMBER, where + " is no replica of amo (" + why + ")");
    }
}
