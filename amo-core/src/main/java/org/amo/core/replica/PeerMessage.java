package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.amo.core.wire.RequestFields;

/** A message between replicas outside the order (docs/wire/peer-message.md). Losing one costs time, never safety. */
sealed interface PeerMessage {

    /**
     * The leader's results for an entry of the receiver, so that it need not wait for its own delivery.
     *
     * @param incarnation of the receiver's process when it submitted
     * @param submission the receiver's number of the entry
     * @param results some of its items; none when the entry had no request
     */
    record Results(long incarnation, long submission, List<Result> results) implements PeerMessage {
        /** How many bytes {@link #encode} makes of them. */
        int size() {
            int size = 2 + 2 * Long.BYTES + WireWriter.varintSize(results.size());
            for (Result result : results) {
                int reply = result.answer().reply().length;
                size += WireWriter.varintSize(result.item())
                        + RequestFields.ANSWER_HEAD_BYTES
                        + WireWriter.varintSize(reply)
                        + reply;
            }
            return size;
        }
    }

    /**
     * @param item index in the entry
     * @param answer the refusal, or the result of the execution
     */
    record Result(int item, Answer answer) {}

    /** The sender's wall clock, for the median by which the group's time may step forward. */
    record WallClock(long wallMillis) implements PeerMessage {
        public WallClock {
            if (!isPossible(wallMillis)) {
                throw new IllegalArgumentException("no clock of a member says " + wallMillis);
            }
        }

        /** Whether an entry can carry such a time. A clock that says anything else counts as one that was not heard. */
        static boolean isPossible(long wallMillis) {
            return wallMillis >= 0 && wallMillis <= WireReader.MAX_TIME_MILLIS;
        }
    }

    /**
     * A member with another digest than the receiver asks for the receiver's executions between two positions.
     *
     * @param after the first position is behind it
     * @param upTo the last position
     */
    record TrailQuestion(long after, long upTo) implements PeerMessage {}

    /**
     * The answer.
     *
     * @param upTo as asked
     * @param after the sender's executions behind this position are all there
     * @param steps the executions, by place
     */
    record Trail(long upTo, long after, List<ExecutionTrail.Step> steps) implements PeerMessage {}

    /**
     * The sender's settings that must be equal at all members.
     *
     * @param asks whether the sender has not heard those of the receiver
     * @param values by name
     */
    record Settings(boolean asks, Map<String, String> values) implements PeerMessage {
        private static final int MOST = 64;
        private static final int MAX_NAME_BYTES = 64;
        private static final int MAX_VALUE_BYTES = 1024;

        void write(WireWriter writer) {
            writer.u8(asks ? 1 : 0);
            writer.varint(values.size());
            new TreeMap<>(values).forEach((name, value) -> {
                writer.text("name of a setting", name, MAX_NAME_BYTES);
                writer.text("setting", value, MAX_VALUE_BYTES);
            });
        }

        static Settings read(WireReader reader) {
            boolean asks = reader.flag("asks");
            int count = (int) reader.varint("settings", 0, MOST);
            TreeMap<String, String> values = new TreeMap<>();
            for (int i = 0; i < count; i++) {
                String name = reader.text("name of a setting", MAX_NAME_BYTES);
                if (!values.isEmpty() && values.lastKey().compareTo(name) >= 0) {
                    throw reader.malformed("number of a setting whose name does not rise", i);
                }
                values.put(name, reader.text("setting", MAX_VALUE_BYTES));
            }
            return new Settings(asks, values);
        }
    }

    /** The sender was asked for its state, and can give none while timers of operations are pending there. */
    record TimersPending() implements PeerMessage {}

    int VERSION = 2;

    default byte[] encode() {
        WireWriter writer = new WireWriter(this instanceof Results told ? told.size() : 64);
        writer.u8(VERSION);
        if (this instanceof WallClock clock) {
            writer.u8(1);
            writer.i64(clock.wallMillis());
        } else if (this instanceof Results results) {
            writer.u8(2);
            writer.i64(results.incarnation());
            writer.i64(results.submission());
            writer.varint(results.results().size());
            for (Result result : results.results()) {
                writer.varint(result.item());
                Answer answer = result.answer();
                RequestFields.writeAnswerHead(writer, answer);
                writer.blob("reply", answer.reply(), Answer.MAX_REPLY_BYTES);
            }
        } else if (this instanceof TrailQuestion question) {
            writer.u8(3);
            writer.varint(question.after());
            writer.varint(question.upTo());
        } else if (this instanceof Trail trail) {
            writer.u8(4);
            writer.varint(trail.upTo());
            writer.varint(trail.after());
            writer.varint(trail.steps().size());
            for (ExecutionTrail.Step step : trail.steps()) {
                writer.varint(step.place().position());
                writer.varint(step.place().index());
                writer.i64(step.digest());
            }
        } else if (this instanceof Settings settings) {
            writer.u8(5);
            settings.write(writer);
        } else if (this instanceof TimersPending) {
            writer.u8(6);
        }
        return writer.take();
    }

    /** @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong */
    static PeerMessage decode(byte[] bytes) {
        WireReader reader = new WireReader("peer message", bytes);
        reader.version(VERSION);
        int kind = reader.u8("kind");
        PeerMessage message =
                switch (kind) {
                    case 1 -> wallClock(reader);
                    case 2 -> results(reader);
                    case 3 ->
                        new TrailQuestion(
                                reader.varint("after", 0, Long.MAX_VALUE), reader.varint("up to", 0, Long.MAX_VALUE));
                    case 4 -> trail(reader);
                    case 5 -> Settings.read(reader);
                    case 6 -> new TimersPending();
                    default -> throw reader.malformed("kind", kind);
                };
        reader.end();
        return message;
    }

    private static WallClock wallClock(WireReader reader) {
        long wall = reader.i64("wall clock");
        if (!WallClock.isPossible(wall)) {
            throw reader.malformed("wall clock", wall);
        }
        return new WallClock(wall);
    }

    private static Trail trail(WireReader reader) {
        long upTo = reader.varint("up to", 0, Long.MAX_VALUE);
        long after = reader.varint("after", 0, Long.MAX_VALUE);
        int count = (int) reader.varint("steps", 0, ExecutionTrail.MOST_STEPS);
        List<ExecutionTrail.Step> steps = new ArrayList<>(Math.min(count, reader.remaining()));
        for (int i = 0; i < count; i++) {
            steps.add(new ExecutionTrail.Step(ExecutionReport.place(reader), reader.i64("digest")));
        }
        return new Trail(upTo, after, steps);
    }

    private static Results results(WireReader reader) {
        long incarnation = reader.i64("incarnation");
        long submission = reader.i64("submission");
        int count = (int) reader.varint("results", 0, reader.remaining());
        List<Result> results = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int item = (int) reader.varint("item", 0, Integer.MAX_VALUE);
            Answer head = RequestFields.readAnswerHead(reader);
            byte[] reply = reader.blob("reply", head.kind() == Answer.Kind.REPLY ? Answer.MAX_REPLY_BYTES : 0);
            results.add(new Result(item, head.withReply(reply)));
        }
        return new Results(incarnation, submission, results);
    }
}
