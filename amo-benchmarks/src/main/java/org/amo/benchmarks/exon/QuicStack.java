package org.amo.benchmarks.exon;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.handler.codec.quic.InsecureQuicTokenHandler;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicClientCodecBuilder;
import io.netty.handler.codec.quic.QuicCodecBuilder;
import io.netty.handler.codec.quic.QuicCongestionControlAlgorithm;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import org.amo.benchmarks.link.LinkEmulator;

/**
 * QUIC by Netty and quiche, with its cubic: one connection, with TLS as always. One-way messages share a stream; each
 * actor has a stream of its own, so that a lost packet holds back only the actors with bytes in it.
 */
final class QuicStack implements Stack {
    private static final String PROTOCOL = "amo-bench";
    private static final char[] PASSWORD = "known to everybody".toCharArray();
    private static final long FLOW_CONTROL_BYTES = 8 << 20;
    private static final long STREAMS = 1_000;
    private static final long PAYLOAD_BYTES = 1_452;

    private Optional<KeyManagerFactory> keys = Optional.empty();

    @Override
    public String name() {
        return "quic cubic";
    }

    @Override
    public Optional<String> missing() {
        return Quic.isAvailable() ? Optional.empty() : Optional.of(String.valueOf(Quic.unavailabilityCause()));
    }

    @Override
    public Flow flow(LinkEmulator link, int bytes, int actors) throws Exception {
        return new Connection(link, bytes, actors);
    }

    /** Of a certificate that no peer has to trust, made once by the JDK's keytool. */
    private KeyManagerFactory keys() throws Exception {
        if (keys.isEmpty()) {
            Path directory = Files.createTempDirectory("amo-bench-quic");
            Path file = directory.resolve("keys.p12");
            try {
                makeKeys(file);
                KeyStore store = KeyStore.getInstance("PKCS12");
                try (InputStream in = Files.newInputStream(file)) {
                    store.load(in, PASSWORD);
                }
                KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                factory.init(store, PASSWORD);
                keys = Optional.of(factory);
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(directory);
            }
        }
        return keys.orElseThrow();
    }

    private static void makeKeys(Path file) throws IOException, InterruptedException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process process = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        PROTOCOL,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + PROTOCOL,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        String.valueOf(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(StreamFlow.WAIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(keytool + " made no keys");
        }
    }

    private static <B extends QuicCodecBuilder<B>> B settings(B builder) {
        return builder.congestionControlAlgorithm(QuicCongestionControlAlgorithm.CUBIC)
                .maxIdleTimeout(1, TimeUnit.MINUTES)
                .maxRecvUdpPayloadSize(PAYLOAD_BYTES)
                .maxSendUdpPayloadSize(PAYLOAD_BYTES)
                .initialMaxData(FLOW_CONTROL_BYTES)
                .initialMaxStreamDataBidirectionalLocal(FLOW_CONTROL_BYTES)
                .initialMaxStreamDataBidirectionalRemote(FLOW_CONTROL_BYTES)
                .initialMaxStreamsBidirectional(STREAMS);
    }

    private static Channel bind(EventLoopGroup loop, ChannelHandler codec, InetSocketAddress address)
            throws IOException {
        ChannelFuture bound = new Bootstrap()
                .group(loop)
                .channel(EpollDatagramChannel.class)
                .option(ChannelOption.SO_RCVBUF, 4 << 20)
                .option(ChannelOption.SO_SNDBUF, 4 << 20)
                .handler(codec)
                .bind(address);
        await(bound);
        return bound.channel();
    }

    private static <T> T await(Future<T> future) throws IOException {
        if (!future.awaitUninterruptibly(StreamFlow.WAIT_SECONDS, TimeUnit.SECONDS) || !future.isSuccess()) {
            throw new IOException("no QUIC over the link: " + future.cause());
        }
        return future.getNow();
    }

    /** Both ends of the connection. */
    private final class Connection extends StreamFlow {
        Connection(LinkEmulator link, int bytes, int actors) throws Exception {
            super(link, "quic", bytes);
            try {
                QuicSslContext serverTls = QuicSslContextBuilder.forServer(keys(), String.valueOf(PASSWORD))
                        .applicationProtocols(PROTOCOL)
                        .build();
                ChannelHandler server = settings(new QuicServerCodecBuilder())
                        .sslContext(serverTls)
                        .tokenHandler(InsecureQuicTokenHandler.INSTANCE)
                        .handler(new ChannelInboundHandlerAdapter() {
                            @Override
                            public boolean isSharable() {
                                return true;
                            }
                        })
                        .streamHandler(new ChannelInitializer<QuicStreamChannel>() {
                            @Override
                            protected void initChannel(QuicStreamChannel stream) {
                                stream.pipeline().addLast(actors > 0 ? new Server() : new Sink());
                            }
                        })
                        .build();
                InetSocketAddress address = link.onRight(() -> (InetSocketAddress)
                        bind(rightLoop.group(), server, LinkEmulator.right(0)).localAddress());
                link.onLeft(() -> connect(address, actors));
            } catch (Exception e) {
                close();
                throw e;
            }
        }

        private QuicChannel connect(InetSocketAddress address, int actors) throws Exception {
            QuicSslContext tls = QuicSslContextBuilder.forClient()
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .applicationProtocols(PROTOCOL)
                    .build();
            ChannelHandler codec =
                    settings(new QuicClientCodecBuilder()).sslContext(tls).build();
            Channel socket = bind(leftLoop.group(), codec, LinkEmulator.left(0));
            QuicChannel connection = await(QuicChannel.newBootstrap(socket)
                    .handler(new End())
                    .streamHandler(new ChannelInboundHandlerAdapter())
                    .remoteAddress(address)
                    .connect());
            for (int i = 0; i < Math.max(1, actors); i++) {
                await(connection.createStream(QuicStreamType.BIDIRECTIONAL, actors > 0 ? new Actors(1) : new Source()));
            }
            return connection;
        }
    }
}
