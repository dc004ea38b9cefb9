package org.amo.dpg;

/** Limits and times of a site; the times in microseconds. Immutable. */
public final class DpgOptions {
    final int maxBodyBytes;
    final int orderingBuffers;
    final int admissionBuffers;
    final int keptBuffers;
    final int maxVertices;
    final int maxOrder;
    final int reportOrder;
    final int maxSites;
    final int maxRemulticastBytes;
    final long reportMicros;
    final long forceMicros;
    final long giveUpMicros;
    final long retrievalMicros;
    final long absenceMicros;
    final int returnReports;
    final long leastMessageMicros;
    final long mostMessageMicros;
    final long deltaMicros;
    final long flowControlMicros;
    final long messageMicros;
    final long idleMicros;
    final long rateWindowMicros;
    final long unseenMicros;
    final OwnMessages ownMessages;

    private DpgOptions(Builder builder) {
        maxBodyBytes = builder.maxBodyBytes;
        orderingBuffers = builder.orderingBuffers;
        admissionBuffers = builder.admissionBuffers;
        keptBuffers = builder.keptBuffers == 0 ? builder.admissionBuffers : builder.keptBuffers;
        maxVertices = builder.maxVertices;
        maxOrder = builder.maxOrder;
        reportOrder = builder.reportOrder;
        maxSites = builder.maxSites;
        maxRemulticastBytes = builder.maxRemulticastBytes;
        reportMicros = builder.reportMicros;
        forceMicros = builder.forceMicros;
        giveUpMicros = builder.giveUpMicros;
        retrievalMicros = builder.retrievalMicros;
        absenceMicros = builder.absenceMicros;
        returnReports = builder.returnReports;
        leastMessageMicros = builder.leastMessageMicros;
        mostMessageMicros = builder.mostMessageMicros;
        deltaMicros = builder.deltaMicros;
        flowControlMicros = builder.flowControlMicros;
        messageMicros = builder.messageMicros;
        idleMicros = builder.idleMicros;
        rateWindowMicros = builder.rateWindowMicros;
        unseenMicros = builder.unseenMicros;
        ownMessages = builder.ownMessages;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Longest body that {@link DpgSite#submit} takes. */
    public int maxBodyBytes() {
        return maxBodyBytes;
    }

    /** A site that was silent for so long is absent, in microseconds; one that was not run for so long was. */
    public long absenceMicros() {
        return absenceMicros;
    }

    /** Collects the settings; {@link #build} checks them. */
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

        /** Longest body that {@link DpgSite#submit} takes. */
        public Builder maxBodyBytes(int bytes) {
            maxBodyBytes = bytes;
            return this;
        }

        /** Bodies of others that a site holds, and own ones: those that wait to be sent or that not all sites have delivered. */
        public Builder buffers(int ordering, int admission) {
            orderingBuffers = ordering;
            admissionBuffers = admission;
            return this;
        }

        /**
         * Most own messages in all: those in the admission buffers, and those that were delivered here and not yet at all
         * present sites. A site that leaves silently counts as present until it is absent: messages that the others send
         * until then must find room, or they wait for that site. Default: as many as there are admission buffers, so that
         * these wait for the slowest site.
         */
        public Builder keptBuffers(int own) {
            keptBuffers = own;
            return this;
        }

        /**
         * Most vertices of G that are not incorporated; most that are and not yet removed; how many of these a report has, if
         * no present site is further behind.
         */
        public Builder graph(int vertices, int order, int inReport) {
            maxVertices = vertices;
            maxOrder = order;
            reportOrder = inReport;
            return this;
        }

        /** Most other sites that a site knows of at a time. */
        public Builder maxSites(int sites) {
            maxSites = sites;
            return this;
        }

        /** Most bytes of bodies that a report sends again. One body goes in any case. */
        public Builder maxRemulticastBytes(int bytes) {
            maxRemulticastBytes = bytes;
            return this;
        }

        /** Report_Cycle: between two reports of the whole group. The paper keeps them within 20 % of the traffic. */
        public Builder reportMicros(long micros) {
            reportMicros = micros;
            return this;
        }

        /**
         * Deliv_Cycle in its two roles: how long successors of L_DELIV must be known until their order is forced, and how long
         * a deliverable body is waited for. The first must outlast several reports of each site.
         */
        public Builder deliveryMicros(long force, long giveUp) {
            forceMicros = force;
            giveUpMicros = giveUp;
            return this;
        }

        /** Retr_Cycle: a lost body is asked for again. */
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

        /**
         * How long an own message that no site reports counts as on its way; then it gets a place without the medium.
         * Default 0: twice Deliv_Cycle, or once if there is no other site. Set it longer if the network itself repeats lost
         * PDUs: a message that gets its place twice delays all sites.
         */
        public Builder unseenMicros(long micros) {
            unseenMicros = micros;
            return this;
        }

        /** How the network treats own messages. */
        public Builder ownMessages(OwnMessages own) {
            ownMessages = own;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public DpgOptions build() {
            atLeast("maxBodyBytes", maxBodyBytes, 1);
            atLeast("orderingBuffers", orderingBuffers, 1);
            atLeast("admissionBuffers", admissionBuffers, 1);
            atLeast("keptBuffers", keptBuffers == 0 ? admissionBuffers : keptBuffers, admissionBuffers);
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
                throw new IllegalArgumentException("forcing must outlast reports: force=" + forceMicros
                        + " must exceed 2 x report=" + reportMicros);
            }
            if (giveUpMicros <= retrievalMicros || giveUpMicros <= forceMicros) {
                throw new IllegalArgumentException("giving up must outlast retrieval and forcing: giveUp="
                        + giveUpMicros + " retrieval=" + retrievalMicros + " force=" + forceMicros);
            }
            if (messageMicros > 0 && (messageMicros > reportMicros || idleMicros < messageMicros)) {
                throw new IllegalArgumentException(
                        "a message is worth at most a report's cycle, and no more than idling:" + " message="
                                + messageMicros + " report=" + reportMicros + " idle=" + idleMicros);
            }
            if (absenceMicros <= 2 * reportMicros) {
                throw new IllegalArgumentException("absence must outlast reports: absence=" + absenceMicros
                        + " must exceed 2 x report=" + reportMicros);
            }
            return new DpgOptions(this);
        }

        private static void atLeast(String name, long value, long least) {
            if (value < least) {
                throw new IllegalArgumentException(name + " must be at least " + least + ": " + value);
            }
        }
    }
}
