package org.amo.examples.grid;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Runs one site of the grid in this process, over DPG: the sites of the other processes work on when it is killed. With it runs a tag
 * sequencer, if this process can have the address of one. Nothing outlasts the process; a site that is started again takes up its
 * place in the common order.
 *
 * <p>One thread asks it for lines.
 */
public final class GridProcess implements AutoCloseable {
    private static final int UNITS = 6;
    /** An operation takes half of the units at most. */
    private static final int MOST_NEED = 3;

    private static final long OPERATION_MICROS = 20_000;
    private static final long WAIT_MICROS = 500_000;

    private final Options options;
    private final DpgNetwork network;
    private final GridMember member;
    private final OptionalInt sequencer;
    private long doneBefore;
    private long timeoutsBefore;

    /**
     * A grid, and the part of this process in it.
     *
     * @param sites addresses of all sites, present or not; the same list in all processes
     * @param sequencers addresses of all tag sequencers, in the order in which they are asked; the same list in all processes
     * @param site index of the site, from 0; without it, the first whose address this process can have
     * @param numbers whether a tag sequencer may run here
     * @param secret of all processes, 16 bytes or more; without it, one that everybody knows
     */
    public record Options(
            List<InetSocketAddress> sites,
            List<InetSocketAddress> sequencers,
            OptionalInt site,
            boolean numbers,
            Optional<String> secret) {

        /** @throws IllegalArgumentException in one line, for addresses that are no grid */
        public Options {
            sites = List.copyOf(sites);
            sequencers = List.copyOf(sequencers);
            Set<InetSocketAddress> all = new HashSet<>(sites);
            all.addAll(sequencers);
            if (sites.isEmpty() || sequencers.isEmpty() || all.size() < sites.size() + sequencers.size()) {
                throw new IllegalArgumentException(
                        "a grid has a site and a sequencer at least, each with an address of its" + " own: sites="
                                + sites + " sequencers=" + sequencers);
            }
            if (site.isPresent() && (site.getAsInt() < 0 || site.getAsInt() >= sites.size())) {
                throw new IllegalArgumentException("there are the sites 1 to " + sites.size()
                        + ", and none with the number " + (site.getAsInt() + 1));
            }
        }
    }

    private GridProcess(Options options) throws IOException {
        this.options = options;
        this.network = new DpgNetwork(options.sites, options.sequencers, options.secret.orElse(DpgNetwork.SECRET));
        this.member = options.site.isPresent() ? member(options.site.getAsInt()) : firstFree();
        this.sequencer = options.numbers ? network.openFreeSequencer() : OptionalInt.empty();
    }

    /**
     * Starts the site.
     *
     * @throws IOException in one line, if its address is taken or not of this machine
     * @throws IllegalArgumentException in one line, if the secret is too short or there are too many sites
     */
    public static GridProcess start(Options options) throws IOException {
        return new GridProcess(options);
    }

    private GridMember member(int site) throws IOException {
        GridSettings settings = new GridSettings(options.sites.size(), UNITS, MOST_NEED, OPERATION_MICROS, WAIT_MICROS);
        return new GridMember(site, settings, 0, System.nanoTime(), network);
    }

    private GridMember firstFree() throws IOException {
        IOException last = new IOException();
        for (int site = 0; site < options.sites.size(); site++) {
            try {
                return member(site);
            } catch (IOException e) {
                // Another process has the address, or it is another machine's.
                last = e;
            }
        }
        throw new IOException(
                "this process can have the address of no site: each is taken or another machine's; the last: "
                        + last.getMessage(),
                last);
    }

    /** Which site it is, where, and with which sequencer. */
    public String title() {
        return "site " + number() + " of " + options.sites.size() + " at " + text(options.sites.get(member.id()))
                + (sequencer.isPresent() ? " with tag sequencer " + (sequencer.getAsInt() + 1) : "");
    }

    private int number() {
        return member.id() + 1;
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Of each unit the site that works with it or waits for more of them, or "-". */
    public String holders() {
        return "units " + member.holders();
    }

    /** What the site did since the last call, and the holders now. */
    public String progress() {
        long done = member.done();
        long timeouts = member.timeouts();
        String line = "site " + number() + ": " + (done - doneBefore) + " operations, " + (timeouts - timeoutsBefore)
                + " requests timed out; " + holders();
        doneBefore = done;
        timeoutsBefore = timeouts;
        return line;
    }

    /** Goes at once, as a site that is killed. */
    @Override
    public void close() {
        member.close();
        network.close();
    }
}
