package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * One member's word on one request or timer, ordered with its entry.
 *
 * @param place of the request or timer
 * @param known position up to which the member had been told of entries when it said this
 * @param members the members at its position and those that joined since, rising
 * @param gone those among them that have left the group, rising
 */
record ExecutionReport(Place place, Word word, long known, List<String> members, List<String> gone) {
    private static final int MAX_MEMBERS = 64;
    private static final int MAX_ID_BYTES = 64;
    private static final long MAX_INDEX = (1L << Integer.SIZE) - 1;

    ExecutionReport {
        members = members.stream().sorted().distinct().toList();
        gone = gone.stream().sorted().distinct().toList();
        if (members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException("at most " + MAX_MEMBERS + " members can report: " + members.size());
        }
    }

    void write(WireWriter writer) {
        writePlace(writer, place);
        writer.u8(word.code());
        writer.varint(known);
        for (List<String> ids : List.of(members, gone)) {
            writer.varint(ids.size());
            ids.forEach(member -> writer.text("member", member, MAX_ID_BYTES));
        }
    }

    static ExecutionReport read(WireReader reader) {
        Place place = anyPlace(reader);
        int code = reader.u8("word");
        Word word = Word.ofCode(code).orElseThrow(() -> reader.malformed("word", code));
        long known = reader.varint("known position", 0, Long.MAX_VALUE);
        return new ExecutionReport(place, word, known, members(reader, 0), members(reader, 0));
    }

    /** Ids of members, rising. */
    static List<String> members(WireReader reader, int least) {
        int count = (int) reader.varint("members", least, MAX_MEMBERS);
        List<String> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            members.add(reader.text("member", MAX_ID_BYTES));
            if (i > 0 && members.get(i - 1).compareTo(members.get(i)) >= 0) {
                throw reader.malformed("number of a member that does not rise", i);
            }
        }
        return members;
    }

    /** The place of a request. */
    static Place place(WireReader reader) {
        long position = reader.varint("position of a request", 0, Long.MAX_VALUE);
        return new Place(position, (int) reader.varint("index of a request", 0, Integer.MAX_VALUE));
    }

    /** The place of a request or of a timer: the index of a timer is 2^31 and its turn. */
    static Place anyPlace(WireReader reader) {
        long position = reader.varint("position of a request or timer", 0, Long.MAX_VALUE);
        return new Place(position, (int) reader.varint("index of a request or timer", 0, MAX_INDEX));
    }

    /** To be read by {@link #anyPlace}. */
    static void writePlace(WireWriter writer, Place place) {
        writer.varint(place.position());
        writer.varint(Integer.toUnsignedLong(place.index()));
    }
}
