package org.amo.scmp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.amo.base.ClientId;

/**
 * Sends calls to one server (the client of section 3.1). Every call ends: with its reply, or with an outcome that states
 * whether it ran, as far as known.
 *
 * <p>Each call under way has a connection of its own, so that calls may overtake each other. A call is sent again under its
 * first timestamp until it is answered or its time is up. Once the server has said that it has the call, the client sends no
 * arguments, and goes on for as long as the call runs. The next call on a connection acknowledges the reply of the call
 * before; when none comes, a REPLY-ACK does.
 *
 * <p>A refusal tells the server's time and bound. A client with a clock behind them stamps later from then on; a client with
 * a clock ahead takes a new id and the server's time. So a wrong clock costs a call or two, not every one. A refusal may be
 * late: it was written between the first send of its call and now, which bounds the server's present time on both sides.
 *
 * <p>{@code nowMicros} is the client's clock; a step of it moves the ends of the calls under way. One thread owns the
 * client. After a crash a client takes a new client id.
 */
public class RpcClient {
    private static final long MAX_TIMEOUT_MICROS = TimeUnit.DAYS.toMicros(1);

    private final RpcClientOptions options;
    private final RpcClientEffects effects;
    private final Supplier<ClientId> ids;
    private final RetryInterval retry;
    private final List<ClientConnection> lines = new ArrayList<>();
    private final ArrayDeque<ClientConnection> idle = new ArrayDeque<>();

    private ClientId id;
    private TimestampSource timestamps = new TimestampSource();

    // Invariant: while the server's clock is steady, no refusal takes the stamps further from it. The truth lies
    // between server time - now and server time - first send, so the offset moves to the nearer end and no further.
    /** Added to the client's clock; not 0 once a server refused the clock's timestamps. */
    private long clockOffsetMicros;

    /** How often the offset was changed: a timestamp from before the last change says nothing about the present offset. */
    private int corrections;

    private int outstanding;
    private int unacknowledged;

    /** @param ids draws a new, unguessable id each time */
    public RpcClient(RpcClientOptions options, Supplier<ClientId> ids, RpcClientEffects effects) {
        this.options = options;
        this.ids = ids;
        this.effects = effects;
        this.retry = new RetryInterval(options);
        this.id = ids.get();
    }

    /**
     * Sends a call; or says at once that it did not run, if too many are under way.
     *
     * @param timeoutMicros until the call ends in any case; at most a day
     * @throws IllegalArgumentException for a call that cannot be sent, with the limit
     */
    public void begin(int service, byte[] body, long timeoutMicros, CallListener listener, long nowMicros) {
        checkTimeout(timeoutMicros);
        RpcDatagrams.checkCall(service, body.length);
        if (outstanding >= options.maxOutstanding()) {
            listener.onOutcome(CallOutcome.notExecuted(Optional.of(RefusalReason.OVERLOADED)));
            return;
        }
        ClientConnection line = takeLine();
        line.busy = true;
        outstanding++;
        line.listener = listener;
        line.call = new Call(line.connection, timestamps.next(nowMicros + clockOffsetMicros), service, body);
        line.stampedAfter = corrections;
        line.endMicros = nowMicros + timeoutMicros;
        line.sentAtMicros = nowMicros;
        line.intervalMicros = retry.first();
        line.sendAgainAtMicros = nowMicros + line.intervalMicros;
        line.sends = 1;
        line.arrived = false;
        line.roomForReplyBytes = 0;
        effects.call(line.call, 0);
    }

    /** @throws IllegalArgumentException for a timeout that is none, or longer than a day */
    public static void checkTimeout(long timeoutMicros) {
        if (timeoutMicros < 1 || timeoutMicros > MAX_TIMEOUT_MICROS) {
            throw new IllegalArgumentException(
                    "a timeout is between 1 us and 24 hours: " + timeoutMicros + " us; no call waits for ever");
        }
    }

