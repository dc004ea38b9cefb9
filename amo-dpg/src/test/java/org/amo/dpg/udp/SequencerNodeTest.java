package org.amo.dpg.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.Seal;
import org.amo.dpg.PduTag;
import org.amo.dpg.TagSequencer.Numbered;
import org.amo.dpg.udp.DpgFrames.Tags;
import org.junit.jupiter.api.Test;

class SequencerNodeTest {
    private long datagrams;

    private static SequencerNode<String> sequencer(int index, long clock) {
        return new SequencerNode<>(TestSite.SECRET, index, clock, () -> 5);
    }

    private static Tags tags(long heardEpoch, long... nonces) {
        List<PduTag> tags = new ArrayList<>();
        for (long nonce : nonces) {
            tags.add(new PduTag(nonce, -nonce));
        }
        return new Tags(0, 0, 0, heardEpoch, tags);
    }

    /** The same to the sequencer at this place. */
    private static Tags to(int index, Tags tags) {
        return new Tags(index, 0, 0, tags.heardEpoch(), tags.tags());
    }

    /** The next datagram of the site of this name. */
    private void hear(SequencerNode<String> node, String from, Tags tags, long nowMicros) {
        datagrams++;
        node.onTags(
                from,
                new Tags(tags.sequencer(), from.hashCode(), datagrams, tags.heardEpoch(), tags.tags()),
                nowMicros);
    }

    private static byte[] hello(long instance, long count) {
        return DpgFrames.sequencerSeal(TestSite.SECRET.getBytes(StandardCharsets.UTF_8))
                .sealed(DpgFrames.encode(new Tags(0, instance, count, 0, List.of())));
    }

    @Test
    void itBeginsWhenItIsAskedAndTagsThatComeTogetherAreToldTogether() {
        SequencerNode<String> node = sequencer(0, 100);
        hear(node, "a", tags(0), 0);
        assertEquals(0, node.figures(0).epoch());
        assertEquals(List.of(), node.takeNumbered());
        hear(node, "a", tags(0, 11, 12), 0);
        long epoch = node.figures(0).epoch();
        assertEquals(List.of(new Numbered(epoch, 1, List.of())), node.takeNumbered(), "the epoch alone");
        hear(node, "a", tags(epoch, 11, 12), 0);
        hear(node, "b", tags(epoch, 13), 0);
        List<Numbered> told = node.takeNumbered();
        assertEquals(1, told.size());
        assertEquals(1, told.get(0).first());
        assertEquals(
                List.of(11L, 12L, 13L),
                told.get(0).tags().stream().map(PduTag::nonce).toList());
        assertEquals(List.of(), node.takeNumbered());
        assertEquals(List.of("a", "b"), node.subscribers(0));
    }

    @Test
    void aTagThatComesAgainKeepsItsNumber() {
        SequencerNode<String> node = sequencer(0, 100);
        hear(node, "a", tags(0, 11, 12, 13), 0);
        hear(node, "a", tags(node.figures(0).epoch(), 11, 12, 13), 0);
        node.takeNumbered();
        hear(node, "a", tags(node.figures(0).epoch(), 12), 0);
        Numbered again = node.takeNumbered().get(0);
        int place = again.tags().indexOf(new PduTag(12, -12));
        assertEquals(2, again.first() + place);
        assertEquals(3, node.figures(0).numbered());
    }

    @Test
    void itTakesOverAboveEveryEpochThatASiteHasHeardAndOnlyThen() {
        SequencerNode<String> dead = sequencer(0, 9_000_000);
        hear(dead, "a", tags(0, 11), 0);
        SequencerNode<String> next = sequencer(1, 100);
        hear(next, "a", to(1, tags(dead.figures(0).epoch(), 11)), 0);
        assertTrue(
                next.figures(0).epoch() > dead.figures(0).epoch(),
                "the wall clock of the second is behind that of the first");
        assertEquals(1, SequencerNode.indexOf(next.figures(0).epoch()));
        long begun = next.figures(0).epoch();
        // A site that has not heard of it yet.
        hear(next, "b", to(1, tags(dead.figures(0).epoch(), 12)), 0);
        hear(next, "c", to(1, tags(0, 13)), 0);
        assertEquals(begun, next.figures(0).epoch());
        assertEquals(1, next.figures(0).epochs());
        assertEquals(0, next.figures(0).numbered(), "they are told of it first");
        assertEquals(begun, next.takeNumbered().get(0).epoch());
        for (String site : List.of("a", "b", "c")) {
            hear(next, site, to(1, tags(begun, 11 + site.charAt(0))), 0);
        }
        assertEquals(3, next.figures(0).numbered());
    }

