package org.amo.interceptors.jacorb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.NestedReply;
import org.jacorb.orb.CodeSet;
import org.jacorb.orb.giop.ClientConnection;
import org.jacorb.orb.giop.Messages;
import org.jacorb.orb.giop.ReplyInputStream;

/** GIOP's reply messages: made from a captured reply, and captured. */
final class GiopReply {
    private static final int HEADER_BYTES = 12;
    private static final int FLAGS_AT = 6;
    private static final int REPLY = 1;

    /** A service context that only moves the body; amo's vendor id. */
    private static final int PADDING_CONTEXT = 0x414D_0000;

    private GiopReply() {}

    /** The message that answers a request. */
    static byte[] message(int requestId, NestedReply reply) {
        CapturedReply content = reply.reply();
        byte[] body = content.kind() == CapturedReply.Kind.SYSTEM_EXCEPTION
                ? systemException(content, reply.littleEndian())
                : content.body();
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + 24 + body.length)
                .order(reply.littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        out.put((byte) 'G').put((byte) 'I').put((byte) 'O').put((byte) 'P');
        out.put((byte) 1).put((byte) reply.giopMinor());
        out.put((byte) (reply.littleEndian() ? 1 : 0)).put((byte) REPLY).putInt(0);
        if (reply.giopMinor() == 2) {
            out.putInt(requestId).putInt(status(content)).putInt(0);
        } else {
            if (reply.pad() == 0) {
                out.putInt(0);
            } else {
                out.putInt(1).putInt(PADDING_CONTEXT).putInt(4).putInt(0);
            }
            out.putInt(requestId).putInt(status(content));
        }
        out.put(body);
        out.putInt(8, out.position() - HEADER_BYTES);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static int status(CapturedReply reply) {
        return switch (reply.kind()) {
            case NORMAL -> 0;
            case USER_EXCEPTION -> 1;
            case SYSTEM_EXCEPTION -> 2;
        };
    }

    private static byte[] systemException(CapturedReply reply, boolean littleEndian) {
        byte[] id = (reply.exceptionId() + "\0").getBytes(StandardCharsets.US_ASCII);
        int padded = (id.length + 3) / 4 * 4;
        ByteBuffer out = ByteBuffer.allocate(4 + padded + 8)
                .order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        out.putInt(id.length).put(id).position(4 + padded);
        out.putInt(reply.minor()).putInt(reply.completed());
        return out.array();
    }

    /** The reply that a connection brought, without its service contexts. It is normal or a user exception. */
    static NestedReply capture(ReplyInputStream in, boolean isException, ClientConnection connection) {
        byte[] message = in.getBufferCopy();
        byte[] body = in.getBody();
        int start = HEADER_BYTES + Messages.getMsgSize(message) - body.length;
        return new NestedReply(
                (message[FLAGS_AT] & 1) == 1,
                in.getGIOPMinor(),
                body.length == 0 ? 0 : start & 7,
                id(connection.getTCS()),
                id(connection.getTCSW()),
                isException ? CapturedReply.userException(body) : CapturedReply.normal(body));
    }

    static int id(CodeSet codeSet) {
        return codeSet == null ? 0 : codeSet.getId();
    }
}
