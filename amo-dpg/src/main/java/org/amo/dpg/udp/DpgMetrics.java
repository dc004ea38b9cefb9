package org.amo.dpg.udp;

/**
 * A site's figures at one moment, since its process began.
 *
 * @param delivered messages delivered with their body
 * @param dummies messages delivered without their body
 * @param digestsCompared how often this site's deliveries were compared with another site's
 * @param violations of these, how often the order differed: the live counter of order violations
 * @param contradictions statements about the order that contradict this site's knowledge
 * @param forced messages incorporated because Deliv_Cycle had passed
 * @param chosen of these, the ones chosen among several by their tags
 * @param returns absences after which this site began anew
 * @param astray of these, the ones after which messages that this site delivered may stand elsewhere at other sites
 * @param messagesSent 'message' PDUs sent
 * @param reportsSent 'report' PDUs sent
 * @param messageBytes bytes of 'message' PDUs sent
 * @param reportBytes bytes of 'report' PDUs sent, with the bodies sent again in them
 * @param remulticast bodies sent again for others
 * @param overflows messages for which there was no room
 * @param mostVertices most messages at a time that had no place in the order yet
 * @param epoch of the sequencer that is followed; 0 before the first
 * @param unauthentic datagrams dropped for want of a good seal
 * @param malformed datagrams dropped for their form
 * @param oversize reports that did not fit into a datagram
 */
public record DpgMetrics(
        long delivered,
        long dummies,
        long digestsCompared,
        long violations,
        long contradictions,
        long forced,
        long chosen,
        long returns,
        long astray,
        long messagesSent,
        long reportsSent,
        long messageBytes,
        long reportBytes,
        long remulticast,
        long overflows,
        int mostVertices,
        long epoch,
        long unauthentic,
        long malformed,
        long oversize) {

    /** Share of 'report' PDUs in the bytes of both, in percent; 0 if nothing was sent. */
    public double reportSharePercent() {
        long all = messageBytes + reportBytes;
        return all == 0 ? 0 : 100.0 * reportBytes / all;
    }
}
