package org.amo.replication.rpc;

import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Watches a connection while bytes wait that its peer has not taken. It tells of a peer that takes none of them, and sends no
 * frame either, for 10 s: a peer that answers is alive, however long it does not read. The connection's thread owns it.
 */
final class SilenceWatch {
    static final int SECONDS = 10;

    private static final int LOOKS = 5;

    private final FrameChannel frames;
    private final EventLoop loop;
    private final Runnable onSilence;

    /** Runs while bytes wait. */
    private Optional<Future<?>> next = Optional.empty();

    private int looks;
    private long taken;
    private long heard;

    SilenceWatch(FrameChannel frames, EventLoop loop, Runnable onSilence) {
        this.frames = frames;
        this.loop = loop;
        this.onSilence = onSilence;
    }

    /** Bytes may wait from now on. */
    void onFlushed() {
        if (next.isEmpty() && frames.unsentBytes() > 0) {
            begin();
            schedule();
        }
    }

    void end() {
        next.ifPresent(each -> each.cancel(false));
        next = Optional.empty();
    }

    private void begin() {
        looks = 0;
        taken = takenBytes();
        heard = frames.frames();
    }

    private void schedule() {
        next = Optional.of(loop.schedule(this::look, SECONDS / LOOKS, TimeUnit.SECONDS));
    }

    private void look() {
        next = Optional.empty();
        if (frames.unsentBytes() == 0) {
            return;
        }
        looks++;
        if (takenBytes() > taken || frames.frames() > heard) {
            begin();
        }
        if (looks == LOOKS) {
            onSilence.run();
        } else {
            schedule();
        }
    }

    /** Over TLS too few, by some bytes for each record: never more. */
    private long takenBytes() {
        return frames.writtenBytes() - frames.unsentBytes();
    }
}
