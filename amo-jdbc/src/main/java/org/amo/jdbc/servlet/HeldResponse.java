package org.amo.jdbc.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.amo.jdbc.servlet.StoredResponse.Header;
import org.jspecify.annotations.Nullable;

/** Holds a response until the transaction of its call has committed. One thread owns it. */
final class HeldResponse extends HttpServletResponseWrapper {
    private static final String CONTENT_TYPE = "Content-Type";

    /** Of RFC 9110. The JDK's own formatter leaves out the 0 before the first days of a month. */
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final List<Header> headers = new ArrayList<>();
    private final List<Cookie> cookies = new ArrayList<>();
    private int status = SC_OK;
    private Optional<PrintWriter> writer = Optional.empty();
    private Optional<String> encoding = Optional.empty();

    HeldResponse(HttpServletResponse response) {
        super(response);
    }

    StoredResponse toStored() {
        writer.ifPresent(PrintWriter::flush);
        tellCharset();
        return new StoredResponse(
                status, headers.stream().filter(each -> !isCookie(each)).toList(), body.toByteArray());
    }

    /** As the container does it for a text that went through a writer: without it, the client would have to guess. */
    private void tellCharset() {
        String type = getContentType();
        if (writer.isPresent() && type != null && !namesCharset(type)) {
            setContentType(type + ";charset=" + getCharacterEncoding());
        }
    }

    private static boolean namesCharset(String type) {
        return type.toLowerCase(Locale.ROOT).contains("charset=");
    }

    /** Those of this run, for its own client alone. */
    void sendCookies() {
        HttpServletResponse real = (HttpServletResponse) getResponse();
        cookies.forEach(real::addCookie);
        headers.stream().filter(HeldResponse::isCookie).forEach(each -> real.addHeader(each.name(), each.value()));
    }

    private static boolean isCookie(Header header) {
        return header.name().equalsIgnoreCase("Set-Cookie");
    }

    // ---- status ----

    @Override
    public void setStatus(int code) {
        status = code;
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void sendError(int code) {
        sendError(code, "");
    }

    /** The container's page of errors is made behind the filter, so the message is the body. */
    @Override
    public void sendError(int code, @Nullable String message) {
        status = code;
        resetBuffer();
        setContentType("text/plain;charset=utf-8");
        body.writeBytes((message == null ? "" : message).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void sendRedirect(String location) {
        sendRedirect(location, SC_FOUND, true);
    }

    // The other forms are those of Servlet 6.1.

    @Override
    public void sendRedirect(String location, int code) {
        sendRedirect(location, code, true);
    }

    @Override
    public void sendRedirect(String location, boolean clearBuffer) {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public void sendRedirect(String location, int code, boolean clearBuffer) {
        status = code;
        if (clearBuffer) {
            resetBuffer();
        }
        setHeader("Location", location);
    }

    // ---- headers ----

    @Override
    public void addCookie(Cookie cookie) {
        cookies.add(cookie);
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        headers.removeIf(each -> each.name().equalsIgnoreCase(name));
        addHeader(name, value);
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        if (value != null) {
            headers.add(new Header(name, value));
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, Integer.toString(value));
    }

    @Override
    public void setDateHeader(String name, long millis) {
        setHeader(name, date(millis));
    }

    @Override
    public void addDateHeader(String name, long millis) {
        addHeader(name, date(millis));
    }

    private static String date(long millis) {
        return DATE.format(Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC));
    }

    @Override
    public boolean containsHeader(String name) {
        return getHeader(name) != null;
    }

    @Override
    public @Nullable String getHeader(String name) {
        return headers.stream()
                .filter(each -> each.name().equalsIgnoreCase(name))
                .map(Header::value)
                .findFirst()
                .orElse(null);
    }

    @Override
    public Collection<String> getHeaders(String name) {
        return headers.stream()
                .filter(each -> each.name().equalsIgnoreCase(name))
                .map(Header::value)
                .toList();
    }

    @Override
    public Collection<String> getHeaderNames() {
        LinkedHashSet<String> names = new LinkedHashSet<>();
        headers.forEach(each -> names.add(each.name()));
        return names;
    }

    @Override
    public void setContentType(@Nullable String type) {
        setHeader(CONTENT_TYPE, type);
    }

    @Override
    public @Nullable String getContentType() {
        return getHeader(CONTENT_TYPE);
    }

    @Override
    public void setCharacterEncoding(@Nullable String charset) {
        encoding = Optional.ofNullable(charset);
        String type = getContentType();
        if (charset != null && type != null && !namesCharset(type)) {
            setContentType(type + ";charset=" + charset);
        }
    }

    @Override
    public void setCharacterEncoding(@Nullable Charset charset) {
        setCharacterEncoding(charset == null ? null : charset.name());
    }

    @Override
    public String getCharacterEncoding() {
        String type = Optional.ofNullable(getContentType()).orElse("").toLowerCase(Locale.ROOT);
        int at = type.indexOf("charset=");
        return at < 0
                ? encoding.orElse("utf-8")
                : type.substring(at + "charset=".length()).replace("\"", "").strip();
    }

    /** The body's own is set when it is sent. */
    @Override
    public void setContentLength(int length) {}

    @Override
    public void setContentLengthLong(long length) {}

    // ---- body ----

    @Override
    public ServletOutputStream getOutputStream() {
        return new ServletOutputStream() {
            @Override
            public void write(int value) {
                body.write(value);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                body.write(bytes, offset, length);
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new IllegalStateException("a request with an Idempotency-Key is answered in its own thread");
            }
        };
    }

    @Override
    public PrintWriter getWriter() {
        if (writer.isEmpty()) {
            writer =
                    Optional.of(new PrintWriter(new OutputStreamWriter(body, Charset.forName(getCharacterEncoding()))));
        }
        return writer.get();
    }

    @Override
    public void flushBuffer() {
        writer.ifPresent(PrintWriter::flush);
    }

    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        writer.ifPresent(PrintWriter::flush);
        body.reset();
    }

    @Override
    public void reset() {
        resetBuffer();
        headers.clear();
        cookies.clear();
        status = SC_OK;
    }
}
