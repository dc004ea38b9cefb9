package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrangeMessagesTest {
    private final List<String> lines = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 5;

    @Test
    void oneWarningInTenSecondsThenTheNumberOfThoseLeftOut() {
        StrangeMessages strange = new StrangeMessages(lines::add, () -> nanos);
        strange.dropped("a");
        strange.dropped("b");
        nanos += StrangeMessages.PAUSE_NANOS - 1;
        strange.dropped("c");
        assertEquals(List.of("a"), lines);
        nanos += 1;
        strange.dropped("d");
        nanos += StrangeMessages.PAUSE_NANOS;
        strange.dropped("e");
        assertEquals(List.of("a", "d (and 2 more before it)", "e"), lines);
    }
}
