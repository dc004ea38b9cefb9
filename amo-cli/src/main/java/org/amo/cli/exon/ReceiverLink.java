package org.amo.cli.exon;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HostPort;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.amo.exon.udp.ExonEndpoint;

/** The way of a sender to its receiver, and how long that is silent. Any thread. */
final class ReceiverLink {
    /** The name of every receiver: a sender knows it by its address. */
    static final NodeId RECEIVER = new NodeId(0x616D6F2065786F6EL, 1);

    /** A message is under way as long as its sender has not given up: slow links take their time. */
    private static final Duration FOR_EVER = Duration.ofDays(1);

    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final ExonEndpoint endpoint;
    private final HostPort address;
    private final long giveUpMillis;
    private volatile long heardNanos = System.nanoTime();

    ReceiverLink(ExonEndpoint endpoint, HostPort address, long giveUpMillis) {
        this.endpoint = endpoint;
        this.address = address;
        this.giveUpMillis = giveUpMillis;
    }

    CompletableFuture<Outcome> send(byte[] message) {
        CompletableFuture<Outcome> outcome = endpoint.send(RECEIVER, message, FOR_EVER);
        return outcome.thenApply(each -> {
            if (each == Outcome.DELIVERED) {
                heardNanos = System.nanoTime();
            }
            return each;
        });
    }

    /** The answer to a request, or nothing if there is none within 10 s. The future never fails. */
    CompletableFuture<Optional<TransferAnswer>> ask(byte[] request) {
        return endpoint.request(RECEIVER, request, ANSWER).handle((reply, failure) -> {
            if (failure != null) {
                return Optional.empty();
            }
            heardNanos = System.nanoTime();
            try {
                return Optional.of(TransferWire.answer(reply));
            } catch (MalformedFrameException e) {
                return Optional.of(TransferAnswer.refused(
                        ExitCodes.CHECK_FAILED,
                        "cannot read the receiver's answer (" + e.getMessage()
                                + "); run the same version at both ends"));
            }
        });
    }

    /**
     * The answer to a request, which is made until there is one.
     *
     * @throws CliException if there is none for too long, or it is a refusal
     */
    TransferAnswer insist(byte[] request, Runnable whileWaiting) throws InterruptedException {
        while (true) {
            CompletableFuture<Optional<TransferAnswer>> asked = ask(request);
            while (!asked.isDone()) {
                checkHeard();
                whileWaiting.run();
                awaitMoment(asked);
            }
            Optional<TransferAnswer> answer = asked.join();
            if (answer.isPresent()) {
                return accepted(answer.get());
            }
            checkHeard();
            TimeUnit.MILLISECONDS.sleep(100); // the endpoint may say at once that it cannot ask
        }
    }

    private static void awaitMoment(CompletableFuture<?> future) throws InterruptedException {
        try {
            Object unused = future.get(100, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // The next moment.
        } catch (ExecutionException e) {
            throw new IllegalStateException("an answer never fails", e);
        }
    }

    /** @throws CliException if it is a refusal */
    TransferAnswer accepted(TransferAnswer answer) {
        if (answer.state() == TransferAnswer.State.REFUSED) {
            throw answer.exitCode() == ExitCodes.ENVIRONMENT
                    ? CliException.environment(answer.reason())
                    : refusal(answer);
        }
        return answer;
    }

    private static CliException refusal(TransferAnswer answer) {
        return answer.exitCode() == ExitCodes.USER
                ? CliException.user(answer.reason())
                : CliException.failedCheck(answer.reason());
    }

    /** @throws CliException if the receiver is silent for too long */
    void checkHeard() {
        if (System.nanoTime() - heardNanos > TimeUnit.MILLISECONDS.toNanos(giveUpMillis)) {
            throw CliException.environment("no answer of " + this + " for " + Durations.format(giveUpMillis)
                    + "; start ./amo exon recv there with the same secret, and run this command again: it goes"
                    + " on where it was");
        }
    }

    /** For the progress: says so if the receiver is silent. */
    String remark() {
        return System.nanoTime() - heardNanos > SILENT_NANOS ? "waiting for " + this : "";
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
