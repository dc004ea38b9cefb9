package org.amo.core.client;

import java.util.Optional;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * Carries out the effects of a {@link GroupClient}. Members are numbered from 0 in the order of the options. No method may
 * call back into the core.
 *
 * @param <C> the shell's name for a caller
 */
public interface GroupClientEffects<C> {

    /** Open a connection; {@link GroupClient#onConnected} or {@link GroupClient#onDisconnected} follows. */
    void connect(int member);

    /** Send an attempt over the open connection to that member. Its bytes may leave at any time from now on. */
    void send(int member, C caller, Attempt copy);

    /** Send acknowledgements alone over the open connection to that member. */
    void acknowledge(int member, FinishedNumbers finished);

    /** Whether an attempt of this caller's call can leave for that member as one datagram. */
    default boolean fitsDatagram(int member, C caller) {
        return false;
    }

    /**
     * Send an attempt to that member without a connection; asked for again, with the same attempt, while no answer comes. It may get
     * lost, and arrive any number of times.
     */
    default void sendDatagram(int member, C caller, Attempt copy) {
        throw new IllegalStateException("no datagrams leave here: " + copy.id());
    }

    /**
     * Send acknowledgements alone without a connection. They may get lost.
     *
     * @param timestampMillis by which members tell a late one
     */
    default void acknowledgeByDatagram(int member, long timestampMillis, FinishedNumbers finished) {}

    /** The call ran once, and this is its reply; empty for a oneway. The last that is heard of this caller. */
    void replied(C caller, RequestId id, byte[] reply);

    /**
     * The call certainly did not and will not run. The last that is heard of this caller.
     *
     * @param reason empty when no member could be reached
     */
    void notExecuted(C caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget);

    /**
     * No member can tell whether the call ran, or none did in time. The last effect for this caller.
     *
     * @param reason the last refusal heard; after STALE and ID_REUSED no member will ever tell
     */
    void unknown(C caller, RequestId id, Optional<Refusal> reason);

    /**
     * Whether the application needs nothing more of the call once it has its outcome. If not, the number stays open until
     * {@link GroupClient#onHandled}. Asked after the effect of the outcome.
     */
    default boolean isHandled(C caller) {
        return true;
    }
}
