package org.amo.interceptors.jacorb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which connection gives way when replies wait for clients that do not read. */
final class ReplyRoomTest {
    private final List<String> gone = new ArrayList<>();
    private final ReplyRoom room = new ReplyRoom(1_000);
    private final ReplyRoom.Connection deaf = () -> gone.add("deaf");
    private final ReplyRoom.Connection slow = () -> gone.add("slow");

    @Test
    void theConnectionWithMostGivesWayToTheOthers() {
        room.take(deaf, 400);
        room.take(deaf, 400);
        room.take(slow, 200);
        assertEquals(List.of(), gone);
        room.take(slow, 1);
        assertEquals(List.of("deaf"), gone);
        assertEquals(201, room.held());
    }

    @Test
    void whatIsWrittenMakesRoom() {
        for (int i = 0; i < 100; i++) {
            room.take(slow, 900);
            room.take(deaf, 100);
            room.give(slow, 900);
            room.give(deaf, 100);
        }
        assertEquals(List.of(), gone);
        assertEquals(0, room.held());
    }

    @Test
    void aConnectionThatGaveWayHoldsNothingThoughItsLastWriteEndsLater() {
        room.take(deaf, 600);
        room.take(deaf, 600);
        assertEquals(List.of("deaf"), gone);
        room.give(deaf, 600);
        assertEquals(0, room.held());
        room.take(deaf, 5);
        room.give(deaf, 600);
        assertEquals(0, room.held());
    }

    @Test
    void aReplyThatIsAloneMayBeOfAnyLength() {
        room.take(slow, 5_000);
        assertEquals(List.of(), gone);
        room.take(deaf, 1);
        assertEquals(List.of("slow"), gone, "with others it gives way");
    }
}
