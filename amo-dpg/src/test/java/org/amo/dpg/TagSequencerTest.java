package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.amo.dpg.TagSequencer.Numbered;
import org.junit.jupiter.api.Test;

/** Section 3.3: a site may infer contiguity "only if the filtered out tags' numbers are contiguous" (row D4). */
class TagSequencerTest {
    private final List<String> seen = new ArrayList<>();
    private final TagSequencer sequencer = new TagSequencer(1, 1, 100);
    private final SequencedReception<String> site = reception();

    private SequencedReception<String> reception() {
        return new SequencedReception<>(nonce -> nonce * 31, 1_000, 10, new SequencedReception.Receiver<>() {
            @Override
            public void receive(String pdu, boolean contiguous) {
                seen.add((contiguous ? "=>" : "->") + pdu);
            }

            @Override
            public void late(String pdu) {
                seen.add("late " + pdu);
            }
        });
    }

    private Numbered mine(long nonce) {
        return sequencer.onTag(new PduTag(nonce, nonce * 31));
    }

    private Numbered foreign(long nonce) {
        return sequencer.onTag(new PduTag(nonce, 7));
    }

    @Test
    void messagesAreReceivedInTheOrderOfTheirNumbers() {
        Numbered first = mine(1);
        Numbered second = mine(2);
        site.onPdu(2, "b", true, 0);
        site.onNumbered(first, 0);
        site.onNumbered(second, 0);
        assertEquals(List.of(), seen);
        site.onPdu(1, "a", true, 10);
        assertEquals(List.of("->a", "=>b"), seen);
    }

    @Test
    void otherGroupsTagsThatWereSeenDoNotBreakContiguityAndUnseenNumbersDo() {
        site.onPdu(1, "a", true, 0);
        site.onPdu(2, "b", true, 0);
        site.onPdu(3, "c", true, 0);
        site.onNumbered(mine(1), 0);
        site.onNumbered(foreign(8), 0);
        site.onNumbered(mine(2), 0);
        assertEquals(List.of("->a", "=>b"), seen);
        foreign(9); // nobody hears of this number
        site.onNumbered(mine(3), 0);
        assertEquals(List.of("->a", "=>b"), seen, "it waits");
        assertEquals(1_000, site.nextDeadline());
        site.onTick(1_000);
        assertEquals(List.of("->a", "=>b", "->c"), seen);
    }

    @Test
    void aLostMessageBreaksContiguityAndALostReportToo() {
        site.onPdu(1, "a", true, 0);
        site.onNumbered(mine(1), 0);
        site.onNumbered(mine(2), 0);
        site.onPdu(3, "report", false, 0);
        site.onNumbered(mine(3), 0);
        site.onPdu(4, "d", true, 0);
        site.onNumbered(mine(4), 0);
        site.onTick(1_000);
        site.onPdu(2, "b", true, 1_100);
        site.onNumbered(mine(2), 1_100);
        assertEquals(List.of("->a", "->report", "->d", "late b"), seen);
    }

    @Test
    void aReportBetweenMessagesDoesNotBreakContiguity() {
        site.onPdu(1, "a", true, 0);
        site.onPdu(2, "report", false, 0);
        site.onPdu(3, "c", true, 0);
        site.onNumbered(mine(1), 0);
        site.onNumbered(mine(2), 0);
        site.onNumbered(mine(3), 0);
        assertEquals(List.of("->a", "->report", "=>c"), seen);
    }

    @Test
    void aTagThatComesAgainKeepsItsNumberAndALostMulticastIsMadeGoodByTheNext() {
        TagSequencer repeating = new TagSequencer(1, 3, 100);
        repeating.onTag(new PduTag(1, 31));
        repeating.onTag(new PduTag(2, 62));
        Numbered third = repeating.onTag(new PduTag(3, 93));
        assertEquals(1, third.first());
        assertEquals(3, third.tags().size());
        assertEquals(1, repeating.onTag(new PduTag(1, 31)).first());
        assertEquals(3, repeating.numbered());
    }

