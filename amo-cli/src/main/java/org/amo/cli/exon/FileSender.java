package org.amo.cli.exon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.amo.cli.CliException;
import org.amo.exon.Outcome;

/**
 * Sends a file until the receiver says that it has arrived. It keeps nothing on disk: where to go on it hears from the receiver, as
 * often as a piece gets lost with the receiver's process. One thread sends; outcomes come in the endpoint's.
 */
final class FileSender {
    /** Under way at a time: a gigabit for 50 ms. The file is read as pieces leave, not ahead of them. */
    private static final long MOST_BYTES_UNDER_WAY = 6L << 20;

    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReceiverLink link;
    private final Consumer<String> line;

    /** Of this file, also pieces of an attempt before that have no outcome yet. */
    private long bytesUnderWay;

    FileSender(ReceiverLink link, Consumer<String> line) {
        this.link = link;
        this.line = line;
    }

    /**
     * Sends it.
     *
     * @return its length
     * @throws CliException if the receiver refuses it or is silent for too long, or the file cannot be read
     */
    long send(Path file, String name) throws InterruptedException {
        FileOffer offer = offer(file, name);
        ProgressLine progress = new ProgressLine(line, name, offer.length());
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            byte[] request = TransferWire.offer(offer);
            Optional<TransferAnswer> told = Optional.empty();
            long done = 0;
            while (true) {
                long shown = done;
                TransferAnswer answer = told.isPresent()
                        ? link.accepted(told.get())
                        : link.insist(request, () -> progress.show(shown, System.nanoTime(), link.remark()));
                told = Optional.empty();
                done = answer.position();
                switch (answer.state()) {
                    case SEND -> {
                        Attempt attempt = new Attempt(offer, from, done);
                        done = attempt.run(progress);
                        told = attempt.told();
                    }
                    case CHECKING -> {
                        progress.show(done, System.nanoTime(), "compared by the receiver");
                        TimeUnit.MILLISECONDS.sleep(100);
                    }
                    default -> {
                        sayTaken(offer);
                        return offer.length();
                    }
                }
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        } finally {
            progress.clear();
        }
    }

    private FileOffer offer(Path file, String name) {
        try {
            long length = Files.size(file);
            ProgressLine reading = new ProgressLine(line, name, length);
            byte[] sha256 = PartialFile.hash(file, done -> reading.show(done, System.nanoTime(), "reading"));
            reading.clear();
            return new FileOffer(name, length, sha256);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static CliException unreadable(Path file, IOException e) {
        return CliException.user("cannot read " + file + " (" + e.getMessage() + "); correct it");
    }

    /** A courtesy: the receiver may end without it, and the file has arrived in any case. */
    private void sayTaken(FileOffer offer) throws InterruptedException {
        try {
            Outcome unused = link.send(TransferWire.taken(offer.key())).get(2, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Nothing depends on it.
        }
    }

    /** The pieces from a position on, until all are delivered, or the receiver has to be asked where to go on. */
    private final class Attempt {
        private final FileOffer offer;
        private final TransferKey key;
        private final FileChannel from;
        private final PiecesInOrder delivered;
        private long next;
        private boolean broken;
        private Optional<TransferAnswer> told = Optional.empty();
        private long askedNanos = System.nanoTime();

        Attempt(FileOffer offer, FileChannel from, long begin) {
            this.offer = offer;
            this.key = offer.key();
            this.from = from;
            this.delivered = new PiecesInOrder(offer, begin);
            this.next = begin;
        }

        /** Returns how much is delivered. */
        long run(ProgressLine progress) throws IOException, InterruptedException {
            byte[] bytes = new byte[FileOffer.PIECE_BYTES];
            while (true) {
                long done = awaitTurn();
                if (done < 0) {
                    return delivered();
                }
                progress.show(done, System.nanoTime(), link.remark());
                link.checkHeard();
                askNowAndThen(done);
                if (isTurn()) {
                    sendNext(bytes);
                }
            }
        }

        private long delivered() {
            synchronized (FileSender.this) {
                return delivered.position();
            }
        }

        /** The answer that ended the attempt; it may be the only one of its kind. */
        Optional<TransferAnswer> told() {
            synchronized (FileSender.this) {
                return told;
            }
        }

        /**
         * Waits a moment for room under way.
         *
         * @return how much is delivered, or -1 at the end of the attempt
         */
        private long awaitTurn() throws InterruptedException {
            synchronized (FileSender.this) {
                if (!isOver() && !hasRoom()) {
                    TimeUnit.MILLISECONDS.timedWait(FileSender.this, 100);
                }
                return isOver() ? -1 : delivered.position();
            }
        }

        private boolean isTurn() {
            synchronized (FileSender.this) {
                return !isOver() && hasRoom();
            }
        }

        private boolean isOver() {
            return broken || delivered.isWhole();
        }

        private boolean hasRoom() {
            return next < offer.length() && bytesUnderWay < MOST_BYTES_UNDER_WAY && delivered.isWithinReach(next);
        }

        private void sendNext(byte[] bytes) throws IOException {
            long offset = next;
            int count = offer.pieceBytes(offset);
            ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, count);
            while (buffer.hasRemaining()) {
                if (from.read(buffer, offset + buffer.position()) < 0) {
                    throw CliException.failedCheck(
                            offer.name() + " became shorter while it was sent; send it again once it stands still");
                }
            }
            synchronized (FileSender.this) {
                bytesUnderWay += count;
            }
            next = offset + count;
            CompletableFuture<Void> unused = link.send(TransferWire.piece(key, offset, bytes, count))
                    .thenAccept(outcome -> onOutcome(offset, count, outcome));
        }

        private void onOutcome(long offset, int count, Outcome outcome) {
            synchronized (FileSender.this) {
                bytesUnderWay -= count;
                if (outcome == Outcome.DELIVERED) {
                    delivered.done(offset);
                } else {
                    broken = true; // the receiver's process ended
                }
                FileSender.this.notifyAll();
            }
        }

        /** The receiver may have refused the rest, or have begun anew with less than it had. */
        private void askNowAndThen(long done) {
            long now = System.nanoTime();
            if (now - askedNanos < ASK_NANOS) {
                return;
            }
            askedNanos = now;
            CompletableFuture<Void> unused =
                    link.ask(TransferWire.offer(offer)).thenAccept(answer -> onAnswer(answer, done));
        }

        private void onAnswer(Optional<TransferAnswer> answer, long doneBefore) {
            boolean goesOn = answer.isEmpty()
                    || (answer.get().state() == TransferAnswer.State.SEND
                            && answer.get().position() >= doneBefore);
            if (!goesOn) {
                synchronized (FileSender.this) {
                    broken = true;
                    told = answer;
                    FileSender.this.notifyAll();
                }
            }
        }
    }
}