    @Test
    void whatAnotherSequencerIsAskedIsNotNumbered() {
        SequencerNode<String> node = sequencer(0, 100);
        hear(node, "a", to(1, tags(0, 11)), 0);
        assertEquals(0, node.figures(0).epoch());
        assertEquals(List.of(), node.subscribers(0));
    }

    private static Tags of(long instance, long count, long heardEpoch, long... nonces) {
        return new Tags(0, instance, count, heardEpoch, tags(0, nonces).tags());
    }

    /** Of 8,192 tags the numbers are remembered. A copy of an older datagram had its tags numbered anew, as a new report. */
    @Test
    void aCopyOfAnOldDatagramHasNothingNumbered() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onTags("a", of(7, 1, 0, 1), 0);
        long epoch = node.figures(0).epoch();
        node.onTags("a", of(7, 2, epoch, 1), 0);
        for (int i = 1; i <= 8_193; i++) {
            node.onTags("a", of(7, 2 + i, epoch, 1 + i), 0);
        }
        assertEquals(8_194, node.figures(0).numbered());
        node.takeNumbered();
        node.onTags("copy", of(7, 2, epoch, 1), 0);
        assertEquals(List.of(), node.takeNumbered());
        // A site has heard of another sequencer's epoch, and this one begins a higher one.
        node.onTags("b", of(8, 1, epoch + (1L << 40), 99), 0);
        assertEquals(2, node.figures(0).epochs());
        node.takeNumbered();
        node.onTags("copy", of(7, 2, epoch, 1), 0);
        assertEquals(List.of(), node.takeNumbered());
        assertEquals(List.of("a", "b"), node.subscribers(0));
    }

    /** Its counts died with it. A site that lives hears the epoch, and asks again. */
    @Test
    void aSequencerThatHasJustStartedNumbersNoRecording() {
        SequencerNode<String> former = sequencer(0, 100);
        Tags first = of(7, 1, 0, 11);
        former.onTags("a", first, 0);
        Tags second = of(7, 2, former.figures(0).epoch(), 11);
        former.onTags("a", second, 0);
        assertEquals(1, former.figures(0).numbered());
        SequencerNode<String> node = sequencer(0, 200);
        node.onTags("copy", first, 0);
        node.onTags("copy", second, 0);
        assertEquals(0, node.figures(0).numbered());
        List<Numbered> told = node.takeNumbered();
        assertEquals(1, told.size());
        assertEquals(List.of(), told.get(0).tags());
        node.onTags("a", of(7, 3, told.get(0).epoch(), 12), 0);
        assertEquals(1, node.figures(0).numbered());
        assertEquals(List.of("a"), node.subscribers(0));
    }

    @Test
    void aDatagramThatOthersOvertookIsNumberedOnce() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onTags("a", of(7, 1, 0, 1), 0);
        long epoch = node.figures(0).epoch();
        node.onTags("a", of(7, 66, epoch, 66), 0);
        node.onTags("a", of(7, 3, epoch, 3), 0);
        node.onTags("a", of(7, 65, epoch, 65), 0);
        assertEquals(3, node.figures(0).numbered());
        node.takeNumbered();
        node.onTags("a", of(7, 3, epoch, 3), 0);
        node.onTags("a", of(7, 65, epoch, 65), 0);
        node.onTags("a", of(7, 2, epoch, 2), 0);
        assertEquals(List.of(), node.takeNumbered(), "copies, and one that came too late");
    }

    @Test
    void aSiteThatIsSilentIsToldNothingAnyMore() {
        SequencerNode<String> node = sequencer(0, 100);
        hear(node, "a", tags(0), 0);
        hear(node, "b", tags(0), 2_000_000);
        assertEquals(List.of("b"), node.subscribers(4_000_000));
    }

    /** Copies of one good datagram filled the table, from as many addresses, and the sites that came then were refused. */
    @Test
    void aCopyOfADatagramAddsNoSubscriberAndMovesNone() {
        SequencerNode<String> node = sequencer(0, 100);
        byte[] heard = hello(1, 1);
        node.onDatagram("a", heard, 0);
        for (int i = 0; i < 2_000; i++) {
            node.onDatagram("copy " + i, heard, 1_000_000);
        }
        assertEquals(List.of("a"), node.subscribers(1_000_000));
        node.onDatagram("b", hello(2, 1), 1_000_000);
        assertEquals(List.of("a", "b"), node.subscribers(1_000_000));
        assertEquals(List.of("b"), node.subscribers(3_500_000), "copies do not keep the first one alive");
        node.onDatagram("copy", heard, 3_500_000);
        assertEquals(List.of("b"), node.subscribers(3_500_000), "nor bring it back");
    }

    @Test
    void aSiteIsWhereItsLatestDatagramCameFrom() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onDatagram("a", hello(1, 1), 0);
        node.onDatagram("moved", hello(1, 3), 0);
        node.onDatagram("a", hello(1, 2), 0);
        assertEquals(List.of("moved"), node.subscribers(0));
        node.onDatagram("moved", hello(2, 1), 0);
        assertEquals(List.of("moved"), node.subscribers(0), "started again there, it is told once");
    }

    @Test
    void ofTooManySitesTheOneThatHasBeenSilentLongestGivesWay() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onDatagram("lives", hello(0, 1), 0);
        for (int instance = 1; instance <= 2_000; instance++) {
            node.onDatagram("site " + instance, hello(instance, 1), instance);
            if (instance % 500 == 0) {
                node.onDatagram("lives", hello(0, 1 + instance), instance);
            }
        }
        List<String> told = node.subscribers(2_000);
        assertEquals(1_024, told.size());
        assertTrue(told.containsAll(List.of("lives", "site 2000")), told::toString);
    }

    @Test
    void anEpochThatLeavesNoRoomForASuccessorIsRefused() {
        SequencerNode<String> node = sequencer(0, 100);
        hear(node, "a", tags(Long.MAX_VALUE, 11), 0);
        assertEquals(0, node.figures(0).epoch());
        assertEquals(1, node.figures(0).malformed());
    }

    @Test
    void onlyWhoKnowsTheSecretIsHeard() {
        SequencerNode<String> node = sequencer(0, 100);
        byte[] asked = DpgFrames.encode(new Tags(0, 1, 1, 0, List.of(new PduTag(11, -11))));
        node.onDatagram(
                "a",
                DpgFrames.sequencerSeal("another secret".getBytes(StandardCharsets.UTF_8))
                        .sealed(asked),
                0);
        assertEquals(1, node.figures(0).unauthentic());
        assertEquals(List.of(), node.take());
        Seal seal = DpgFrames.sequencerSeal(TestSite.SECRET.getBytes(StandardCharsets.UTF_8));
        node.onDatagram("a", seal.sealed(asked), 0);
        assertEquals(1, node.take().size());
        node.onDatagram("a", seal.sealed(new byte[] {1}), 0);
        assertEquals(1, node.figures(0).malformed());
    }

    /** What a site asks of its sequencers. */
    @Test
    void aSiteTurnsToTheNextSequencerWhenTheFirstIsSilentAndFollowsTheHighestEpoch() {
        OwnTags own = new OwnTags(3, 5_000, 100_000, 1_000_000);
        own.add(new PduTag(1, 1), true, 0);
        assertEquals(1, own.due(0).size());
        assertEquals(0, own.due(4_999).size());
        assertEquals(1, own.due(5_000).size());
        assertEquals(0, own.current());
        assertEquals(1, own.due(100_000).size());
        assertEquals(1, own.current());
        long epoch = (1L << 20) | 2;
        own.onNumbered(epoch, List.of(new PduTag(9, 9)));
        assertEquals(2, own.current());
        assertEquals(epoch, own.heardEpoch());
        own.onNumbered(epoch - 256, List.of(new PduTag(1, 1)));
        assertEquals(1, own.size(), "numbers of a lower epoch do not count");
        own.onNumbered(epoch, List.of(new PduTag(1, 1)));
        assertEquals(0, own.size());
        assertEquals(Long.MAX_VALUE, own.nextDeadline());
    }

    @Test
    void aReportThatIsOutOfDateIsNotNumberedAnyMore() {
        OwnTags own = new OwnTags(1, 5_000, 100_000, 1_000_000);
        own.add(new PduTag(1, 1), false, 0);
        own.add(new PduTag(2, 2), true, 0);
        assertEquals(2, own.due(0).size());
        assertEquals(2, own.due(5_000).size());
        assertEquals(0, own.due(14_999).size(), "less and less often");
        assertEquals(List.of(new PduTag(2, 2)), own.due(40_000));
        assertEquals(List.of(), own.due(1_000_001));
        assertEquals(0, own.size());
    }
}
