package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestFields;

/**
 * An entry of the ordered log: a stamp, and a batch of requests and acknowledgements of one replica
 * (docs/wire/ordered-entry.md).
 *
 * @param origin the member that submitted it
 * @param incarnation of that member's process, so that a restarted one does not take old entries for its own
 * @param submission the origin's number for it
 * @param stampMillis the origin's group clock at the submission
 * @param start the parameters, in the entry that is to start the group
 * @param report the origin's word on a request that ended members
 * @param mark whether members compare their digests of everything up to this entry
 * @param vote the origin's digests at an earlier mark
 * @param facts of nested calls
 * @param seed of the random numbers that the operations of these requests draw, of {@value #SEED_BYTES} bytes
 * @param outcome of a run of requests that the origin executed, in style passive
 * @param items in the order in which they are decided
 * @param level the feature level that the group must have for this entry; in a group of a lower one all members drop it
 * @param raise the feature level to which this entry raises the group; 0 if it does not
 */
record OrderedEntry(
        String origin,
        long incarnation,
        long submission,
        long stampMillis,
        Optional<GroupParameters> start,
        Optional<ExecutionReport> report,
        boolean mark,
        Optional<DigestVote> vote,
        List<NestedFact> facts,
        Optional<byte[]> seed,
        Optional<RunOutcome> outcome,
        List<Item> items,
        int level,
        int raise) {

    // If no member can read a value, all of them drop the entry, with all that is in it.
    OrderedEntry {
        if (stampMillis < 0 || stampMillis > WireReader.MAX_TIME_MILLIS) {
            throw new IllegalArgumentException(
                    "a stamp is between 1970 and " + WireReader.MAX_TIME_MILLIS + " ms later: " + stampMillis);
        }
        if (seed.isPresent() && seed.get().length != SEED_BYTES) {
            throw new IllegalArgumentException("a seed has " + SEED_BYTES + " bytes, not " + seed.get().length);
        }
        if (level < FeatureLevels.FIRST || (raise != 0 && raise <= FeatureLevels.FIRST)) {
            throw new IllegalArgumentException("no entry needs level " + level + ", or raises a group to " + raise);
        }
    }

    /** Longest body of a request. */
    static final int MAX_BODY_BYTES = Request.MAX_BODY_BYTES;

    /** Length of a seed. */
    static final int SEED_BYTES = 32;

    private static final int VERSION = 3;

    /** With levels before all else, which every build can read. The rest has the form of the level. */
    private static final int WITH_LEVELS = 4;

    private static final int MAX_ORIGIN_BYTES = 64;
    private static final int ONEWAY = 0x10;
    private static final int WITH_PATH = 0x20;
    private static final int START = 1;
    private static final int REPORT = 2;
    private static final int MARK = 4;
    private static final int VOTE = 8;
    private static final int FACTS = 16;
    private static final int SEED = 32;
    private static final int OUTCOME = 64;

    /** Only with {@link #OUTCOME}: it is in pieces, or undone. */
    private static final int FORM = 128;

    /**
     * One request, or acknowledgements without one.
     *
     * @param client the sender
     * @param finished its acknowledgements; NONE for a foreign client
     * @param request absent for acknowledgements alone
     * @param principal of the request; UNKNOWN for acknowledgements alone
     */
    record Item(ClientId client, FinishedNumbers finished, Optional<Request> request, Principal principal) {
        static Item acknowledgements(ClientId client, FinishedNumbers finished) {
            return new Item(client, finished, Optional.empty(), Principal.UNKNOWN);
        }
    }

    private static final int ACKNOWLEDGEMENTS = 0;
    private static final int OWN_REQUEST = 1;
    private static final int FOREIGN_REQUEST = 2;

    /** Kind and client, before the numbers of an item without a request. */
    private static final int ACKNOWLEDGEMENT_HEAD_BYTES = 1 + 2 * Long.BYTES;

    /** Kind, client, principal, timestamp and fingerprint of an item with a request. */
    private static final int REQUEST_HEAD_BYTES = 1 + 5 * Long.BYTES;

    byte[] encode() {
        int head = 64 + SEED_BYTES;
        for (NestedFact fact : facts) {
            head += 32 + fact.bytes().map(bytes -> bytes.length).orElse(0);
        }
        for (RunOutcome run : outcome.stream().toList()) {
            head += 40 + run.update().length;
        }
        WireWriter writer = new WireWriter(head);
        if (level == FeatureLevels.FIRST && raise == 0) {
            writer.u8(VERSION);
        } else {
            writer.u8(WITH_LEVELS);
            writer.varint(level);
            writer.varint(raise);
        }
        writer.text("origin", origin, MAX_ORIGIN_BYTES);
        writer.i64(incarnation);
        writer.i64(submission);
        writer.i64(stampMillis);
        writer.u8((start.isPresent() ? START : 0)
                | (report.isPresent() ? REPORT : 0)
                | (mark ? MARK : 0)
                | (vote.isPresent() ? VOTE : 0)
                | (facts.isEmpty() ? 0 : FACTS)
                | (seed.isPresent() ? SEED : 0)
                | (outcome.isPresent() ? OUTCOME : 0)
                | (outcome.filter(RunOutcome::hasForm).isPresent() ? FORM : 0));
        start.ifPresent(parameters -> GroupParametersCodec.write(writer, parameters));
        report.ifPresent(word -> word.write(writer));
        vote.ifPresent(digests -> digests.write(writer));
        if (!facts.isEmpty()) {
            writer.varint(facts.size());
            facts.forEach(fact -> fact.write(writer));
        }
        seed.ifPresent(bytes -> writer.raw(bytes, 0, SEED_BYTES));
        outcome.ifPresent(run -> run.write(writer));
        int rest = WireWriter.varintSize(items.size());
        for (Item item : items) {
            rest += size(item);
        }
        writer.capacityFor(rest);
        writer.varint(items.size());
        for (Item item : items) {
            write(writer, item);
        }
        return writer.take();
    }

    /** @throws MalformedFrameException naming the field that is wrong */
    static OrderedEntry decode(byte[] bytes) {
        return decode(bytes, Integer.MAX_VALUE);
    }

    /**
     * @param ofGroup the feature level of the group. The content of an entry that needs a higher one is not looked at
     * @throws MalformedFrameException naming the field that is wrong
     */
    static OrderedEntry decode(byte[] bytes, int ofGroup) {
        WireReader reader = new WireReader("ordered entry", bytes);
        int version = reader.u8("version");
        if (version != VERSION && version != WITH_LEVELS) {
            throw reader.malformed("version", version);
        }
        int level = version == VERSION
                ? FeatureLevels.FIRST
                : (int) reader.varint("level", FeatureLevels.FIRST, Integer.MAX_VALUE);
        int raise = version == VERSION ? 0 : (int) reader.varint("raise", 0, Integer.MAX_VALUE);
        if (level > ofGroup) {
            throw reader.malformed("level", level);
        }
        if (raise == FeatureLevels.FIRST || (version == WITH_LEVELS && level == FeatureLevels.FIRST && raise == 0)) {
            throw reader.malformed("raise", raise);
        }
        String origin = reader.text("origin", MAX_ORIGIN_BYTES);
        long incarnation = reader.i64("incarnation");
        long submission = reader.i64("submission");
        long stamp = time(reader, "stamp");
        int parts = reader.u8("parts");
        if ((parts & (OUTCOME | FORM)) == FORM) {
            throw reader.malformed("parts", parts);
        }
        Optional<GroupParameters> start =
                (parts & START) != 0 ? Optional.of(GroupParametersCodec.read(reader)) : Optional.empty();
        Optional<ExecutionReport> report =
                (parts & REPORT) != 0 ? Optional.of(ExecutionReport.read(reader)) : Optional.empty();
        Optional<DigestVote> vote = (parts & VOTE) != 0 ? Optional.of(DigestVote.read(reader)) : Optional.empty();
        List<NestedFact> facts = (parts & FACTS) != 0 ? readFacts(reader) : List.of();
        Optional<byte[]> seed = (parts & SEED) != 0 ? Optional.of(readSeed(reader)) : Optional.empty();
        Optional<RunOutcome> outcome =
                (parts & OUTCOME) != 0 ? Optional.of(RunOutcome.read(reader, (parts & FORM) != 0)) : Optional.empty();
        int count = (int) reader.varint("items", 0, reader.remaining());
        List<Item> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(readItem(reader));
        }
        reader.end();
        return new OrderedEntry(
                origin,
                incarnation,
                submission,
                stamp,
                start,
                report,
                (parts & MARK) != 0,
                vote,
                facts,
                seed,
                outcome,
                items,
                level,
                raise);
    }

    private static byte[] readSeed(WireReader reader) {
        ByteBuffer seed = ByteBuffer.allocate(SEED_BYTES);
        while (seed.hasRemaining()) {
            seed.putLong(reader.i64("seed"));
        }
        return seed.array();
    }

    private static List<NestedFact> readFacts(WireReader reader) {
        int count = (int) reader.varint("facts", 1, reader.remaining());
        List<NestedFact> facts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            facts.add(NestedFact.read(reader));
        }
        return facts;
    }

    /** About how many bytes an item takes. */
    static int encodedSize(Item item) {
        return 56
                + 6 * item.finished().rangeCount()
                + item.request()
                        .map(request -> request.body().length
                                + 18 * request.path().groups().size())
                        .orElse(0);
    }

    /** How many bytes of an item are there for acknowledgements, also where there are none. */
    static int sackBytes(Item item) {
        if (item.request().isEmpty()) {
            return ACKNOWLEDGEMENT_HEAD_BYTES + RequestFields.finishedSize(item.finished(), 0);
        }
        return RequestFields.finishedSize(
                item.finished(), item.request().get().id().number() - 1);
    }

    /** How many bytes an item takes. */
    static int size(Item item) {
        if (item.request().isEmpty()) {
            return sackBytes(item);
        }
        Request request = item.request().get();
        int body = request.body().length;
        return REQUEST_HEAD_BYTES
                + WireWriter.varintSize(request.id().number())
                + WireWriter.varintSize(request.deadlineMillis() - request.timestampMillis())
                + sackBytes(item)
                + WireWriter.varintSize(body)
                + body
                + (request.path().isEmpty() ? 0 : RequestFields.pathSize(request.path()));
    }

    private static void write(WireWriter writer, Item item) {
        if (item.request().isEmpty()) {
            writer.u8(ACKNOWLEDGEMENTS);
            writer.clientId(item.client());
            RequestFields.writeFinished(writer, item.finished(), 0);
            return;
        }
        Request request = item.request().get();
        int kind = request.id().space() == Space.OWN ? OWN_REQUEST : FOREIGN_REQUEST;
        writer.u8(kind | (request.oneway() ? ONEWAY : 0) | (request.path().isEmpty() ? 0 : WITH_PATH));
        writer.clientId(item.client());
        writer.i64(item.principal().hash());
        writer.varint(request.id().number());
        writer.i64(request.timestampMillis());
        writer.varint(request.deadlineMillis() - request.timestampMillis());
        writer.i64(request.fingerprint());
        RequestFields.writeFinished(writer, item.finished(), request.id().number() - 1);
        writer.blob(request.body());
        if (!request.path().isEmpty()) {
            RequestFields.writePath(writer, request.path());
        }
    }

    private static Item readItem(WireReader reader) {
        int head = reader.u8("item kind");
        int kind = head & ~(ONEWAY | WITH_PATH);
        if (kind > FOREIGN_REQUEST || (kind == ACKNOWLEDGEMENTS && head != kind)) {
            throw reader.malformed("item kind", head);
        }
        ClientId client = reader.clientId("client");
        if (kind == ACKNOWLEDGEMENTS) {
            return Item.acknowledgements(client, RequestFields.readFinished(reader, 0));
        }
        Principal principal = new Principal(reader.i64("principal"));
        Space space = kind == OWN_REQUEST ? Space.OWN : Space.FOREIGN;
        long number = reader.varint(
                "number", space == Space.OWN ? 1 : 0, space == Space.OWN ? WireReader.MAX_NUMBER : 0xFFFF_FFFFL);
        // A foreign timestamp is the expiration minus ρ and may lie before 1970.
        long timestamp = reader.i64("timestamp");
        if (timestamp > WireReader.MAX_TIME_MILLIS || timestamp < -WireReader.MAX_TIME_MILLIS) {
            throw reader.malformed("timestamp", timestamp);
        }
        long deadline = timestamp + reader.varint("deadline", 0, WireReader.MAX_TIME_MILLIS);
        long fingerprint = reader.i64("fingerprint");
        FinishedNumbers finished = RequestFields.readFinished(reader, number - 1);
        byte[] body = reader.blob("body", MAX_BODY_BYTES);
        CallPath path = (head & WITH_PATH) != 0 ? RequestFields.readPath(reader) : CallPath.NONE;
        RequestId id = new RequestId(space, client, number);
        return new Item(
                client,
                finished,
                Optional.of(new Request(id, timestamp, deadline, fingerprint, (head & ONEWAY) != 0, body, path)),
                principal);
    }

    private static long time(WireReader reader, String field) {
        long value = reader.i64(field);
        if (value < 0 || value > WireReader.MAX_TIME_MILLIS) {
            throw reader.malformed(field, value);
        }
        return value;
    }
}
