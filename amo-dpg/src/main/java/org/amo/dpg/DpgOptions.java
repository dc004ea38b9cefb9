package org.amo.dpg;

/**
 * The limits and times of a site; the times in microseconds.
 *
 * @param maxBodyBytes longest body that {@link DpgSite#submit} takes. Default 32,000
 * @param orderingBuffers bodies of others that a site holds. Default 1,024
 * @param admissionBuffers own bodies that wait to be sent or that not all sites have delivered. Default 256
 * @param keptBuffers most own messages in all: those in the admission buffers, and those that were delivered here and not yet at
 *     all present sites. A site that leaves silently counts as present until it is absent: messages that the others send until
 *     then must find room, or they wait for that site. Default: as many as there are admission buffers, so that these wait for
 *     the slowest site
 * @param maxVertices most vertices of G that are not incorporated. Default 1,024
 * @param maxOrder most vertices that are incorporated and not yet removed. Default 4,096
 * @param reportOrder how many of these a report has, if no present site is further behind. Default 256
 * @param maxSites most other sites that a site knows of at a time. Default 256
 * @param maxRemulticastBytes most bytes of bodies that a report sends again; one body goes in any case. Default 8,000
 * @param reportMicros Report_Cycle: between two reports of the whole group. Default 8 ms; the paper keeps reports within 20 % of
 *     the traffic
 * @param forceMicros Deliv_Cycle in its first role: how long successors of L_DELIV must be known until their order is forced. It
 *     must outlast several reports of each site. Default 60 ms
 * @param giveUpMicros Deliv_Cycle in its second role: how long a deliverable body is waited for. Default 500 ms
 * @param retrievalMicros Retr_Cycle: a lost body is asked for again. Default 25 ms
 * @param absenceMicros a site that was silent for so long is absent; one that was not run for so long was. Default 150 ms
 * @param returnReports a site that comes back anchors after so many reports. Default 5
 * @param leastMessageMicros the least Message_Cycle. Default 1 us
 * @param mostMessageMicros the longest Message_Cycle. Default 200 ms
 * @param deltaMicros Delta, by which Message_Cycle changes. Default 100 us
 * @param flowControlMicros Fc_Cycle. Default 10 ms
 * @param messageMicros what a 'message' PDU is worth; see {@link Builder#countMessages}. Default 0: the clock alone counts
 * @param idleMicros how long no message comes until the clock counts; see {@link Builder#countMessages}
 * @param rateWindowMicros see {@link Builder#synchroniseClockRates}. Default 0: off
 * @param unseenMicros how long an own message that no site reports counts as on its way; then it gets a place without the
 *     medium. Default 0: twice Deliv_Cycle, or once if there is no other site. Set it longer if the network itself repeats lost
 *     PDUs: a message that gets its place twice delays all sites
 * @param ownMessages how the network treats own messages. Default LOOPED_BACK
 */
