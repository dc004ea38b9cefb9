package org.amo.interceptors.client;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.jacorb.MemberAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acknowledgements of a client that ends. JacORB tells interceptors of its shutdown only after it has closed its
 * connections, so this request goes over a socket of its own: GIOP 1.2, {@code _non_existent}, one service context.
 */
final class LastFlush {
    private static final Logger LOG = LoggerFactory.getLogger(LastFlush.class);

    /** A program that ends waits for all of this at most that long, give or take one attempt. */
    private static final int BUDGET_MILLIS = 1_000;

    private static final int TIMEOUT_MILLIS = 250;
    private static final int HEADER_BYTES = 12;
    private static final byte[] OPERATION = "_non_existent\0".getBytes(StandardCharsets.US_ASCII);

    private LastFlush() {}

    /** Sends the pending acknowledgements. Best effort: if they are lost, the cached replies expire by their deadline. */
    static void send(ReplicatedGroup group) {
        if (!group.hasUnsent() || group.acknowledgeByDatagram(Clock.nowMillis())) {
            return;
        }
        group.lastTarget().ifPresent(target -> {
            byte[] request = request(target.objectKey(), group.flush(Clock.nowMillis()));
            long end = Clock.nowMillis() + BUDGET_MILLIS;
            for (int tries = group.memberCount(); tries > 0 && Clock.nowMillis() < end; tries--) {
                MemberAddress member = group.serving();
                try {
                    send(member, request);
                    return;
                } catch (IOException unreachable) {
                    LOG.debug("amo client: last flush to {} failed", member, unreachable);
                    group.leave(member);
                }
            }
        });
    }

    private static void send(MemberAddress member, byte[] request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(member.host(), member.port()), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.write(request);
            out.flush();
            // The reply's first byte says that the server has taken the request; the rest of the reply does not matter.
            InputStream in = socket.getInputStream();
            if (in.read() < 0) {
                throw new IOException("connection closed");
            }
        }
    }

    private static byte[] request(byte[] objectKey, byte[] context) {
        ByteBuffer out = ByteBuffer.allocate(96 + objectKey.length + context.length);
        out.put((byte) 'G').put((byte) 'I').put((byte) 'O').put((byte) 'P');
        out.put((byte) 1).put((byte) 2).put((byte) 0).put((byte) 0).putInt(0);
        // Request id, response expected and three reserved bytes, the key as target.
        out.putInt(1)
                .put((byte) 3)
                .put((byte) 0)
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0);
        octets(out, objectKey);
        octets(out, OPERATION);
        align(out).putInt(1).putInt(RequestContext.CONTEXT_ID);
        octets(out, context);
        out.putInt(8, out.position() - HEADER_BYTES);
        byte[] message = new byte[out.position()];
        out.flip().get(message);
        return message;
    }

    private static void octets(ByteBuffer out, byte[] value) {
        align(out).putInt(value.length).put(value);
    }

    private static ByteBuffer align(ByteBuffer out) {
        while (out.position() % 4 != 0) {
            out.put((byte) 0);
        }
        return out;
    }
}
