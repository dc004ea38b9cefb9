package org.amo.grpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A server in a process of its own, to be killed. Each run of a handler adds the request to a ledger, a line each, before it answers. Arguments: folder,
 * ledger, port, and whether notes are forced. Says "serving PORT".
 */
final class CounterProcess {
    private CounterProcess() {}

    public static void main(String[] arguments) throws Exception {
        Path ledger = Path.of(arguments[1]);
        AtMostOnceServer once = AtMostOnceServer.open(
                Path.of(arguments[0]),
                AtMostOnceServer.Options.builder()
                        .forced(Boolean.parseBoolean(arguments[3]))
                        .build());
        Server server = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[2])))
                .addService(ServerServiceDefinition.builder(Bytes.SERVICE)
                        .addMethod(
                                Bytes.ADD,
                                ServerCalls.asyncUnaryCall((request, observer) -> add(ledger, request, observer)))
                        .build())
                .intercept(once)
                .build()
                .start();
        System.out.println("serving " + server.getPort());
        System.out.flush();
        server.awaitTermination();
    }

    private static void add(Path ledger, String request, StreamObserver<String> observer) {
        try {
            Files.write(
                    ledger,
                    (request + "\n").getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        observer.onNext("done " + request);
        observer.onCompleted();
    }
}
