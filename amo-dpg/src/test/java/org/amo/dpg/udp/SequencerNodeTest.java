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
    private static SequencerNode<String> sequencer(int index, long clock) {
        return new SequencerNode<>(TestSite.SECRET, index, clock, () -> 5);
    }

    private static Tags tags(long heardEpoch, long... nonces) {
        List<PduTag> tags = new ArrayList<>();
        for (long nonce : nonces) {
            tags.add(new PduTag(nonce, -nonce));
        }
        return new Tags(0, heardEpoch, tags);
    }

    /** The same to the sequencer at this place. */
    private static Tags to(int index, Tags tags) {
        return new Tags(index, tags.heardEpoch(), tags.tags());
    }

    @Test
    void itBeginsWhenItIsAskedAndTagsThatComeTogetherAreToldTogether() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onTags("a", tags(0), 0);
        assertEquals(0, node.figures(0).epoch());
        assertEquals(List.of(), node.takeNumbered());
        node.onTags("a", tags(0, 11, 12), 0);
        node.onTags("b", tags(0, 13), 0);
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
        node.onTags("a", tags(0, 11, 12, 13), 0);
        node.takeNumbered();
        node.onTags("a", tags(node.figures(0).epoch(), 12), 0);
        Numbered again = node.takeNumbered().get(0);
        int place = again.tags().indexOf(new PduTag(12, -12));
        assertEquals(2, again.first() + place);
        assertEquals(3, node.figures(0).numbered());
    }

    @Test
    void itTakesOverAboveEveryEpochThatASiteHasHeardAndOnlyThen() {
        SequencerNode<String> dead = sequencer(0, 9_000_000);
        dead.onTags("a", tags(0, 11), 0);
        SequencerNode<String> next = sequencer(1, 100);
        next.onTags("a", to(1, tags(dead.figures(0).epoch(), 11)), 0);
        assertTrue(
                next.figures(0).epoch() > dead.figures(0).epoch(),
                "the wall clock of the second is behind that of the first");
        assertEquals(1, SequencerNode.indexOf(next.figures(0).epoch()));
        long begun = next.figures(0).epoch();
        // A site that has not heard of it yet.
        next.onTags("b", to(1, tags(dead.figures(0).epoch(), 12)), 0);
        next.onTags("c", to(1, tags(0, 13)), 0);
        assertEquals(begun, next.figures(0).epoch());
        assertEquals(1, next.figures(0).epochs());
        assertEquals(3, next.figures(0).numbered());
    }

    @Test
    void whatAnotherSequencerIsAskedIsNotNumbered() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onTags("a", to(1, tags(0, 11)), 0);
        assertEquals(0, node.figures(0).epoch());
        assertEquals(List.of(), node.subscribers(0));
    }

    @Test
    void aSiteThatIsSilentIsToldNothingAnyMore() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onTags("a", tags(0), 0);
        node.onTags("b", tags(0), 2_000_000);
        assertEquals(List.of("b"), node.subscribers(4_000_000));
    }

    @Test
    void anEpochThatLeavesNoRoomForASuccessorIsRefused() {
        SequencerNode<String> node = sequencer(0, 100);
        node.onTags("a", tags(Long.MAX_VALUE, 11), 0);
        assertEquals(0, node.figures(0).epoch());
        assertEquals(1, node.figures(0).malformed());
    }

    @Test
    void onlyWhoKnowsTheSecretIsHeard() {
        SequencerNode<String> node = sequencer(0, 100);
        byte[] asked = DpgFrames.encode(tags(0, 11));
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