    /** REPLY. */
    public void onReply(ConnectionId connection, long timestampMicros, Reply reply, long nowMicros) {
        Optional<ClientConnection> waiting = waiting(connection, timestampMicros);
        if (waiting.isEmpty()) {
            if (!isAcknowledgedLater(connection, timestampMicros)) {
                // The call has ended without this reply. If the server still keeps the reply, no client needs it.
                effects.replyAck(connection, timestampMicros);
            }
            return;
        }
        ClientConnection line = waiting.get();
        if (line.sends == 1) {
            retry.onRoundTrip(Math.max(0, nowMicros - line.sentAtMicros));
        }
        line.unacknowledged = line.call.timestampMicros();
        line.repliedAtMicros = nowMicros;
        unacknowledged++;
        end(line, CallOutcome.of(reply));
    }

    /** ACK: the call runs. */
    public void onAck(ConnectionId connection, long timestampMicros) {
        waiting(connection, timestampMicros).ifPresent(line -> line.arrived = true);
    }

    /** HELD: the reply is ready, and will come in answer to a datagram of its size. */
    public void onHeld(ConnectionId connection, long timestampMicros, int replyBytes, long nowMicros) {
        waiting(connection, timestampMicros)
                .filter(line -> replyBytes > line.roomForReplyBytes && replyBytes <= RpcDatagrams.MAX_BODY)
                .ifPresent(line -> {
                    line.arrived = true;
                    line.roomForReplyBytes = replyBytes;
                    sendAgain(line, nowMicros);
                });
    }

    /** REFUSED. */
    public void onRefused(
            ConnectionId connection,
            long timestampMicros,
            RefusalReason reason,
            long serverMicros,
            long boundMicros,
            long nowMicros) {
        waiting(connection, timestampMicros)
                .ifPresent(line -> refused(line, reason, serverMicros, boundMicros, nowMicros));
    }

    private void refused(
            ClientConnection line, RefusalReason reason, long serverMicros, long boundMicros, long nowMicros) {
        switch (reason) {
            case STALE, UNKNOWN_CALL -> {
                timestamps.raise(boundMicros);
                if (judgesPresentOffset(line)) {
                    correct(Math.max(clockOffsetMicros, serverMicros - nowMicros));
                }
                end(line, CallOutcome.unknown(Optional.of(reason)));
            }
            case NO_SUCH_SERVICE -> end(line, CallOutcome.notExecuted(Optional.of(reason)));
            case OVERLOADED -> line.refusal = Optional.of(reason);
            case TOO_EARLY -> tooEarly(line, serverMicros, boundMicros, nowMicros);
        }
    }

    /** Every few milliseconds while {@link #needsTicks}. */
    public void onTick(long nowMicros) {
        for (ClientConnection line : lines) {
            if (line.busy) {
                boolean sentEnough = !line.arrived && nowMicros >= line.sentAtMicros + options.maxSendMicros();
                if (nowMicros >= line.endMicros || sentEnough) {
                    end(line, CallOutcome.unknown(line.refusal));
                } else if (nowMicros >= line.sendAgainAtMicros) {
                    line.intervalMicros = retry.next(line.intervalMicros);
                    sendAgain(line, nowMicros);
                }
            } else if (line.unacknowledged != 0 && nowMicros - line.repliedAtMicros >= options.replyAckDelayMicros()) {
                acknowledge(line);
            }
        }
    }

    /** Whether anything is under way or waits to be acknowledged. */
    public boolean needsTicks() {
        return outstanding > 0 || unacknowledged > 0;
    }

    public int outstanding() {
        return outstanding;
    }

    /** Acknowledges all replies, and ends calls under way as unknown. */
    public void close() {
        for (ClientConnection line : lines) {
            if (line.busy) {
                end(line, CallOutcome.unknown(line.refusal));
            } else if (line.unacknowledged != 0) {
                acknowledge(line);
            }
        }
    }

    /** From the next call on this is a client that the server has never seen. Calls under way go on. */
    public void renew() {
        id = ids.get();
        timestamps = new TimestampSource();
    }

    /** How far timestamps are from the client's clock, after the corrections by the server. */
    public long clockOffsetMicros() {
        return clockOffsetMicros;
    }

