package org.amo.jdbc.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * A response as it is stored for retries. docs/wire/http-reply.md.
 *
 * @param status of HTTP
 * @param headers in order; a name may occur several times
 * @param body not copied
 */
record StoredResponse(int status, List<Header> headers, byte[] body) {
    private static final int VERSION = 1;
    private static final int LEAST_STATUS = 100;
    private static final int MOST_STATUS = 999;
    private static final int MAX_HEADERS = 200;
    private static final int MAX_HEADER_BYTES = 1 << 16;

    /** A cookie is a credential, and the container's own headers are set anew. */
    private static final Set<String> NOT_STORED = Set.of("set-cookie", "content-length", "transfer-encoding");

    /** A header of a response. */
    record Header(String name, String value) {
        boolean isStored() {
            return !NOT_STORED.contains(name.toLowerCase(Locale.ROOT));
        }
    }

    /** @throws RuntimeException in one line if it is more than {@link #decode} takes: no retry could be answered with it */
    byte[] encode() {
        List<Header> stored = headers.stream().filter(Header::isStored).toList();
        if (stored.size() > MAX_HEADERS) {
            throw new IllegalStateException("a response with " + stored.size()
                    + " headers cannot be stored for retries; at most " + MAX_HEADERS + " can");
        }
        if (status < LEAST_STATUS || status > MOST_STATUS) {
            throw new IllegalStateException("a response with status " + status + " is none that HTTP knows");
        }
        WireWriter writer = new WireWriter(body.length + 256);
        writer.u8(VERSION);
        writer.varint(status);
        writer.varint(stored.size());
        for (Header each : stored) {
            writer.text("a header's name", each.name(), MAX_HEADER_BYTES);
            writer.text("the value of header " + each.name(), each.value(), MAX_HEADER_BYTES);
        }
        writer.blob(body);
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException for bytes that {@link #encode} did not write */
    static StoredResponse decode(byte[] bytes) {
        WireReader reader = new WireReader("http reply", bytes);
        reader.version(VERSION);
        int status = (int) reader.varint("status", LEAST_STATUS, MOST_STATUS);
        int count = (int) reader.varint("headers", 0, MAX_HEADERS);
        List<Header> headers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            headers.add(new Header(
                    reader.text("header name", MAX_HEADER_BYTES), reader.text("header value", MAX_HEADER_BYTES)));
        }
        byte[] body = reader.blob("body", bytes.length);
        reader.end();
        return new StoredResponse(status, headers, body);
    }

    void send(HttpServletResponse response) throws IOException {
        response.setStatus(status);
        headers.forEach(each -> response.addHeader(each.name(), each.value()));
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
