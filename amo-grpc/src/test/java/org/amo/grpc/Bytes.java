package org.amo.grpc;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Messages of the tests: texts. */
final class Bytes implements MethodDescriptor.Marshaller<String> {
    static final String SERVICE = "amo.test.Counter";
    static final MethodDescriptor<String, String> ADD = method("Add", MethodDescriptor.MethodType.UNARY);
    static final MethodDescriptor<String, String> COUNT = method("Count", MethodDescriptor.MethodType.UNARY);
    static final MethodDescriptor<String, String> STREAM =
            method("Stream", MethodDescriptor.MethodType.SERVER_STREAMING);

    /** {@link #ADD} with messages as they are sent. */
    static final MethodDescriptor<InputStream, InputStream> ADD_STREAM =
            ADD.toBuilder(new Raw(), new Raw()).build();

    private static MethodDescriptor<String, String> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .build();
    }

    private static final class Raw implements MethodDescriptor.Marshaller<InputStream> {
        @Override
        public InputStream stream(InputStream value) {
            return value;
        }

        @Override
        public InputStream parse(InputStream stream) {
            return new ByteArrayInputStream(HandlerCall.bytes(stream));
        }
    }

    @Override
    public InputStream stream(String value) {
        return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
        return new String(HandlerCall.bytes(stream), StandardCharsets.UTF_8);
    }
}
