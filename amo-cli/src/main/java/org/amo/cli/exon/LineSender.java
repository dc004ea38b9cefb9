package org.amo.cli.exon;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.cli.CliException;
import org.amo.exon.Outcome;

/**
 * Sends the lines of a stream, each once. It reads no more than may be under way. A line whose outcome is unknown ends the
 * stream: the input cannot be read again, so nothing could be made good. One thread sends; outcomes come in the endpoint's.
 */
final class LineSender {
    /** From the oldest line without an outcome on: the receiver keeps those that come before it. */
    private static final long MOST_BYTES_UNDER_WAY = 1L << 20;

    private static final int LINE_OVERHEAD = 100;

    private final ReceiverLink link;
    private final long stream = new SecureRandom().nextLong();

    /** In the order of the lines; none at the head has an outcome. */
    private final ArrayDeque<Sent> underWay = new ArrayDeque<>();

    private long bytesUnderWay;
    private long delivered;
    private boolean broken;

    private static final class Sent {
        final int bytes;
        boolean done;

        Sent(int bytes) {
            this.bytes = bytes;
        }
    }

    LineSender(ReceiverLink link) {
        this.link = link;
    }

    /**
     * Sends all of them.
     *
     * @return how many
     */
    long send(InputStream input) throws InterruptedException {
        InputStream from = new BufferedInputStream(input);
        long number = 0;
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (readLine(from, line, number)) {
                awaitRoom(line.size());
                sendLine(number++, line.toByteArray());
                line.reset();
            }
        } catch (IOException e) {
            throw CliException.environment("cannot read standard input (" + e.getMessage() + ")");
        }
        awaitAll();
        link.insist(TransferWire.endOfLines(stream, number), () -> {});
        return number;
    }

    /**
     * Reads up to the next end of line, or of the input.
     *
     * @return false if there was nothing left
     */
    private static boolean readLine(InputStream from, ByteArrayOutputStream line, long number) throws IOException {
        int next = from.read();
        if (next < 0) {
            return false;
        }
        while (next >= 0 && next != '\n') {
            if (line.size() == TransferWire.MOST_LINE_BYTES) {
                throw CliException.user("line " + (number + 1) + " has more than " + TransferWire.MOST_LINE_BYTES
                        + " bytes; write the input to a file and send that");
            }
            line.write(next);
            next = from.read();
        }
        return true;
    }

    private synchronized void awaitRoom(int bytes) throws InterruptedException {
        while (!broken && bytesUnderWay > 0 && bytesUnderWay + bytes + LINE_OVERHEAD > MOST_BYTES_UNDER_WAY) {
            awaitMoment();
        }
        checkWhole();
    }

    private synchronized void awaitAll() throws InterruptedException {
        while (!broken && !underWay.isEmpty()) {
            awaitMoment();
        }
        checkWhole();
    }

    private void awaitMoment() throws InterruptedException {
        TimeUnit.MILLISECONDS.timedWait(this, 100);
        link.checkHeard();
    }

    private void checkWhole() {
        if (broken) {
            throw CliException.failedCheck("the receiver at " + link + " ended; it had printed " + delivered
                    + " lines, and perhaps some more: look there, and send the rest");
        }
    }

    private void sendLine(long number, byte[] line) {
        Sent sent = new Sent(line.length + LINE_OVERHEAD);
        synchronized (this) {
            underWay.add(sent);
            bytesUnderWay += sent.bytes;
        }
        CompletableFuture<Void> unused =
                link.send(TransferWire.line(stream, number, line)).thenAccept(outcome -> onOutcome(sent, outcome));
    }

    private synchronized void onOutcome(Sent sent, Outcome outcome) {
        if (outcome != Outcome.DELIVERED) {
            broken = true;
        }
        sent.done = outcome == Outcome.DELIVERED;
        while (!underWay.isEmpty() && underWay.getFirst().done) {
            bytesUnderWay -= underWay.removeFirst().bytes;
            delivered++;
        }
        notifyAll();
    }
}
