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
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A request whose body is held, so that each run of the work reads it from the begin. Forms are left to the container, which holds their
 * parameters. One run at a time.
 */
final class HeldRequest extends HttpServletRequestWrapper {
    private static final String FORM = "application/x-www-form-urlencoded";

    private final byte[] body;

    private HeldRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
    }

    /** @return empty if the body has more bytes */
    static Optional<HeldRequest> of(HttpServletRequest request, int mostBytes) throws IOException {
        if (isForm(request)) {
            return Optional.of(new HeldRequest(request, parameters(request)));
        }
        byte[] body = request.getInputStream().readNBytes(mostBytes + 1);
        return body.length > mostBytes ? Optional.empty() : Optional.of(new HeldRequest(request, body));
    }

    private static boolean isForm(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.regionMatches(true, 0, FORM, 0, FORM.length());
    }

    private static byte[] parameters(HttpServletRequest request) {
        StringBuilder text = new StringBuilder();
        Map<String, String[]> sorted = new TreeMap<>(request.getParameterMap());
        sorted.forEach((name, values) -> text.append(name.length())
                .append(':')
                .append(name)
                .append(Arrays.toString(values))
                .append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The bytes by which retries are equal: method, path, query, and body. */
    byte[] fingerprinted() {
        String query = getQueryString();
        byte[] head = (getMethod() + " " + getRequestURI() + (query == null ? "" : "?" + query) + "\n")
                .getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        return all;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        return isForm((HttpServletRequest) getRequest()) ? super.getInputStream() : new Body(body);
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (isForm((HttpServletRequest) getRequest())) {
            return super.getReader();
        }
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
