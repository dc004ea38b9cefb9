package org.amo.exon.udp;

import java.util.Optional;
import org.amo.exon.ExonCounters;

/**
 * A node's figures at one moment.
 *
 * @param delivered messages handed to the application
 * @param repeated tokens that came again
 * @param unauthentic datagrams dropped for want of a good seal
 * @param malformed datagrams dropped for their form
 * @param peers nodes of which anything is remembered
 * @param sendRecords |S|
 * @param receiveRecords |R|
 * @param openSlots slots granted and not used
 * @param heldUnits datagrams' worth of messages that are not whole or not taken
 * @param unsendable datagrams that the socket did not take
 * @param replayed encrypted datagrams dropped since they came before, or may have
 * @param handshakes handshakes that ended in keys
 */
public record ExonFigures(
        long delivered,
        long repeated,
        long unauthentic,
        long malformed,
        int peers,
        int sendRecords,
        int receiveRecords,
        long openSlots,
        long heldUnits,
        long unsendable,
        long replayed,
        long handshakes) {
    static ExonFigures of(ExonCounters counters, long unsendable, Optional<SecureLinks> links) {
        return new ExonFigures(
                counters.delivered(),
                counters.repeated(),
                counters.unauthentic() + links.map(SecureLinks::unauthentic).orElse(0L),
                counters.malformed() + links.map(SecureLinks::malformed).orElse(0L),
                counters.peers(),
                counters.sendRecords(),
                counters.receiveRecords(),
                counters.openSlots(),
                counters.heldUnits(),
                unsendable,
                links.map(SecureLinks::replayed).orElse(0L),
                links.map(SecureLinks::agreed).orElse(0L));
    }
}
