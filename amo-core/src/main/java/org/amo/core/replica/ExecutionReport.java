package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * One member's word on one request, ordered with its entry.
 *
 * @param place of the request
 * @param known position up to which the member had been told of entries when it said this
 * @param members the members at its position and those that joined since, rising
 * @param gone those among them that have left the group, rising
 */
record ExecutionReport(Place place, Word word, long known, List<String> members, List<String> gone) {
    private static final int MAX_MEMBERS = 64;
    private static final int MAX_ID_BYTES = 64;

    ExecutionReport {
        members = members.stream().sorted().distinct().toList();
        gone = gone.stream().sorted().distinct().toList();
        if (members.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException("at most " + MAX_MEMBERS + " members can report: " + members.size());
        }
    }

    void write(WireWriter writer) {
        writer.varint(place.position());
        writer.varint(place.index());
        writer.u8(word.code());
        writer.varint(known);
        for (List<String> ids : List.of(members, gone)) {
            writer.varint(ids.size());
            ids.forEach(member -> writer.text("member", member, MAX_ID_BYTES));
        }
    }

    static ExecutionReport read(WireReader reader) {
        Place place = place(reader);
        int code = reader.u8("word");
        Word word = Word.ofCode(code).orElseThrow(() -> reader.malformed("word", code));
        long known = reader.varint("known position", 0, Long.MAX_VALUE);
        return new ExecutionReport(place, word, known, members(reader), members(reader));
    }

    private static List<String> members(WireReader reader) {
        int count = (int) reader.varint("members", 0, MAX_MEMBERS);
        List<String> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            members.add(reader.text("member", MAX_ID_BYTES));
            if (i > 0 && members.get(i - 1).compareTo(members.get(i)) >= 0) {
                throw reader.malformed("number of a member that does not rise", i);
            }
        }
        return members;
    }

    static Place place(WireReader reader) {
        long position = reader.varint("position of a request", 0, Long.MAX_VALUE);
        return new Place(position, (int) reader.varint("index of a request", 0, Integer.MAX_VALUE));
    }
}
