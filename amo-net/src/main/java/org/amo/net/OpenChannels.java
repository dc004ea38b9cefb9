package org.amo.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Closes the channels of some event loops with the loops. Netty closes them only if a loop is not just running a task
 * when it is told to end; otherwise they stay open with no loop to serve them. Any thread may use it.
 */
public final class OpenChannels {
    private static final long CLOSE_SECONDS = 5;

    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    /** It ends with the loops; at once if they have ended. */
    public void add(Channel opened) {
        channels.add(opened);
    }

    /** Closes all channels, then ends the loops. Blocks for some seconds at most. */
    public void end(EventLoopGroup loops) {
        channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
