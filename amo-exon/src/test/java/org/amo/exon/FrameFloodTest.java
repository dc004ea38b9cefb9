package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.amo.exon.Frame.Unknown;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One datagram makes a bounded amount of work, however many frames are in it. */
class FrameFloodTest {
    private static final NodeId NEAR = new NodeId(6, 1);
    private static final byte[] SECRET = {5};
    private static final long NEVER = Long.MAX_VALUE / 4;
    private static final long LIFE = 100;
    private static final long NOW = 50_000;
    private static final int FRAMES = 70;
    private static final int SLOTS = 8;

    /** Slots that tokens may span, by which one acknowledgement can make a node look at so many tokens. */
    private static final int WINDOW = 4 * SLOTS;

    private static final Address HEARD = new Place();

    private final List<byte[]> sent = new ArrayList<>();
    private final RecordedEffects effects = new RecordedEffects((to, datagram) -> sent.add(datagram));
    private final ScriptedPeer far = peer(2);
    private final ExonNode near = new CountingNode();
    private int tokensLookedAt;
    private int unknownWalks;
    private int requests;
    private int grants;

    private record Place() implements Address {}

    private final class CountingNode extends ExonNode {
        CountingNode() {
            super(
                    NEAR,
                    LIFE,
                    1 << 20,
                    SECRET,
                    ExonOptions.builder()
                            .standbySlots(1, SLOTS)
                            .maxSlots(SLOTS, 2 * SLOTS)
                            .maxMessageBytes(100)
                            .build(),
                    effects);
        }

        @Override
        SendRecord newSendRecord(ExonOptions ofNode, NodeClock clockOfNode, ExonEffects to) {
            return new SendRecord(ofNode, clockOfNode, to) {
                @Override
                long incarnationOf(SentToken token) {
                    tokensLookedAt++;
                    return super.incarnationOf(token);
                }

                @Override
                void onUnknown(Set<Long> incarnations) {
                    unknownWalks++;
                    super.onUnknown(incarnations);
                }
            };
        }

        @Override
        ReceiveRecord newReceiveRecord(ExonOptions ofNode, ReceiveBudget budgetOfNode, long from, long incarnation) {
            return new AtReceiptNode.AtReceiptRecord(ofNode, budgetOfNode, from, incarnation) {
                @Override
                Slots onRequest(RequestSlots request) {
                    requests++;
                    return super.onRequest(request);
                }

                @Override
                @Nullable
                Slots grantWanted() {
                    grants++;
                    return super.grantWanted();
                }
            };
        }
    }

    private static ScriptedPeer peer(int index) {
        return new ScriptedPeer(new NodeId(6, index), 1, NEAR, SECRET);
    }

    private void hear(ScriptedPeer peer, List<? extends Frame> frames) {
        byte[] datagram = peer.datagram(frames.toArray(Frame[]::new));
        near.onDatagram(HEARD, datagram, datagram.length, NOW);
        assertEquals(0, near.counters().malformed());
        assertEquals(0, near.counters().unauthentic());
    }

    /** The node has eight tokens of the peer's incarnation 1, in slots from {@link #LIFE} on. */
    private void sendTokens() {
        for (int i = 1; i <= SLOTS; i++) {
            assertTrue(near.send(new NodeId(6, 2), i, new byte[3], NEVER, NOW));
        }
        near.hint(new NodeId(6, 2), HEARD);
        near.flush(NOW);
        hear(far, List.of(new Slots(LIFE, 1, SLOTS)));
        near.flush(NOW);
        tokensLookedAt = 0;
    }

    private static List<Ack> acks(int count, long incarnation, long from, long end) {
        return LongStream.range(0, count)
                .mapToObj(i -> new Ack(incarnation + i, from, end, new long[0]))
                .toList();
    }

    @Test
    void acknowledgementsOfOneDatagramLookAtFourWindowsOfTokens() {
        sendTokens();
        hear(far, acks(FRAMES, 2, LIFE, LIFE + SLOTS));
        assertEquals(4 * WINDOW, tokensLookedAt);
        assertEquals(List.of(), List.copyOf(effects.outcomes.keySet()));
    }

    /** A peer tells of all tokens of its record, of those of a record that went before, and of single ones. */
    @Test
    void allAcknowledgementsOfAnHonestPeerCount() {
        sendTokens();
        List<Ack> frames = new ArrayList<>(acks(2, 2, 1, LIFE + SLOTS));
        for (int i = 0; i < SLOTS; i++) {
            frames.addAll(acks(1, 1, LIFE + i, LIFE + i + 1));
        }
        hear(far, frames);
        assertEquals(SLOTS, effects.outcomes.size());
        assertEquals(Set.of(Outcome.DELIVERED), Set.copyOf(effects.outcomes.values()));
    }

    @Test
    void holesAreNotLookedAt() {
        sendTokens();
        hear(far, List.of(new Ack(1, LIFE, LIFE + SLOTS, new long[] {LIFE + 4, LIFE + 7, LIFE + 1, LIFE + 3})));
        assertEquals(3, tokensLookedAt);
        assertEquals(Set.of(1L, 4L, 8L), effects.outcomes.keySet());
    }

    @Test
    void unknownIncarnationsOfOneDatagramAreLookedForAtOnce() {
        sendTokens();
        hear(far, LongStream.range(1, FRAMES).mapToObj(Unknown::new).toList());
        assertEquals(1, unknownWalks);
        assertEquals(SLOTS, effects.outcomes.size());
        assertEquals(Set.of(Outcome.UNKNOWN), Set.copyOf(effects.outcomes.values()));
    }

    /** A sender that had no record frees slots below its clock, and asks for others of a new record. */
    @Test
    void theLastRequestOfADatagramStandsForAll() {
        hear(far, List.of(new RequestSlots(1, 4, 1, 0)));
        List<RequestSlots> frames = new ArrayList<>();
        for (int i = 0; i < FRAMES; i++) {
            frames.add(new RequestSlots(5 + i, 0, 5 + i, 0));
        }
        frames.add(new RequestSlots(100, 4, 100, 0));
        hear(far, frames);
        assertEquals(2, requests);
        assertEquals(4, near.counters().openSlots, "those from 100 on");
        hear(far, List.of(new Token(LIFE, 103, 0, 1, new byte[3])));
        assertEquals(List.of(3), effects.delivered);
    }

    @Test
    void roomIsOfferedToPeersUntilItIsUsedUp() {
        for (int i = 0; i < FRAMES; i++) {
            hear(peer(2 + i), List.of(new RequestSlots(1, 2 * SLOTS, 1, 0)));
        }
        List<Token> tokens = LongStream.rangeClosed(1, SLOTS)
                .mapToObj(slot -> new Token(LIFE, slot, 0, 1, new byte[3]))
                .toList();
        ScriptedPeer first = peer(2);
        hear(first, tokens);
        assertEquals(0, grants);
        near.onTaken(SLOTS, NOW);
        assertEquals(1, grants, "the first peer takes all of it");
        assertEquals(2 * SLOTS, near.counters().openSlots);
    }
}
