package org.amo.core.state;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one object of the JDK by its serial form, where its class offers no other way. Nothing that it refers to is written,
 * and no bytes are kept or read as objects.
 */
public final class SerialForm {
    private SerialForm() {}

    /** The collection or map that one of the wrappers of {@link java.util.Collections} stands before; empty if none. */
    public static Optional<Object> behind(Object wrapper) {
        try (Writer writer = new Writer(OutputStream.nullOutputStream())) {
            writer.writeObject(wrapper);
            return Optional.ofNullable(writer.behind);
        } catch (IOException e) {
            throw new UncheckedIOException(wrapper.getClass() + " cannot be looked at", e);
        }
    }

    /** The first bytes, with null for each object that it refers to. */
    static byte[] of(Object object, int most) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OutputStream first = new OutputStream() {
            @Override
            public void write(int next) throws IOException {
                write(new byte[] {(byte) next}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                bytes.write(from, offset, length);
                if (bytes.size() >= most) {
                    throw new EnoughException();
                }
            }
        };
        try (Writer writer = new Writer(first)) {
            writer.writeObject(object);
        } catch (EnoughException e) {
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(object.getClass() + " cannot be looked at", e);
        }
        return bytes.toByteArray();
    }

    private static final class EnoughException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static final class Writer extends ObjectOutputStream {
        private @Nullable Object root;
        private @Nullable Object behind;

        Writer(OutputStream out) throws IOException {
            super(out);
            enableReplaceObject(true);
        }

        @Override
        protected @Nullable Object replaceObject(Object object) {
            // The first object is the requested one, or its replacement.
            if (root == null || object == root) {
                root = object;
                return object;
            }
            if (behind == null && (object instanceof Collection || object instanceof Map)) {
                behind = object;
            }
            return null;
        }
    }
}
