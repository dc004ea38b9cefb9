package org.amo.exon;

/**
 * A model of a TCP flow with endless data, from a to b of a {@link LinkSimulation}: each packet is acknowledged alone, and a lost one is
 * found a round trip after it left.
 */
abstract class CompetingFlow {
    static final int PAYLOAD = 1_448;
    static final int PACKET = PAYLOAD + 52;

    final LinkSimulation link;
    int inFlight;

    /** Payload, in bytes. */
    long delivered;

    private double srtt;
    private long deliveredMicros;
    private long firstSentMicros;

    CompetingFlow(LinkSimulation link) {
        this.link = link;
        this.srtt = 2.0 * link.oneWayMicros();
    }

    /**
     * A packet that left.
     *
     * @param deliveredBefore payload, when it left
     * @param deliveredMicros the time of that delivery
     * @param firstSentMicros when the packet that was acknowledged then had left
     */
    record Sent(long micros, long deliveredBefore, long deliveredMicros, long firstSentMicros) {}

    /** Sends as much as it may now. */
    abstract void pump();

    abstract void onAck(Sent packet);

    abstract void onLoss(Sent packet);

    void start() {
        link.at(link.now(), this::pump);
    }

    double smoothedRttMicros() {
        return srtt;
    }

    /** Of delivery while this packet was under way, in bytes a microsecond: the slower of sending and of being acknowledged. */
    double rate(Sent packet) {
        long micros = Math.max(deliveredMicros - packet.deliveredMicros(), packet.micros() - packet.firstSentMicros());
        return micros > 0 ? (delivered - packet.deliveredBefore()) / (double) micros : 0;
    }

    void transmit() {
        if (inFlight++ == 0) {
            deliveredMicros = link.now();
            firstSentMicros = link.now();
        }
        Sent packet = new Sent(link.now(), delivered, deliveredMicros, firstSentMicros);
        link.forward(
                0,
                PACKET,
                () -> link.at(link.now() + link.oneWayMicros(), () -> acknowledged(packet)),
                () -> link.at(link.now() + (long) srtt, () -> lost(packet)));
    }

    private void acknowledged(Sent packet) {
        inFlight--;
        delivered += PAYLOAD;
        deliveredMicros = link.now();
        srtt += (link.now() - packet.micros() - srtt) / 8;
        onAck(packet);
        firstSentMicros = packet.micros();
        pump();
    }

    private void lost(Sent packet) {
        inFlight--;
        onLoss(packet);
        pump();
    }
}
