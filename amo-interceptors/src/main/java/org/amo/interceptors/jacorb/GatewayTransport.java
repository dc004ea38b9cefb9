package org.amo.interceptors.jacorb;

import java.util.Optional;
import org.omg.CORBA.NO_IMPLEMENT;
import org.omg.ETF.BufferHolder;
import org.omg.ETF.Profile;
import org.omg.ETF._ConnectionLocalBase;

/**
 * A transport without a peer. It drops the bytes of a request, since its reply is known before JacORB sends it, and hands out that
 * reply when the request is complete. Any thread may send.
 */
final class GatewayTransport extends _ConnectionLocalBase {
    private static final long serialVersionUID = 1L;

    private final transient Profile profile;

    // One for each gateway: an answer of one ORB is none of another's.
    @SuppressWarnings("ThreadLocalUsage")
    private final transient ThreadLocal<Optional<Runnable>> answers = ThreadLocal.withInitial(Optional::empty);

    GatewayTransport(Profile profile) {
        this.profile = profile;
    }

    /** Sets the action that answers the next request of the calling thread; empty if its sender awaits none. */
    void answerNext(Optional<Runnable> answer) {
        answers.set(answer);
    }

    @Override
    public void write(boolean first, boolean last, byte[] data, int offset, int length, long timeout) {
        // Its reply is known.
    }

    @Override
    public void flush() {
        Optional<Runnable> answer = answers.get();
        answers.remove();
        answer.ifPresent(Runnable::run);
    }

    @Override
    public int read(BufferHolder data, int offset, int least, int most, long timeout) {
        throw new NO_IMPLEMENT("replies do not come over this transport");
    }

    @Override
    public void connect(Profile server, long timeout) {
        // Always connected.
    }

    @Override
    public void close() {
        // Nothing is open.
    }

    @Override
    public boolean is_connected() {
        return true;
    }

    @Override
    public Profile get_server_profile() {
        return profile;
    }

    @Override
    public boolean is_data_available() {
        return false;
    }

    @Override
    public boolean wait_next_data(long timeout) {
        return false;
    }

    @Override
    public boolean supports_callback() {
        return false;
    }

    @Override
    public boolean use_handle_time_out() {
        return false;
    }
}
