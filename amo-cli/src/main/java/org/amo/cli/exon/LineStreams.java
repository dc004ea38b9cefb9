package org.amo.cli.exon;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.amo.cli.ExitCodes;

/**
 * Puts the lines of each sender in order and prints them. Memory of lines that have come too early is bounded: a stream that
 * would pass the bound is dropped, and its sender hears so at its end. One thread owns it.
 */
final class LineStreams {
    static final int MOST_STREAMS = 64;

    /** Of lines that wait for earlier ones, of all streams; a sender has at most an eighth of it under way. */
    private static final long MOST_EARLY_BYTES = 8L << 20;

    private static final int LINE_OVERHEAD = 100;

    private final OutputStream out;
    private final Map<Long, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);
    private long earlyBytes;

    private static final class Stream {
        long next;
        final TreeMap<Long, byte[]> early = new TreeMap<>();
    }

    LineStreams(OutputStream out) {
        this.out = out;
    }

    /** Prints the line, and those that waited for it. */
    void onLine(TransferWire.Line line) throws IOException {
        Stream stream = streams.get(line.stream());
        if (stream == null) {
            makeRoom();
            stream = new Stream();
            streams.put(line.stream(), stream);
        }
        if (line.number() < stream.next || stream.early.containsKey(line.number())) {
            return;
        }
        stream.early.put(line.number(), line.bytes());
        earlyBytes += size(line.bytes());
        boolean printed = false;
        for (byte[] due = stream.early.remove(stream.next); due != null; due = stream.early.remove(stream.next)) {
            earlyBytes -= size(due);
            out.write(due);
            out.write('\n');
            stream.next++;
            printed = true;
        }
        if (printed) {
            out.flush();
        }
        if (earlyBytes > MOST_EARLY_BYTES) {
            forget(stream);
            streams.remove(line.stream());
        }
    }

    /** Answers how many lines of the stream are printed. */
    TransferAnswer onEnd(TransferWire.Line end) {
        Stream stream = streams.get(end.stream());
        long printed = stream == null ? 0 : stream.next;
        if (printed == end.number()) {
            return TransferAnswer.arrived(printed);
        }
        return TransferAnswer.refused(
                ExitCodes.CHECK_FAILED,
                "the receiver has printed " + printed + " of " + end.number()
                        + " lines: it was started again meanwhile, or was short of memory; look there which are"
                        + " missing");
    }

    private void makeRoom() {
        Iterator<Stream> all = streams.values().iterator();
        while (streams.size() >= MOST_STREAMS && all.hasNext()) {
            forget(all.next());
            all.remove();
        }
    }

    private void forget(Stream stream) {
        stream.early.values().forEach(line -> earlyBytes -= size(line));
        stream.early.clear();
    }

    private static long size(byte[] line) {
        return (long) line.length + LINE_OVERHEAD;
    }
}
