package org.amo.exon.udp;

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
        long unsendable) {
    static ExonFigures of(ExonCounters counters, long unsendable) {
        return new ExonFigures(
                counters.delivered(),
                counters.repeated(),
                counters.unauthentic(),
                counters.malformed(),
                counters.peers(),
                counters.sendRecords(),
                counters.receiveRecords(),
                counters.openSlots(),
                counters.heldUnits(),
                unsendable);
    }
}