public record DpgOptions(
        int maxBodyBytes,
        int orderingBuffers,
        int admissionBuffers,
        int keptBuffers,
        int maxVertices,
        int maxOrder,
        int reportOrder,
        int maxSites,
        int maxRemulticastBytes,
        long reportMicros,
        long forceMicros,
        long giveUpMicros,
        long retrievalMicros,
        long absenceMicros,
        int returnReports,
        long leastMessageMicros,
        long mostMessageMicros,
        long deltaMicros,
        long flowControlMicros,
        long messageMicros,
        long idleMicros,
        long rateWindowMicros,
        long unseenMicros,
        OwnMessages ownMessages) {

    /** @throws IllegalArgumentException naming the setting that does not fit the others */
    public DpgOptions {
        atLeast("maxBodyBytes", maxBodyBytes, 1);
        atLeast("orderingBuffers", orderingBuffers, 1);
        atLeast("admissionBuffers", admissionBuffers, 1);
        atLeast("keptBuffers", keptBuffers, admissionBuffers);
        atLeast("maxVertices", maxVertices, 4);
        atLeast("maxOrder", maxOrder, 4);
        atLeast("reportOrder", reportOrder, 2);
        atLeast("maxSites", maxSites, 1);
        atLeast("maxRemulticastBytes", maxRemulticastBytes, 1);
        atLeast("reportMicros", reportMicros, 1);
        atLeast("returnReports", returnReports, 1);
        atLeast("leastMessageMicros", leastMessageMicros, 1);
        atLeast("mostMessageMicros", mostMessageMicros, leastMessageMicros);
        atLeast("deltaMicros", deltaMicros, 1);
        atLeast("flowControlMicros", flowControlMicros, 1);
        atLeast("retrievalMicros", retrievalMicros, 1);
        atLeast("unseenMicros", unseenMicros, 0);
        if (forceMicros <= 2 * reportMicros) {
            throw new IllegalArgumentException(
                    "forcing must outlast reports: force=" + forceMicros + " must exceed 2 x report=" + reportMicros);
        }
        if (giveUpMicros <= retrievalMicros || giveUpMicros <= forceMicros) {
            throw new IllegalArgumentException("giving up must outlast retrieval and forcing: giveUp=" + giveUpMicros
                    + " retrieval=" + retrievalMicros + " force=" + forceMicros);
        }
        if (messageMicros > 0 && (messageMicros > reportMicros || idleMicros < messageMicros)) {
            throw new IllegalArgumentException("a message is worth at most a report's cycle, and no more than idling:"
                    + " message=" + messageMicros + " report=" + reportMicros + " idle=" + idleMicros);
        }
        if (absenceMicros <= 2 * reportMicros) {
            throw new IllegalArgumentException("absence must outlast reports: absence=" + absenceMicros
                    + " must exceed 2 x report=" + reportMicros);
        }
    }

    /**
     * For so long a report counts as its site's consent to the order that it plans. A site that forces has known all successors for
     * longer: its reports since then tell of them.
     */
    long consentMicros() {
        return Math.min(absenceMicros / 2, forceMicros);
    }

    public static Builder builder() {
        return new Builder();
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + value);
        }
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private int maxBodyBytes = 32_000;
        private int orderingBuffers = 1_024;
        private int admissionBuffers = 256;
        private int keptBuffers;
        private int maxVertices = 1_024;
        private int maxOrder = 4_096;
        private int reportOrder = 256;
        private int maxSites = 256;
        private int maxRemulticastBytes = 8_000;
        private long reportMicros = 8_000;
        private long forceMicros = 60_000;
        private long giveUpMicros = 500_000;
        private long retrievalMicros = 25_000;
        private long absenceMicros = 150_000;
        private int returnReports = 5;
        private long leastMessageMicros = 1;
        private long mostMessageMicros = 200_000;
        private long deltaMicros = 100;
        private long flowControlMicros = 10_000;
        private long messageMicros;
        private long idleMicros;
        private long rateWindowMicros;
        private long unseenMicros;
        private OwnMessages ownMessages = OwnMessages.LOOPED_BACK;

        private Builder() {}

        public Builder maxBodyBytes(int bytes) {
            maxBodyBytes = bytes;
            return this;
        }

        /** Most bodies of others, and most own ones. */
        public Builder buffers(int ordering, int admission) {
            orderingBuffers = ordering;
            admissionBuffers = admission;
            return this;
        }

        public Builder keptBuffers(int own) {
            keptBuffers = own;
            return this;
        }

        /** Most vertices that are not incorporated, most that are, and how many of these a report has. */
        public Builder graph(int vertices, int order, int inReport) {
            maxVertices = vertices;
            maxOrder = order;
            reportOrder = inReport;
            return this;
        }

        public Builder maxSites(int sites) {
            maxSites = sites;
            return this;
        }

        public Builder maxRemulticastBytes(int bytes) {
            maxRemulticastBytes = bytes;
            return this;
        }

        public Builder reportMicros(long micros) {
            reportMicros = micros;
            return this;
        }

        /** Deliv_Cycle in its two roles: until an order is forced, and until a body is given up. */
        public Builder deliveryMicros(long force, long giveUp) {
            forceMicros = force;
            giveUpMicros = giveUp;
            return this;
        }

        public Builder retrievalMicros(long micros) {
            retrievalMicros = micros;
            return this;
        }

        /** A site that was silent for so long is absent; one that comes back anchors after so many reports. */
        public Builder absence(long micros, int reports) {
            absenceMicros = micros;
            returnReports = reports;
            return this;
        }

        /** Message_Cycle: its bounds, Delta, and Fc_Cycle. */
        public Builder flowControl(long leastMicros, long mostMicros, long delta, long cycleMicros) {
            leastMessageMicros = leastMicros;
            mostMessageMicros = mostMicros;
            deltaMicros = delta;
            flowControlMicros = cycleMicros;
            return this;
        }

        /**
         * All times in counted messages (section 6): each 'message' PDU that is received is worth so much time, and the clock
         * counts only while none has come for {@code idle}. Off by default: the clock alone counts.
         */
        public Builder countMessages(long messageMicros, long idle) {
            atLeast("messageMicros", messageMicros, 1);
            this.messageMicros = messageMicros;
            idleMicros = idle;
            return this;
        }

        /**
         * Clock rate synchronisation by reports (section 4): times run by the median rate of the present sites' clocks. Of each
         * window the least delayed report of a site counts; windows of seconds tell rates to some millionths. Off by default:
         * nothing here needs clocks that agree better than to one part in 1,000.
         */
        public Builder synchroniseClockRates(long windowMicros) {
            atLeast("windowMicros", windowMicros, 1);
            rateWindowMicros = windowMicros;
            return this;
        }

        public Builder unseenMicros(long micros) {
            unseenMicros = micros;
            return this;
        }

        public Builder ownMessages(OwnMessages own) {
            ownMessages = own;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public DpgOptions build() {
            return new DpgOptions(
                    maxBodyBytes,
                    orderingBuffers,
                    admissionBuffers,
                    keptBuffers == 0 ? admissionBuffers : keptBuffers,
                    maxVertices,
                    maxOrder,
                    reportOrder,
                    maxSites,
                    maxRemulticastBytes,
                    reportMicros,
                    forceMicros,
                    giveUpMicros,
                    retrievalMicros,
                    absenceMicros,
                    returnReports,
                    leastMessageMicros,
                    mostMessageMicros,
                    deltaMicros,
                    flowControlMicros,
                    messageMicros,
                    idleMicros,
                    rateWindowMicros,
                    unseenMicros,
                    ownMessages);
        }
    }
}
