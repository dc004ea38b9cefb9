package org.amo.dpg.udp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.dpg.PduTag;
import org.amo.dpg.TagSequencer;
import org.amo.dpg.TagSequencer.Numbered;
import org.jspecify.annotations.Nullable;

/**
 * Runs a tag sequencer (Konorski, section 3.3) in datagrams. It numbers nothing until it is asked by a site that has heard
 * no higher epoch than its own; then it begins an epoch above all that it has heard of. So a standby takes over when the
 * first site turns to it, a restarted one begins anew, and sites follow the highest epoch.
 *
 * <p>Invariant: no two sequencers begin the same epoch, since its low bits are the place of the sequencer in the sites' settings, and
 * no two lives of one do, since the bits above are drawn at random behind the milliseconds of its clock.
 *
 * <p>It numbers for all sites that know the sequencers' secret and tells its numbers to all that have said that they are
 * there. A copy of a datagram adds no site, moves none and has no tag numbered: each instance of a site counts its datagrams, and is
 * where the one with the highest count came from. A sequencer that has just started knows no counts. So an instance must first name an
 * epoch that this process began; a recording from before cannot. Nothing is durable. Its shell provides the socket, the clock and the one thread that owns it; for UDP that is
 * {@link DpgSequencer}. After inputs, the datagrams of {@link #take} are to be sent to the {@link #subscribers}, or
 * multicast.
 *
 * @param <A> an address
 */
public final class SequencerNode<A> {
    /** Most sequencers of a group: as many as an epoch's low bits tell apart. */
    static final int MOST = 256;

    private static final int INDEX_BITS = 8;
    private static final int RANDOM_BITS = 12;
    private static final long MOST_EPOCH = Long.MAX_VALUE / 4;

    private static final int REPEATS = 8;
    private static final int MEMORY = 8_192;
    private static final int MOST_SUBSCRIBERS = 1_024;
    private static final int MOST_GONE = 8_192;
    private static final int AT_ONCE = 400;
    /** How far a datagram may be overtaken by others of its instance. */
    private static final int REORDERED = Long.SIZE;

    /** A site that has not been heard for so long is told no numbers any more. */
    private static final long SUBSCRIBED_MICROS = 3_000_000;

    private final Seal seal;
    private final int index;
    private final LongSupplier random;
    private long clockMillis;

    /** By the instances of their processes; the one that has been silent longest first. */
    private final Map<Long, Subscriber<A>> subscribers = new LinkedHashMap<>();
    /** Highest counts of instances that are told nothing any more, so that no copy brings them back. */
    private final Map<Long, Long> gone = new LinkedHashMap<>();

    private final List<Numbered> outgoing = new ArrayList<>();
    private @Nullable TagSequencer sequencer;
    private long epoch;
    private long epochs;
    /** Whether a site asks that has not named the epoch: it is told, with numbers or without. */
    private boolean tellsEpoch;

    private long unauthentic;
    private long malformed;

    /**
     * @param count the highest of its datagrams
     * @param heard bit n: the datagram n before that one came, too
     * @param current whether the instance has named an epoch of this process
     */
    private record Subscriber<S>(S address, long count, long heard, boolean current, long heardMicros) {}

    /**
     * Figures at one moment.
     *
     * @param epoch that it numbers in; 0 before the first
     * @param epochs begun in this life
     * @param numbered tags in this epoch
     * @param sites heard lately
     * @param unauthentic datagrams dropped for want of a good seal
     * @param malformed datagrams dropped for their form
     */
    public record Figures(long epoch, long epochs, long numbered, int sites, long unauthentic, long malformed) {}

    /**
     * @param secret the sequencers' secret, or the group's where it has no own
     * @param index place of this sequencer in the settings of the sites, 0 to 255
     * @param clockMillis a clock that has advanced since an earlier life of this sequencer, in milliseconds; 41 bits count
     */
    public SequencerNode(String secret, int index, long clockMillis, LongSupplier random) {
        if (index < 0 || index >= MOST) {
            throw new IllegalArgumentException("index must be 0 to " + (MOST - 1) + ": " + index);
        }
        this.seal = DpgFrames.sequencerSeal(secret.getBytes(StandardCharsets.UTF_8));
        this.index = index;
        this.clockMillis = clockMillis;
        this.random = random;
    }

    /** As above, with the sequencers' secret in the sites' options. */
    public SequencerNode(DpgNodeOptions options, int index, long clockMillis, LongSupplier random) {
        this(new String(options.sequencerSecret(), StandardCharsets.UTF_8), index, clockMillis, random);
    }

    static int indexOf(long epoch) {
        return (int) (epoch & (MOST - 1));
    }

    /** A datagram came, from any sender. This returns normally for any content. */
    public void onDatagram(A from, byte[] datagram, long nowMicros) {
        if (!DpgFrames.isSealed(seal, datagram)) {
            unauthentic++;
            return;
        }
        try {
            onTags(from, DpgFrames.decodeTags(datagram), nowMicros);
        } catch (MalformedFrameException e) {
            malformed++;
        }
    }

