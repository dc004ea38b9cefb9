package org.amo.benchmarks.exon;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.net.EventLoops;

/**
 * Messages on streams of bytes, one event loop on each side. A message is its length and its actor's number, four bytes
 * each, and the body.
 */
abstract class StreamFlow extends Flow {
    static final long WAIT_SECONDS = 20;
    private static final int HEAD = 8;
    private static final int BATCH = 64;

    /** A stream of QUIC stays writable until the loop has sent the messages that it took. */
    private static final int MOST_BATCHES = 4;

    final EventLoops leftLoop;
    final EventLoops rightLoop;
    final byte[] body;
    private volatile boolean open = true;

    StreamFlow(LinkEmulator link, String name, int bytes) throws Exception {
        body = new byte[bytes];
        rightLoop = link.onRight(() -> EventLoops.open("amo-bench-" + name + "-right", 1));
        leftLoop = link.onLeft(() -> EventLoops.open("amo-bench-" + name + "-left", 1));
    }

    private static void write(ChannelHandlerContext context, int actor, byte[] body) {
        ChannelFuture unused = context.write(message(context, actor, body), context.voidPromise());
    }

    private static ByteBuf message(ChannelHandlerContext context, int actor, byte[] body) {
        ByteBuf message = context.alloc().buffer(HEAD + body.length);
        return message.writeInt(body.length).writeInt(actor).writeBytes(body);
    }

    private void trouble(String what) {
        if (open) {
            fail(what); // it ends by a reset
        }
    }

    /** Nothing is left to go on sending in the next turn. */
    @Override
    public void close() {
        open = false;
        leftLoop.close();
        rightLoop.close();
    }

    /** One end of a stream. Trouble counts only while the flow is open. */
    class End extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            leftLoop.opened(context.channel()); // with those of the other side: it closes first;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            trouble("a connection failed: " + cause);
        }
    }

    /** Takes the stream apart again. One event loop owns it. */
    private abstract class Messages extends End {
        private ByteBuf rest = Unpooled.EMPTY_BUFFER;

        abstract void onMessage(ChannelHandlerContext context, int actor, int length);

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf bytes = (ByteBuf) read;
            ByteBuf all = rest.isReadable() ? Unpooled.wrappedBuffer(rest, bytes) : bytes;
            while (all.readableBytes() >= HEAD && all.readableBytes() >= HEAD + all.getInt(all.readerIndex())) {
                int length = all.readInt();
                int actor = all.readInt();
                all.skipBytes(length);
                onMessage(context, actor, length);
            }
            rest = all.isReadable() ? Unpooled.copiedBuffer(all) : Unpooled.EMPTY_BUFFER;
            all.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Counts the messages that arrive. */
    final class Sink extends Messages {
        @Override
        void onMessage(ChannelHandlerContext context, int actor, int length) {
            complete();
        }
    }

    /** Answers each request. */
    final class Server extends Messages {
        @Override
        void onMessage(ChannelHandlerContext context, int actor, int length) {
            write(context, actor, body);
        }
    }

    /** Writes as long as the stream takes it. */
    final class Source extends End {
        private boolean pumping;
        private int batches;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            pump(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            pump(context);
        }

        private void pump(ChannelHandlerContext context) {
            if (pumping) {
                return; // called from the flush below
            }
            pumping = true;
            while (open && batches < MOST_BATCHES && context.channel().isWritable()) {
                for (int i = 1; i < BATCH; i++) {
                    write(context, 0, body);
                }
                batches++;
                ChannelFuture unused =
                        context.write(message(context, 0, body)).addListener(written -> onWritten(context));
                context.flush();
            }
            pumping = false;
        }

        private void onWritten(ChannelHandlerContext context) {
            batches--;
            pump(context);
        }
    }

    /** Each reply is followed by the actor's next request. */
    final class Actors extends Messages {
        private final long[] startNanos;

        Actors(int actors) {
            this.startNanos = new long[actors];
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < startNanos.length; i++) {
                request(context, i);
            }
            context.flush();
        }

        private void request(ChannelHandlerContext context, int actor) {
            startNanos[actor] = System.nanoTime();
            write(context, actor, body);
        }

        @Override
        void onMessage(ChannelHandlerContext context, int actor, int length) {
            complete(startNanos[actor]);
            if (open) {
                request(context, actor);
            }
        }
    }
}
