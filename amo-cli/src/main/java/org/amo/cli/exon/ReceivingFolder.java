package org.amo.cli.exon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.cli.ExitCodes;

/**
 * A folder that files arrive in. A file gets its name once its length and SHA-256, read back from the disk, are those that
 * its sender has told; until then its pieces are in a hidden file beside.
 *
 * <p>All messages repeat without harm: an offer is answered by the state of its transfer, and a piece goes to its place. So a sender
 * that hears nothing, or was started again, offers the file again and goes on where the answer says. Any thread.
 */
final class ReceivingFolder implements AutoCloseable {
    /** Transfers at a time; memory of each is bounded by {@link PiecesInOrder#MOST_AHEAD}. */
    static final int MOST_TRANSFERS = 64;

    /** A sender that was told so much may have been killed before it said that it knows. */
    private static final long UNTAKEN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String HIDDEN = ".amo-";

    private final Path folder;
    private final boolean overwrite;
    private final Consumer<String> notices;
    private final ExecutorService checks = Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-exon-check"));

    /** In the order of their last use. */
    private final Map<TransferKey, Transfer> transfers = new LinkedHashMap<>(16, 0.75f, true);

    private long arrived;
    private long taken;
    private long lastArrivalNanos;

    /** One file; its fields belong to the folder's lock. */
    private static final class Transfer {
        final FileOffer offer;
        final Path target;
        final AtomicLong checked = new AtomicLong();

        /** Until the file is whole, and from then on in the hands of the check. */
        Optional<PartialFile> partial = Optional.empty();

        boolean checking;

        /** The time of last change of the file in its place, once it is there. */
        Optional<FileTime> arrivedWith = Optional.empty();

        /** Once it is over. */
        Optional<TransferAnswer> end = Optional.empty();

        Transfer(FileOffer offer, Path target) {
            this.offer = offer;
            this.target = target;
        }
    }

    /** @param notices takes a line for each file that arrived, and each that cannot */
    ReceivingFolder(Path folder, boolean overwrite, Consumer<String> notices) {
        this.folder = folder;
        this.overwrite = overwrite;
        this.notices = notices;
    }

    synchronized TransferAnswer onOffer(FileOffer offer) {
        TransferKey key = offer.key();
        Transfer known = transfers.get(key);
        if (known != null && hasGone(known)) {
            transfers.remove(key);
            known = null;
        }
        if (known == null) {
            Optional<Path> target = target(offer.name());
            if (target.isEmpty()) {
                return refused(
                        ExitCodes.USER,
                        "the receiver takes no file of the name '" + printable(offer.name())
                                + "'; send it under a name without folders that does not begin with " + HIDDEN);
            }
            if (!makeRoom()) {
                return refused(
                        ExitCodes.ENVIRONMENT,
                        "the receiver compares " + MOST_TRANSFERS + " files already; send it again in a minute");
            }
            known = new Transfer(offer, target.get());
            transfers.put(key, known);
            begin(known);
        }
        return answer(key, known);
    }

    private TransferAnswer answer(TransferKey key, Transfer transfer) {
        if (transfer.end.isPresent()) {
            if (transfer.end.get().state() == TransferAnswer.State.REFUSED) {
                transfers.remove(key); // told once: the cause may be mended until the next offer
            }
            return transfer.end.get();
        }
        if (transfer.checking) {
            return TransferAnswer.checking(transfer.checked.get());
        }
        return TransferAnswer.send(transfer.partial.map(PartialFile::position).orElse(0L));
    }

    /** Whether a file that arrived was removed or changed since. */
    private static boolean hasGone(Transfer transfer) {
        return transfer.arrivedWith.isPresent() && !transfer.arrivedWith.equals(timeOf(transfer.target));
    }