    @Test
    void aHigherEpochTakesOverWithoutContiguityAndALowerOneIsIgnored() {
        site.onPdu(1, "a", true, 0);
        site.onNumbered(mine(1), 0);
        TagSequencer successor = new TagSequencer(2, 1, 100);
        site.onPdu(2, "b", true, 0);
        site.onNumbered(successor.onTag(new PduTag(2, 62)), 0);
        site.onPdu(3, "c", true, 0);
        site.onNumbered(mine(3), 0);
        site.onNumbered(successor.onTag(new PduTag(3, 93)), 0);
        assertEquals(List.of("->a", "->b", "=>c"), seen);
    }

    /** The predecessor's numbers, some of which are waited for, are not those of the higher epoch. */
    @Test
    void aHigherEpochEndsTheNumbersOfTheLowerOne() {
        site.onPdu(1, "a", true, 0);
        site.onNumbered(mine(1), 0);
        site.onNumbered(mine(2), 0);
        TagSequencer successor = new TagSequencer(2, 1, 100);
        site.onPdu(3, "c", true, 0);
        site.onNumbered(successor.onTag(new PduTag(3, 93)), 0);
        site.onPdu(4, "d", true, 0);
        site.onNumbered(successor.onTag(new PduTag(4, 124)), 0);
        site.onPdu(2, "b", true, 0);
        site.onNumbered(successor.onTag(new PduTag(2, 62)), 0);
        assertEquals(List.of("->a", "->c", "=>d", "=>b"), seen);
    }

    /** A table searches tags of one hash by their order, if they have one. */
    @Test
    void tagsOfOneHashHaveAnOrder() {
        Set<PduTag> tags = new TreeSet<>();
        for (long proof = 0; proof < 20_000; proof++) {
            tags.add(new PduTag(7, proof * ((1L << 32) + 1)));
        }
        assertEquals(20_000, tags.size());
        assertEquals(1, tags.stream().mapToInt(PduTag::hashCode).distinct().count());
        assertEquals(0, new PduTag(7, 8).compareTo(new PduTag(7, 8)));
        assertTrue(new PduTag(7, 9).compareTo(new PduTag(8, 8)) < 0);
    }

    @Test
    void aSiteHoldsNoMoreThanItsWindow() {
        site.onNumbered(mine(1), 0);
        for (int i = 2; i <= 40; i++) {
            site.onNumbered(mine(i), 0);
        }
        for (int i = 35; i <= 40; i++) {
            site.onPdu(i, "m" + i, true, 0);
        }
        assertEquals(List.of(), seen, "31 to 34 may still come");
        site.onTick(1_000);
        assertEquals(List.of("->m35", "=>m36", "=>m37", "=>m38", "=>m39", "=>m40"), seen);
    }

    /** Of tags that are new, come again, and come again after they were forgotten. */
    @Test
    void eachMulticastHoldsTheTagAndItsNeighboursAsTheyWereNumbered() {
        TagSequencer small = new TagSequencer(1, 8, 20);
        Map<Long, PduTag> all = new HashMap<>();
        Random random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            PduTag tag = new PduTag(random.nextInt(60), 7);
            Numbered numbered = small.onTag(tag);
            assertTrue(numbered.tags().contains(tag), numbered::toString);
            assertTrue(numbered.tags().size() <= 8, numbered::toString);
            for (int k = 0; k < numbered.tags().size(); k++) {
                PduTag each = numbered.tags().get(k);
                assertEquals(each, all.computeIfAbsent(numbered.first() + k, number -> each));
            }
        }
        assertEquals(small.numbered(), all.size());
    }

    /** A recorded datagram of a site is good again, and has hundreds of tags. The best of some rounds says what the code takes. */
    @Test
    void aTagCostsNoMoreIfManyAreRemembered() {
        long few = nanosOfRepeatedTags(new TagSequencer(1, 8, 64), 64);
        long many = nanosOfRepeatedTags(new TagSequencer(1, 8, 65_536), 65_536);
        assertTrue(many < 50 * few, many + " ns, and with few " + few);
    }

    private static long nanosOfRepeatedTags(TagSequencer numbering, int memory) {
        for (int i = 0; i < memory; i++) {
            Numbered unused = numbering.onTag(new PduTag(i, 7));
        }
        PduTag again = new PduTag(memory - 1, 7);
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < 200; i++) {
                Numbered unused = numbering.onTag(again);
            }
            best = Math.min(best, System.nanoTime() - start);
        }
        return best;
    }
}
