package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The example of docs/wire/snapshot.md, "The clock of operations". */
final class ClockedStateTest {
    private static final String MARK = "a3616d6f436c6f636b9e3779b97f4a01";
    private static final byte[] STATE = {1, 2, 3};

    @Test
    void aStateWithoutAClockIsItself() {
        assertSame(STATE, new ClockedState(Optional.empty(), STATE).encode());
        assertSame(STATE, ClockedState.decode(STATE).state());
        assertEquals(Optional.empty(), ClockedState.decode(STATE).clockNanos());
    }

    @Test
    void aClockStandsInFrontOfTheState() {
        byte[] bytes = new ClockedState(Optional.of(0x1122_3344_5566_7788L), STATE).encode();
        assertEquals(MARK + "1122334455667788" + "010203", HexFormat.of().formatHex(bytes));
        ClockedState read = ClockedState.decode(bytes);
        assertEquals(Optional.of(0x1122_3344_5566_7788L), read.clockNanos());
        assertArrayEquals(STATE, read.state());
    }

    @Test
    void aClockInFrontOfAnEmptyStateIsReadToo() {
        ClockedState read = ClockedState.decode(new ClockedState(Optional.of(7L), new byte[0]).encode());
        assertEquals(Optional.of(7L), read.clockNanos());
        assertArrayEquals(new byte[0], read.state());
    }

    @Test
    void aStateThatIsJustTheMarkGetsAMarkAndAZeroInFront() {
        byte[] mark = HexFormat.of().parseHex(MARK);
        byte[] bytes = new ClockedState(Optional.empty(), mark).encode();
        assertEquals(MARK + "0000000000000000" + MARK, HexFormat.of().formatHex(bytes));
    }

    @Test
    void aStateThatLooksLikeOneWithAClockIsReadAsItWas() {
        for (String more : new String[] {"", "01", "000000000000000105"}) {
            byte[] state = HexFormat.of().parseHex(MARK + more);
            ClockedState read = ClockedState.decode(new ClockedState(Optional.empty(), state).encode());
            assertArrayEquals(state, read.state());
            assertEquals(Optional.empty(), read.clockNanos());
        }
    }
}
