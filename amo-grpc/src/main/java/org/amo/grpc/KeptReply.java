package org.amo.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * A reply as a server keeps it: status, headers, message bytes and trailers (docs/wire/grpc.md).
 *
 * @param status with code and description, without a cause
 * @param headers that the handler sent before the message; empty if it sent none
 * @param message the bytes of the reply message; empty if there was none
 * @param trailers that the handler gave with the status
 */
record KeptReply(Status status, Optional<Metadata> headers, Optional<byte[]> message, Metadata trailers) {
    private static final int VERSION = 1;
    private static final int HEADERS = 1;
    private static final int MESSAGE = 2;
    private static final int DESCRIPTION = 4;

    byte[] encode() {
        WireWriter writer =
                new WireWriter(64 + message.map(bytes -> bytes.length).orElse(0));
        String description = status.getDescription();
        writer.u8(VERSION);
        writer.u8(status.getCode().value());
        writer.u8((headers.isPresent() ? HEADERS : 0)
                | (message.isPresent() ? MESSAGE : 0)
                | (description == null ? 0 : DESCRIPTION));
        if (description != null) {
            writer.text(description);
        }
        headers.ifPresent(sent -> write(writer, sent));
        message.ifPresent(writer::blob);
        write(writer, trailers);
        return writer.take();
    }

    /** @throws MalformedFrameException naming the field that is wrong */
    static KeptReply decode(byte[] bytes) {
        WireReader reader = new WireReader("kept reply", bytes);
        reader.version(VERSION);
        int code = reader.u8("status");
        if (code >= Status.Code.values().length) {
            throw reader.malformed("status", code);
        }
        int parts = reader.u8("parts");
        if (parts > (HEADERS | MESSAGE | DESCRIPTION)) {
            throw reader.malformed("parts", parts);
        }
        Status status = Status.fromCodeValue(code);
        if ((parts & DESCRIPTION) != 0) {
            status = status.withDescription(reader.text("description", reader.remaining()));
        }
        Optional<Metadata> headers = (parts & HEADERS) == 0 ? Optional.empty() : Optional.of(readMetadata(reader));
        Optional<byte[]> message =
                (parts & MESSAGE) == 0 ? Optional.empty() : Optional.of(reader.blob("message", reader.remaining()));
        Metadata trailers = readMetadata(reader);
        reader.end();
        return new KeptReply(status, headers, message, trailers);
    }

    /** The pairs in the order of their keys; all values of a key in their own. */
    private static void write(WireWriter writer, Metadata metadata) {
        List<byte[]> values = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (String name : metadata.keys()) {
            if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
                Iterable<byte[]> all = metadata.getAll(binary(name));
                if (all != null) {
                    all.forEach(value -> {
                        names.add(name);
                        values.add(value);
                    });
                }
            } else {
                Iterable<String> all = metadata.getAll(CallMetadata.key(name));
                if (all != null) {
                    all.forEach(value -> {
                        names.add(name);
                        values.add(value.getBytes(StandardCharsets.US_ASCII));
                    });
                }
            }
        }
        writer.varint(values.size());
        for (int i = 0; i < values.size(); i++) {
            writer.text(names.get(i));
            writer.blob(values.get(i));
        }
    }

    private static Metadata readMetadata(WireReader reader) {
        Metadata metadata = new Metadata();
        for (long left = reader.varint("metadata", 0, reader.remaining()); left > 0; left--) {
            String name = reader.text("metadata key", reader.remaining());
            byte[] value = reader.blob("metadata value", reader.remaining());
            try {
                if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
                    metadata.put(binary(name), value);
                } else {
                    metadata.put(CallMetadata.key(name), new String(value, StandardCharsets.US_ASCII));
                }
            } catch (IllegalArgumentException e) {
                throw reader.malformed("metadata key of length", name.length());
            }
        }
        return metadata;
    }

    private static Metadata.Key<byte[]> binary(String name) {
        return Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER);
    }
}