    /** A site asks for numbers, or says that it is there. */
    void onTags(A from, DpgFrames.Tags tags, long nowMicros) {
        if (tags.sequencer() != index) {
            return; // where networks cannot tell sequencers apart, all hear everything
        }
        if (!subscribe(from, tags, nowMicros) || tags.tags().isEmpty()) {
            return;
        }
        if (sequencer == null || tags.heardEpoch() > epoch) {
            if (tags.heardEpoch() > MOST_EPOCH) {
                malformed++; // such an epoch would leave no room for a successor
                return;
            }
            begin(tags.heardEpoch());
        }
        if (!Objects.requireNonNull(subscribers.get(tags.instance())).current()) {
            tellsEpoch = true;
            return; // the site sends them again, and names the epoch
        }
        TagSequencer numbers = Objects.requireNonNull(sequencer);
        for (PduTag tag : tags.tags()) {
            add(numbers.onTag(tag));
        }
    }

    /** Returns false for a copy. A datagram that others have overtaken is none, but the site is where the later ones came from. */
    private boolean subscribe(A from, DpgFrames.Tags tags, long nowMicros) {
        long instance = tags.instance();
        Subscriber<A> known = subscribers.get(instance);
        long highest = known == null ? gone.getOrDefault(instance, 0L) : known.count();
        long behind = highest - tags.count();
        boolean current = (known != null && known.current()) || (epoch > 0 && tags.heardEpoch() == epoch);
        if (behind >= 0) {
            long bit = behind < REORDERED ? 1L << behind : 0;
            if (known == null || bit == 0 || (known.heard() & bit) != 0) {
                return false;
            }
            // In its place among the others: being heard late is no sign of life.
            subscribers.put(
                    instance,
                    new Subscriber<>(known.address(), highest, known.heard() | bit, current, known.heardMicros()));
            return true;
        }
        gone.remove(instance);
        subscribers.remove(instance);
        if (subscribers.size() >= MOST_SUBSCRIBERS) {
            // If it lives, its next datagram brings it back.
            removeLongestSilent();
        }
        long heard = known == null || -behind >= REORDERED ? 1 : known.heard() << -behind | 1;
        subscribers.put(instance, new Subscriber<>(from, tags.count(), heard, current, nowMicros));
        return true;
    }

    private void removeLongestSilent() {
        Iterator<Map.Entry<Long, Subscriber<A>>> all = subscribers.entrySet().iterator();
        Map.Entry<Long, Subscriber<A>> first = all.next();
        gone.put(first.getKey(), first.getValue().count());
        all.remove();
        if (gone.size() > MOST_GONE) {
            gone.remove(gone.keySet().iterator().next());
        }
    }

    private void begin(long heard) {
        clockMillis = Math.max(clockMillis, heard >>> (INDEX_BITS + RANDOM_BITS)) + 1;
        long drawn = random.getAsLong() & ((1 << RANDOM_BITS) - 1);
        epoch = (clockMillis << RANDOM_BITS | drawn) << INDEX_BITS | index;
        sequencer = new TagSequencer(epoch, REPEATS, MEMORY);
        outgoing.clear();
        epochs++;
    }

    /** Numbers that continue the last ones waiting to be sent go with them. */
    private void add(Numbered numbered) {
        long numberedEnd = numbered.first() + numbered.tags().size();
        for (Numbered each : outgoing) {
            if (each.first() <= numbered.first()
                    && numberedEnd <= each.first() + each.tags().size()) {
                return; // said already
            }
        }
        if (!outgoing.isEmpty()) {
            Numbered last = outgoing.get(outgoing.size() - 1);
            long end = last.first() + last.tags().size();
            long known = end - numbered.first();
            boolean joins = numbered.first() >= last.first() && known >= 0;
            if (joins && last.tags().size() + numbered.tags().size() <= AT_ONCE) {
                if (known < numbered.tags().size()) {
                    List<PduTag> tags = new ArrayList<>(last.tags());
                    tags.addAll(
                            numbered.tags().subList((int) known, numbered.tags().size()));
                    outgoing.set(outgoing.size() - 1, new Numbered(epoch, last.first(), tags));
                }
                return;
            }
        }
        outgoing.add(numbered);
    }

    /** Datagrams that are to be multicast now; they are forgotten here. */
    public List<byte[]> take() {
        return takeNumbered().stream()
                .map(numbered -> seal.sealed(DpgFrames.encode(numbered)))
                .toList();
    }

    List<Numbered> takeNumbered() {
        List<Numbered> taken = List.copyOf(outgoing);
        if (tellsEpoch && taken.isEmpty()) {
            taken = List.of(
                    new Numbered(epoch, Objects.requireNonNull(sequencer).numbered() + 1, List.of()));
        }
        tellsEpoch = false;
        outgoing.clear();
        return taken;
    }

    /** The sites to tell: all that were heard lately. */
    public List<A> subscribers(long nowMicros) {
        while (!subscribers.isEmpty() && nowMicros - longestSilent().heardMicros() > SUBSCRIBED_MICROS) {
            removeLongestSilent();
        }
        // A site that has been started again may be there twice for a moment.
        return subscribers.values().stream().map(Subscriber::address).distinct().toList();
    }

    private Subscriber<A> longestSilent() {
        return subscribers.values().iterator().next();
    }

    /** Figures at this moment. */
    public Figures figures(long nowMicros) {
        long numbered = sequencer == null ? 0 : sequencer.numbered();
        return new Figures(epoch, epochs, numbered, subscribers(nowMicros).size(), unauthentic, malformed);
    }
}
