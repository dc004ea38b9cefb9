package org.amo.replication.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Puts TLS on a connection and explains its failures. This class is not loaded where TLS is not used. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed operation ends the channel, which is reported
final class TlsHandlers {
    /** A peer that does not answer in that time may do so later. */
    private static final long HANDSHAKE_SECONDS = 10;

    private static final int TLS_HANDSHAKE = 22;

    private TlsHandlers() {}

    /** Before the frames of a client's connection. */
    static void client(Channel channel, RpcTls tls, RpcPeer peer) {
        SSLEngine engine = tls.contexts().get().createSSLEngine(peer.host(), peer.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        channel.pipeline().addLast(bounded(new SslHandler(engine)));
    }

    /**
     * Before the frames of a member's connection. A client without TLS is read in the clear, so that it can be told that
     * it lacks TLS; {@link #isOn} tells the two kinds of client apart.
     */
    static void server(Channel channel, RpcTls tls, TlsHandshakes handshakes) {
        SSLEngine engine = tls.contexts().get().createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(tls.clientCertificates());
        channel.pipeline().addLast(new FirstByte(engine, handshakes));
    }

    /** Whether the bytes that have arrived came over TLS. */
    static boolean isOn(Channel channel) {
        return channel.pipeline().get(SslHandler.class) != null;
    }

    /** The subject of the certificate that the peer has shown and this side trusts; empty if it has shown none. */
    static Optional<String> subject(Channel channel) {
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        try {
            return handler == null
                    ? Optional.empty()
                    : Optional.of(
                            handler.engine().getSession().getPeerPrincipal().getName());
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
    }

    /**
     * The TLS mistake that an exception names, in one line. Empty if the exception is none of TLS, or is one that another
     * connection may not meet, such as the end of the peer.
     */
    static Optional<String> mistake(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return mistake((SSLException) cause);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> mistake(SSLException thrown) {
        String text = text(thrown);
        if (text.contains("not an SSL/TLS record")) {
            return Optional.of("this side uses TLS and the other does not; give both a tls(...), or neither");
        }
        if (!(thrown instanceof SSLHandshakeException)
                || text.startsWith("Connection closed")
                || text.contains("timed out")) {
            return Optional.empty();
        }
        return Optional.of(
                "TLS: " + text + "; give each side the certificates that it is to trust, and its own where it is"
                        + " asked for one, with the host's name in it");
    }

    /** The innermost reason, which names the matter: no path to a trusted certificate, another name. */
    private static String text(SSLException thrown) {
        Throwable innermost = thrown;
        for (Throwable next = thrown.getCause(); next != null; next = next.getCause()) {
            innermost = next;
        }
        return String.valueOf(innermost.getMessage()).lines().findFirst().orElse("");
    }

    private static SslHandler bounded(SslHandler handler) {
        handler.setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
        return handler;
    }

    /** Gives way to TLS, or to nothing, when the first byte has come. */
    private static final class FirstByte extends ChannelInboundHandlerAdapter {
        private final SSLEngine engine;
        private final TlsHandshakes handshakes;

        FirstByte(SSLEngine engine, TlsHandshakes handshakes) {
            this.engine = engine;
            this.handshakes = handshakes;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            if (bytes.isReadable() && bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE && !begin(context)) {
                bytes.release();
                TlsHandshakes.giveUp(context.channel());
                return;
            }
            context.fireChannelRead(message);
            context.pipeline().remove(this);
        }

        private boolean begin(ChannelHandlerContext context) {
            Channel channel = context.channel();
            if (!handshakes.begin(channel)) {
                return false;
            }
            Computing computing = new Computing(channel, handshakes);
            SslHandler handler = bounded(new SslHandler(engine, computing));
            context.pipeline().addAfter(context.name(), "tls", handler);
            context.pipeline().addAfter(context.name(), "tls-computing", computing);
            handler.handshakeFuture().addListener(done -> handshakes.end(channel));
            return true;
        }
    }

    /**
     * Runs the cryptography of one handshake outside the channel's thread. The engine holds a lock meanwhile, and the handler of
     * TLS closes the engine when the connection ends. So that the channel's thread does not wait for it, the end of a connection
     * goes past that handler.
     */
    private static final class Computing extends ChannelInboundHandlerAdapter implements Executor {
        private final Channel channel;
        private final TlsHandshakes handshakes;
        private Runnable latest = () -> {};
        private int tasks;

        Computing(Channel channel, TlsHandshakes handshakes) {
            this.channel = channel;
            this.handshakes = handshakes;
        }

        @Override
        public void execute(Runnable task) {
            latest = () -> {
                try {
                    task.run();
                } finally {
                    tellComputed();
                }
            };
            tasks++;
            handshakes.compute(channel, latest);
        }

        private void tellComputed() {
            try {
                channel.eventLoop().execute(this::computed);
            } catch (RejectedExecutionException e) {
                // The transport has ended, and all its connections.
                return;
            }
        }

        private void computed() {
            tasks--;
            handshakes.waits(channel);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (handshakes.drop(latest)) {
                tasks--;
            }
            ChannelHandlerContext last =
                    tasks == 0 ? context : context.pipeline().context(SslHandler.class);
            last.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (tasks == 0 || !(cause instanceof IOException)) {
                context.fireExceptionCaught(cause);
            } else {
                context.close();
            }
        }
    }
}
