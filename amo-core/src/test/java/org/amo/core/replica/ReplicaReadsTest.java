package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.junit.jupiter.api.Test;

/** When a member runs a read, and when it refuses it. */
class ReplicaReadsTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "b");
    private final List<ReadAnswer> answers = new ArrayList<>();

    private Read read(long mostAgeMillis, long after, long leftMillis) {
        Read read = new Read(new byte[0], mostAgeMillis, after, leftMillis, answers::add);
        rig.replica.reads().onRead(read, rig.now);
        return read;
    }

    private long question() {
        return rig.indexQuestions.get(rig.indexQuestions.size() - 1);
    }

    private void indexFound(long position) {
        rig.replica.reads().onIndex(question(), position, rig.now);
    }

    @Test
    void aReadRunsOnceTheEntriesUpToItsIndexAreDelivered() {
        Read read = read(0, 0, 1_000);
        assertEquals(1, rig.indexQuestions.size());
        indexFound(rig.replica.position() + 2);
        rig.deliverOf("b", 1);
        assertEquals(List.of(), rig.reads);
        rig.deliverOf("b", 2);
        assertEquals(List.of(read), rig.reads);
    }

    @Test
    void readsThatComeDuringAQuestionShareTheNextOne() {
        Read first = read(0, 0, 1_000);
        Read second = read(0, 0, 1_000);
        Read third = read(0, 0, 1_000);
        long question = question();
        assertEquals(1, rig.indexQuestions.size());
        indexFound(1);
        assertEquals(List.of(first), rig.reads);
        assertEquals(2, rig.indexQuestions.size());
        rig.replica.reads().onIndex(question, 1, rig.now);
        assertEquals(List.of(first), rig.reads, "an answer to an earlier question counts no more");
        indexFound(1);
        assertEquals(List.of(first, second, third), rig.reads);
    }

    @Test
    void aQuestionIsAskedAgainUntilTheReadsTimeIsOver() {
        read(0, 0, 350);
        rig.replica.reads().onNoIndex(question(), rig.now);
        for (int i = 0; i < 7; i++) {
            assertEquals(List.of(), answers);
            rig.now += 50;
            rig.tick();
        }
        assertEquals(List.of(question()), rig.indexQuestions.stream().distinct().toList());
        assertTrue(rig.indexQuestions.size() > 2, "asked " + rig.indexQuestions.size() + " times");
        assertEquals(List.of(ReadAnswer.Kind.REFUSED), kinds());
    }

    private List<ReadAnswer.Kind> kinds() {
        return answers.stream().map(ReadAnswer::kind).toList();
    }

    @Test
    void aReadIsRefusedIfTheEntriesDoNotComeInTime() {
        read(0, 0, 100);
        indexFound(99);
        rig.now += 100;
        rig.tick();
        assertEquals(List.of(ReadAnswer.Kind.REFUSED), kinds());
        assertEquals(List.of(), rig.reads);
    }

    @Test
    void aStaleReadReusesAnIndexWhoseQuestionIsYoungEnough() {
        read(0, 0, 1_000);
        rig.now += 30;
        indexFound(1);
        rig.now += 20;
        Read young = read(51, 0, 1_000);
        assertEquals(2, rig.reads.size(), "the question left 50 ms ago");
        assertEquals(young, rig.reads.get(1));
        read(50, 0, 1_000);
        assertEquals(2, rig.reads.size());
        assertEquals(2, rig.indexQuestions.size(), "asked again");
    }

    @Test
    void aReadBehindAPositionWaitsForIt() {
        read(0, 0, 1_000);
        indexFound(1);
        long behind = rig.replica.position() + 1;
        read(1_000, behind, 1_000);
        assertEquals(1, rig.reads.size());
        rig.deliverOf("b", 1);
        assertEquals(2, rig.reads.size());
    }

    @Test
    void aDivergedMemberRefusesReads() {
        rig.replica.distrust(5);
        read(0, 0, 1_000);
        indexFound(1);
        assertEquals(List.of(ReadAnswer.Kind.REFUSED), kinds());
        assertTrue(answers.get(0).why().contains("differs"), answers.get(0).why());
        assertEquals(List.of(), rig.reads);
    }

    @Test
    void aMemberThatStopsRefusesWhatWaits() {
        read(0, 0, 1_000);
        read(0, 0, 1_000);
        rig.replica.onClose();
        assertEquals(List.of(ReadAnswer.Kind.REFUSED, ReadAnswer.Kind.REFUSED), kinds());
    }
}
