package org.amo.jdbc.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.base.wire.WireWriter;

/**
 * A request whose body has been read, to compare it, and is read again by the chain. The container reads the body of a form first, and
 * holds its parameters; it does so for POST alone, and what it leaves of a body is held here.
 */
final class HeldRequest extends HttpServletRequestWrapper {
    private static final String FORM = "application/x-www-form-urlencoded";

    private final byte[] parameters;
    private final byte[] body;

    private HeldRequest(HttpServletRequest request, byte[] parameters, byte[] body) {
        super(request);
        this.parameters = parameters;
        this.body = body;
    }

    /** @return empty if the body has more bytes */
    static Optional<HeldRequest> of(HttpServletRequest request, int mostBytes) throws IOException {
        byte[] parameters = isForm(request) ? parameters(request) : new byte[0];
        byte[] body = request.getInputStream().readNBytes(mostBytes + 1);
        return body.length > mostBytes ? Optional.empty() : Optional.of(new HeldRequest(request, parameters, body));
    }

    private static boolean isForm(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.regionMatches(true, 0, FORM, 0, FORM.length());
    }

    /** By their names; the lengths keep names and values apart. */
    private static byte[] parameters(HttpServletRequest request) {
        WireWriter writer = new WireWriter(256);
        Map<String, String[]> sorted = new TreeMap<>(request.getParameterMap());
        sorted.forEach((name, values) -> {
            writer.text(name);
            writer.varint(values.length);
            for (String each : values) {
                writer.text(each);
            }
        });
        return writer.toBytes();
    }

    /** The bytes by which retries are equal: method, path, query, parameters of a form, and body. */
    byte[] fingerprinted() {
        String query = getQueryString();
        byte[] head = (getMethod() + " " + getRequestURI() + (query == null ? "" : "?" + query) + "\n")
                .getBytes(StandardCharsets.UTF_8);
        WireWriter writer = new WireWriter(head.length + parameters.length + body.length);
        writer.raw(head, 0, head.length);
        writer.raw(parameters, 0, parameters.length);
        writer.raw(body, 0, body.length);
        return writer.toBytes();
    }

    @Override
    public ServletInputStream getInputStream() {
        return new Body(body);
    }

    @Override
    public BufferedReader getReader() {
        String encoding = getCharacterEncoding();
        Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
        return new BufferedReader(new InputStreamReader(getInputStream(), charset));
    }

    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw new IllegalStateException(
                "a request with an Idempotency-Key is answered in its own thread, since its transaction is there");
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return startAsync();
    }

    /** The held body. */
    private static final class Body extends ServletInputStream {
        private final ByteArrayInputStream bytes;

        Body(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return bytes.read(into, offset, length);
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new IllegalStateException("a request with an Idempotency-Key is read in its own thread");
        }
    }
}
