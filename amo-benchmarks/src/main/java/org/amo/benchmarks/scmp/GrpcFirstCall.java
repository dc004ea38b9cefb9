package org.amo.benchmarks.scmp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.Server;
import org.apache.ratis.thirdparty.io.grpc.ServerServiceDefinition;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.apache.ratis.thirdparty.io.grpc.stub.ClientCalls;
import org.apache.ratis.thirdparty.io.grpc.stub.ServerCalls;
import org.apache.ratis.thirdparty.io.netty.channel.EventLoopGroup;
import org.apache.ratis.thirdparty.io.netty.channel.nio.NioEventLoopGroup;
import org.apache.ratis.thirdparty.io.netty.channel.socket.nio.NioSocketChannel;

/** A call of one server by gRPC over a new channel, with the gRPC that Apache Ratis brings. */
final class GrpcFirstCall implements NullCall {
    private static final String SERVICE = "amo.Bench";
    private static final MethodDescriptor.Marshaller<byte[]> PLAIN = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };
    private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.newBuilder(PLAIN, PLAIN)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "echo"))
            .build();

    /** The threads are there before the first call, as the classes are. They belong to the network of the caller. */
    private final EventLoopGroup threads = new NioEventLoopGroup(1);

    private final InetSocketAddress server;
    private Optional<ManagedChannel> channel = Optional.empty();

    GrpcFirstCall(InetSocketAddress server) {
        this.server = server;
    }

    /** Sends back each request. */
    static Server server(InetSocketAddress address) throws IOException {
        return NettyServerBuilder.forAddress(address)
                .directExecutor()
                .addService(ServerServiceDefinition.builder(SERVICE)
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answers) -> {
                            answers.onNext(request);
                            answers.onCompleted();
                        }))
                        .build())
                .build()
                .start();
    }

    @Override
    public void call() {
        ManagedChannel made = NettyChannelBuilder.forAddress(server)
                .eventLoopGroup(threads)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .usePlaintext()
                .build();
        channel = Optional.of(made);
        byte[] reply = ClientCalls.blockingUnaryCall(made, ECHO, CallOptions.DEFAULT, new byte[BYTES]);
        if (reply.length != BYTES) {
            throw new IllegalStateException("a reply of another size");
        }
    }

    @Override
    public void afterwards() {
        channel.ifPresent(ManagedChannel::shutdownNow);
        channel = Optional.empty();
    }

    @Override
    public void close() {
        afterwards();
        var unused = threads.shutdownGracefully();
    }
}
