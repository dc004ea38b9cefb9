package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.meetings.AllocatedBytes;
import org.junit.jupiter.api.Test;

/** The results that the leader tells other members, one message for each entry of theirs. */
final class PeerMessageTest {
    @Property(tries = 1_000)
    void theSizeOfResultsIsThatOfTheWrittenOnes(@ForAll long seed) {
        Random random = new Random(seed);
        List<Result> told = new ArrayList<>();
        for (int count = random.nextInt(300); told.size() < count; ) {
            told.add(new Result(random.nextInt() >>> (1 + random.nextInt(31)), answer(random)));
        }
        Results results = new Results(random.nextLong(), random.nextLong(), told);
        assertEquals(results.encode().length, results.size());
    }

    private static Answer answer(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Answer.refused(Refusal.STALE, random.nextLong(), random.nextLong());
            case 1 -> Answer.overloaded(Budget.ORDER, random.nextLong(), random.nextLong());
            case 2 -> Answer.unknown(random.nextLong(), random.nextLong());
            default ->
                Answer.reply(
                        new byte[(1 << random.nextInt(12)) - random.nextInt(2)], random.nextLong(), random.nextLong());
        };
    }

    @Test
    void resultsAreWrittenIntoOneArrayOfTheirLength() {
        List<Result> told = new ArrayList<>();
        for (int item = 0; item < 500; item++) {
            told.add(new Result(item, Answer.reply(new byte[100], 1, 2)));
        }
        Results results = new Results(1, 2, told);
        byte[][] encoded = {{}};
        long least = AllocatedBytes.leastOf(() -> encoded[0] = results.encode());
        assertTrue(least < encoded[0].length * 5L / 4, least + " bytes for results of " + encoded[0].length);
    }
}
