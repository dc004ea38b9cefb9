package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.Test;

class LateReplaysTest {
    private static final int EXCEPTION = 2;

    private final LateReplays replays = new LateReplays(4);

    private void answer(Answer answer) {
        replays.answered(new Giop.Reply(1, EXCEPTION, Optional.of(answer)));
    }

    private void stale(int times) {
        for (int i = 0; i < times; i++) {
            answer(Answer.refused(Refusal.STALE, 20_000, 10_000));
        }
    }

    @Test
    void refusalsAsStaleAreRight() {
        stale(3);
        replays.answered(new Giop.Reply(1, EXCEPTION, Optional.empty()));
        assertEquals(List.of(), replays.faults(true));
        assertTrue(replays.summary().startsWith("3 of 4 ") && replays.summary().contains("1 turned away"));
    }

    @Test
    void eachOtherAnswerIsAFault() {
        stale(4);
        replays.answered(new Giop.Reply(1, 0, Optional.of(Answer.reply(new byte[0], 20_000, 10_000))));
        answer(Answer.refused(Refusal.EXPIRED, 20_000, 10_000));
        answer(Answer.unknown(20_000, 10_000));
        List<String> faults = replays.faults(false);
        assertEquals(3, faults.size(), faults.toString());
        for (String kind : List.of("a result", "EXPIRED", "UNKNOWN")) {
            assertTrue(faults.toString().contains("answered with " + kind), faults.toString());
        }
    }

    @Test
    void fewAnswersAreAFaultIfThereWasTimeForAll() {
        stale(1);
        assertEquals(List.of(), replays.faults(false));
        assertEquals(1, replays.faults(true).size());
    }
}
