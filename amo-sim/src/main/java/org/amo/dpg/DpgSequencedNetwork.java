package org.amo.dpg;

import org.amo.dpg.TagSequencer.Numbered;
import org.amo.sim.SimWorld;

/**
 * Datagrams that are lost and overtake each other, and a tag sequencer (Konorski, section 3.3) that numbers those of this group
 * and of another. A sender repeats its tag until it is numbered. Sometimes another sequencer takes over.
 */
final class DpgSequencedNetwork extends DpgCarrier {
    private static final long REPEAT_MICROS = 3_000;
    private static final long SECRET = 0x5DEECE66DL;

    private final long spreadMicros;
    private long epoch = 1;
    private final int repeats;
    private TagSequencer sequencer;

    /** @param replaceMillis mean time between replacements of the sequencer, 0 for never */
    DpgSequencedNetwork(SimWorld world, double loss, long replaceMillis) {
        super(world, loss);
        this.spreadMicros = world.between(50, 1_500);
        this.repeats = (int) world.between(1, 4);
        this.sequencer = new TagSequencer(epoch, repeats, 4_096);
        foreignTraffic();
        replaceEvery(replaceMillis);
    }

    /** The proof that the group's members compute to recognise its tags. */
    static long proof(long nonce) {
        return (nonce ^ SECRET) * 0x9E3779B97F4A7C15L;
    }

    private void replaceEvery(long meanMillis) {
        if (meanMillis > 0) {
            world.after(world.about(meanMillis * 1_000), () -> {
                if (!isHealed()) {
                    world.fault("sequencer replaced");
                    sequencer = new TagSequencer(++epoch, repeats, 4_096);
                    replaceEvery(meanMillis);
                }
            });
        }
    }

    private void foreignTraffic() {
        world.after(world.about(6_000), () -> {
            multicast(sequencer.onTag(new PduTag(world.bits(), world.bits())));
            foreignTraffic();
        });
    }

    @Override
    void send(DpgSimSite from, Object content, int bytes) {
        Pdu pdu = new Pdu(from, from.life(), content, bytes, world.nowMicros());
        PduTag tag = new PduTag(world.bits(), 0);
        PduTag proven = new PduTag(tag.nonce(), proof(tag.nonce()));
        for (DpgSimSite site : sites()) {
            if (site == from) {
                world.after(1, () -> site.arriveAnyhow(proven.nonce(), pdu));
            } else if (!areApart(from, site) && !isLost()) {
                world.after(100 + world.between(0, spreadMicros), () -> site.arriveAnyhow(proven.nonce(), pdu));
            }
        }
        announce(pdu, proven, new boolean[1]);
    }

    private void announce(Pdu pdu, PduTag tag, boolean[] numbered) {
        boolean gone = pdu.from().life() != pdu.life();
        boolean outdated = pdu.content() instanceof Report && world.nowMicros() - pdu.sentMicros() > 10 * REPEAT_MICROS;
        if (numbered[0] || gone || outdated) {
            return;
        }
        if (!pdu.from().isCut() && !isLost()) {
            world.after(100 + world.between(0, spreadMicros), () -> {
                if (!numbered[0]) {
                    numbered[0] = true;
                    carried(pdu);
                    multicast(sequencer.onTag(tag));
                }
            });
        }
        world.after(REPEAT_MICROS, () -> announce(pdu, tag, numbered));
    }

    private void multicast(Numbered numbered) {
        for (DpgSimSite site : sites()) {
            if (!site.isCut() && !isLost()) {
                world.after(100 + world.between(0, spreadMicros), () -> site.arriveNumbered(numbered));
            }
        }
    }

    @Override
    void drop(DpgSimSite from) {
        // Its datagrams are on their way.
    }
}