    private static Optional<FileTime> timeOf(Path file) {
        try {
            return Optional.of(Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private void begin(Transfer transfer) {
        if (!Files.exists(transfer.target, LinkOption.NOFOLLOW_LINKS)) {
            openPartial(transfer);
        } else if (isSameLength(transfer)) {
            check(transfer, () -> compareWithExisting(transfer));
        } else {
            onOtherContent(transfer);
        }
    }

    private static boolean isSameLength(Transfer transfer) {
        try {
            return Files.isRegularFile(transfer.target, LinkOption.NOFOLLOW_LINKS)
                    && Files.size(transfer.target) == transfer.offer.length();
        } catch (IOException e) {
            return false;
        }
    }

    private void onOtherContent(Transfer transfer) {
        if (overwrite && !Files.isDirectory(transfer.target, LinkOption.NOFOLLOW_LINKS)) {
            openPartial(transfer);
        } else {
            end(
                    transfer,
                    refused(
                            ExitCodes.USER,
                            transfer.target + " is there with another content; move it away"
                                    + (overwrite ? "" : ", or start the receiver with --overwrite")));
        }
    }

    private void openPartial(Transfer transfer) {
        try {
            long missing = transfer.offer.length() - PartialFile.bytesOf(folder, transfer.offer);
            long free = Files.getFileStore(folder).getUsableSpace();
            if (missing > free) {
                end(
                        transfer,
                        refused(
                                ExitCodes.ENVIRONMENT,
                                "the disk of " + folder + " has " + Amounts.bytes(free) + " free and needs "
                                        + Amounts.bytes(missing) + "; make room and send the file again"));
                return;
            }
            PartialFile partial = PartialFile.open(folder, transfer.offer, System.nanoTime());
            transfer.partial = Optional.of(partial);
            if (partial.position() > 0) {
                notices.accept("goes on with " + transfer.offer.name() + " at " + partial.position() + " of "
                        + transfer.offer.length() + " bytes");
            }
            if (partial.isWhole()) {
                check(transfer, () -> compareAndMove(transfer, partial));
            }
        } catch (IOException e) {
            onFault(transfer, e);
        }
    }

    /** A piece of an unknown transfer is dropped: its sender learns it by its next offer. */
    synchronized void onPiece(TransferKey key, long offset, byte[] bytes) {
        Transfer transfer = transfers.get(key);
        if (transfer == null || transfer.checking || transfer.partial.isEmpty()) {
            return;
        }
        PartialFile partial = transfer.partial.get();
        try {
            partial.write(offset, bytes, System.nanoTime());
            if (partial.isWhole()) {
                partial.note(System.nanoTime());
                check(transfer, () -> compareAndMove(transfer, partial));
            }
        } catch (IOException e) {
            onFault(transfer, e);
        }
    }

    private void check(Transfer transfer, Runnable comparison) {
        transfer.checking = true;
        checks.execute(comparison);
    }

    private void compareAndMove(Transfer transfer, PartialFile partial) {
        try {
            if (!partial.isRight(transfer.checked::set)) {
                partial.discard();
                endChecked(
                        transfer,
                        refused(
                                ExitCodes.CHECK_FAILED,
                                transfer.offer.name()
                                        + " arrived with another SHA-256 than its sender told; send it again, and if"
                                        + " that repeats while the file stands still, test both disks"));
                return;
            }
            if (!overwrite && Files.exists(transfer.target, LinkOption.NOFOLLOW_LINKS)) {
                endChecked(
                        transfer,
                        refused(
                                ExitCodes.USER,
                                transfer.target + " was made while the file arrived; move it away and send again"));
                return;
            }
            partial.moveTo(transfer.target);
            onArrived(transfer);
        } catch (IOException e) {
            onFault(transfer, e);
        }
    }

    private void compareWithExisting(Transfer transfer) {
        try {
            if (PartialFile.isRight(transfer.target, transfer.offer, transfer.checked::set)) {
                PartialFile.remove(folder, transfer.offer);
                onArrived(transfer);
            } else {
                onExistingDiffers(transfer);
            }
        } catch (IOException e) {
            onFault(transfer, e);
        }
    }

    private synchronized void onExistingDiffers(Transfer transfer) {
        transfer.checking = false;
        onOtherContent(transfer);
    }

    private synchronized void onArrived(Transfer transfer) {
        arrived++;
        lastArrivalNanos = System.nanoTime();
        transfer.arrivedWith = timeOf(transfer.target);
        notices.accept("received " + transfer.offer.name() + ", " + transfer.offer.length() + " bytes");
        end(transfer, TransferAnswer.arrived(transfer.offer.length()));
        notifyAll();
    }

    private synchronized void endChecked(Transfer transfer, TransferAnswer answer) {
        end(transfer, answer);
    }

    private synchronized void onFault(Transfer transfer, IOException fault) {
        end(
                transfer,
                refused(
                        ExitCodes.ENVIRONMENT,
                        "the receiver cannot write into " + folder + " (" + fault.getMessage()
                                + "); make room, or the folder writable, and send the file again: it goes on where it"
                                + " was"));
    }

    private void end(Transfer transfer, TransferAnswer answer) {
        transfer.checking = false;
        close(transfer);
        transfer.end = Optional.of(answer);
        if (answer.state() == TransferAnswer.State.REFUSED) {
            notices.accept("refused " + printable(transfer.offer.name()) + ": " + answer.reason());
        }
    }

    private void close(Transfer transfer) {
        transfer.partial.ifPresent(partial -> {
            try {
                partial.close();
            } catch (IOException e) {
                notices.accept("cannot close " + partial + " (" + e.getMessage() + ")");
            }
        });
        transfer.partial = Optional.empty();
    }

    /** The sender knows that its file has arrived. */
    synchronized void onTaken() {
        taken++;
        notifyAll();
    }

    /** Waits until so many files have arrived and their senders know, or were silent for 10 s since. */
    synchronized void awaitArrivals(long count) throws InterruptedException {
        while (taken < count && (arrived < count || System.nanoTime() - lastArrivalNanos < UNTAKEN_NANOS)) {
            TimeUnit.MILLISECONDS.timedWait(this, 500);
        }
    }

    /** Ends the transfer that was used the longest time ago, if there are too many. Its pieces stay, for a later offer. */
    private boolean makeRoom() {
        Iterator<Transfer> all = transfers.values().iterator();
        while (transfers.size() >= MOST_TRANSFERS && all.hasNext()) {
            Transfer oldest = all.next();
            if (!oldest.checking) {
                setAside(oldest);
                all.remove();
            }
        }
        return transfers.size() < MOST_TRANSFERS;
    }

    /** Notes what has come of a file. */
    private void setAside(Transfer transfer) {
        transfer.partial.ifPresent(partial -> {
            try {
                partial.note(System.nanoTime());
            } catch (IOException e) {
                notices.accept("cannot note how much of " + partial + " is there (" + e.getMessage() + ")");
            }
        });
        close(transfer);
    }

    /** The place for a file, if the name is a plain one: it must name an entry of this folder. */
    private Optional<Path> target(String name) {
        try {
            Path path = Path.of(name);
            boolean plain = path.getNameCount() == 1
                    && !path.isAbsolute()
                    && path.toString().equals(name)
                    && !name.isEmpty()
                    && !name.equals(".")
                    && !name.equals("..")
                    && name.indexOf('\\') < 0
                    && name.chars().noneMatch(Character::isISOControl)
                    && !name.startsWith(HIDDEN);
            return plain ? Optional.of(folder.resolve(name)) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static String printable(String name) {
        return name.codePoints()
                .map(each -> Character.isISOControl(each) ? '?' : each)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static TransferAnswer refused(int exitCode, String reason) {
        return TransferAnswer.refused(exitCode, reason);
    }

    /** Notes what has come of all files. */
    @Override
    public void close() {
        checks.shutdown();
        synchronized (this) {
            transfers.values().stream().filter(each -> !each.checking).forEach(this::setAside);
        }
    }
}