    private void tooEarly(ClientConnection line, long serverMicros, long latestMicros, long nowMicros) {
        line.refusal = Optional.of(RefusalReason.TOO_EARLY);
        long ahead = line.call.timestampMicros() - latestMicros;
        long most = serverMicros - earliestMicros(line, nowMicros);
        // A server that has just started also refuses the timestamps of a right clock: then our clock is not ahead.
        if (judgesPresentOffset(line) && clockOffsetMicros > most) {
            // Smaller timestamps need other connections: on these they would be duplicates. An attempt of this call may
            // still be accepted one day, so the call keeps its id for ever.
            renew();
            correct(most);
        }
        if (nowMicros + ahead >= line.endMicros) {
            end(line, CallOutcome.unknown(line.refusal));
        }
    }

    /** The earliest own time at which a refusal may have been written: it may come late, and of any attempt. */
    long earliestMicros(ClientConnection line, long nowMicros) {
        return line.sentAtMicros;
    }

    boolean judgesPresentOffset(ClientConnection line) {
        return line.stampedAfter == corrections;
    }

    private void correct(long offsetMicros) {
        if (offsetMicros != clockOffsetMicros) {
            clockOffsetMicros = offsetMicros;
            corrections++;
        }
    }

    private void sendAgain(ClientConnection line, long nowMicros) {
        line.sends++;
        line.sendAgainAtMicros = nowMicros + line.intervalMicros;
        line.call = again(line, nowMicros);
        if (line.arrived) {
            effects.truncatedCall(line.connection, line.call.timestampMicros(), line.roomForReplyBytes);
        } else {
            effects.call(line.call, line.roomForReplyBytes);
        }
    }

    /** The call of a retry: the same, timestamp included. */
    Call again(ClientConnection line, long nowMicros) {
        return line.call;
    }

    final long nextTimestampMicros(long nowMicros) {
        return timestamps.next(nowMicros);
    }

    private ClientConnection takeLine() {
        ClientConnection line = idle.pollFirst();
        if (line == null) {
            line = new ClientConnection(lines.size(), connection(lines.size()));
            lines.add(line);
            return line;
        }
        if (!line.connection.client().equals(id)) {
            if (line.unacknowledged != 0) {
                acknowledge(line);
            }
            line.connection = connection(line.number);
        }
        if (line.unacknowledged != 0) {
            // "If a new CALL message is received, the server discards any stored reply."
            line.unacknowledged = 0;
            unacknowledged--;
        }
        return line;
    }

    /** Whether a call that is under way, or the tick, frees this copy of a reply at the server anyway. */
    private boolean isAcknowledgedLater(ConnectionId connection, long timestampMicros) {
        int number = numberOf(connection);
        if (number >= lines.size() || !lines.get(number).connection.equals(connection)) {
            return false;
        }
        ClientConnection line = lines.get(number);
        return line.busy ? line.call.timestampMicros() > timestampMicros : line.unacknowledged == timestampMicros;
    }

    private static int numberOf(ConnectionId connection) {
        return connection.uid() & ConnectionId.UIDS_PER_CLASS - 1;
    }

    private ConnectionId connection(int number) {
        return ConnectionId.of(id, ConnectionId.uid(options.retentionClass(), number));
    }

    private void acknowledge(ClientConnection line) {
        long timestamp = line.unacknowledged;
        line.unacknowledged = 0;
        unacknowledged--;
        effects.replyAck(line.connection, timestamp);
    }

    private void end(ClientConnection line, CallOutcome outcome) {
        CallListener listener = line.listener;
        line.busy = false;
        line.refusal = Optional.empty();
        line.listener = ClientConnection.NOBODY;
        line.call = ClientConnection.NO_CALL;
        outstanding--;
        idle.addFirst(line);
        listener.onOutcome(outcome);
    }

    /** The line that waits for an answer to this very call. */
    private Optional<ClientConnection> waiting(ConnectionId connection, long timestampMicros) {
        int number = numberOf(connection);
        if (number >= lines.size()) {
            return Optional.empty();
        }
        ClientConnection line = lines.get(number);
        boolean matches = line.busy && line.connection.equals(connection) && answers(line, timestampMicros);
        return matches ? Optional.of(line) : Optional.empty();
    }

    boolean answers(ClientConnection line, long timestampMicros) {
        return line.call.timestampMicros() == timestampMicros;
    }
}
