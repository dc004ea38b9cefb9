package org.amo.cli.exon;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.base.wire.MalformedFrameException;
import org.amo.cli.ExitCodes;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonReceiver;

/** Takes the messages of all senders to the folder, or to the streams of lines. The endpoint's delivery thread. */
final class TransferReceiver implements ExonReceiver {
    private final Optional<ReceivingFolder> folder;
    private final Optional<LineStreams> lines;
    private final CompletableFuture<String> broken = new CompletableFuture<>();

    TransferReceiver(Optional<ReceivingFolder> folder, Optional<LineStreams> lines) {
        this.folder = folder;
        this.lines = lines;
    }

    /** Completes with the reason if lines cannot be printed any more. */
    CompletableFuture<String> broken() {
        return broken;
    }

    /** A message that makes no sense is dropped: only a holder of the secret can send one. */
    @Override
    public void onMessage(NodeId from, byte[] message) {
        try {
            switch (TransferWire.kind(message)) {
                case TransferWire.PIECE -> onPiece(TransferWire.piece(message));
                case TransferWire.TAKEN -> folder.ifPresent(ReceivingFolder::onTaken);
                case TransferWire.LINE -> onLine(TransferWire.line(message));
                default -> {
                    // A probe, which has done its work by its arrival.
                }
            }
        } catch (MalformedFrameException e) {
            // Its sender is of another version; it hears so by the answer to its offer.
        }
    }

    private void onPiece(TransferWire.Piece piece) {
        folder.ifPresent(files -> files.onPiece(piece.key(), piece.offset(), piece.bytes()));
    }

    private void onLine(TransferWire.Line line) {
        if (lines.isEmpty()) {
            return;
        }
        try {
            lines.get().onLine(line);
        } catch (IOException e) {
            // The stream has a gap from here on, of which its sender hears at its end.
            broken.complete("cannot print the lines that come (" + e.getMessage() + ")");
        }
    }

    @Override
    public byte[] onRequest(NodeId from, byte[] request) {
        return TransferWire.answer(answer(request));
    }

    private TransferAnswer answer(byte[] request) {
        try {
            return switch (TransferWire.kind(request)) {
                case TransferWire.OFFER ->
                    folder.isPresent()
                            ? folder.get().onOffer(TransferWire.offer(request))
                            : refused("files", "--into FOLDER");
                case TransferWire.END_OF_LINES ->
                    lines.isPresent() ? lines.get().onEnd(TransferWire.line(request)) : refused("lines", "--lines");
                default ->
                    TransferAnswer.refused(
                            ExitCodes.USER,
                            "the receiver does not know the request; run the same version of amo at both ends");
            };
        } catch (MalformedFrameException e) {
            return TransferAnswer.refused(
                    ExitCodes.USER,
                    "the receiver cannot read the request (" + e.getMessage()
                            + "); run the same version of amo at both ends");
        }
    }

    private static TransferAnswer refused(String what, String option) {
        return TransferAnswer.refused(ExitCodes.USER, "the receiver takes no " + what + "; start it with " + option);
    }
}
