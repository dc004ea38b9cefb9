package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes on written bytes, and notes which requests are answered and by when the peer must have read them. JacORB writes
 * whole messages under a lock.
 */
final class GiopOutput extends OutputStream {
    private static final int HEADER = 12;

    /** Header, request id and status of a reply of GIOP 1.2. */
    private static final int REPLY_HEAD = 20;

    private static final int REPLY = 1;
    private static final int USER_EXCEPTION = 1;

    private final OutputStream out;
    private final GuardedConnection connection;
    private final byte[] head = new byte[REPLY_HEAD];
    private int have;
    private long left;

    GiopOutput(OutputStream out, GuardedConnection connection) {
        this.out = out;
        this.connection = connection;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        follow(bytes, offset, length);
        connection.writes(length);
        try {
            out.write(bytes, offset, length);
        } finally {
            connection.written();
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void follow(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end) {
            if (left > 0 && have == 0) {
                int skipped = (int) Math.min(left, end - at);
                at += skipped;
                left -= skipped;
                continue;
            }
            int wanted = have < HEADER ? HEADER : HEADER + (int) Math.min(REPLY_HEAD - HEADER, size());
            int taken = Math.min(wanted - have, end - at);
            System.arraycopy(bytes, at, head, have, taken);
            have += taken;
            at += taken;
            if (have >= HEADER && have == HEADER + (int) Math.min(REPLY_HEAD - HEADER, size())) {
                left = size() - (have - HEADER);
                have = 0;
                message();
            }
        }
    }

    private void message() {
        if (head[7] != REPLY) {
            return;
        }
        boolean numbered = head[5] == 2;
        int status = number(HEADER + 4);
        connection.answered(numbered ? number(HEADER) : 0, !numbered || (status >= 0 && status <= USER_EXCEPTION));
    }

    private long size() {
        return number(8) & 0xFFFF_FFFFL;
    }

    private int number(int at) {
        boolean littleEndian = (head[6] & 1) == 1;
        int value = 0;
        for (int k = 0; k < 4; k++) {
            value = (value << 8) | (head[littleEndian ? at + 3 - k : at + k] & 0xFF);
        }
        return value;
    }
}
