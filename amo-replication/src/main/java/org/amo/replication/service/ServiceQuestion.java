package org.amo.replication.service;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.amo.base.NestedCall;
import org.amo.base.NestedCalls;

/** A question that an operation asks one member of another group. It has no identity: one replica asks it, once. */
record ServiceQuestion(String group, ClientLoop loop, byte[] question, long patienceMillis) implements NestedCall {
    /** The stage has ended when it is returned. */
    static CompletionStage<byte[]> ask(
            String group, NestedCalls ordered, ClientLoop loop, byte[] question, long patienceMillis) {
        return ordered.call(new ServiceQuestion(group, loop, question, patienceMillis))
                .map(CompletableFuture::completedStage)
                .orElseGet(() -> CompletableFuture.failedStage(
                        new AmoUnknownException("no answer from group " + group + " in time")));
    }

    @Override
    public String target() {
        return "group " + group;
    }

    @Override
    public Optional<byte[]> identity() {
        return Optional.empty();
    }

    @Override
    public Optional<byte[]> send(Optional<byte[]> identity, long leftMillis) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        loop.ask(question, answer);
        try {
            return Optional.of(answer.orTimeout(Math.min(leftMillis, patienceMillis), TimeUnit.MILLISECONDS)
                    .join());
        } catch (CompletionException e) {
            return Optional.empty();
        }
    }

    @Override
    public void finished() {
        // It has no number.
    }
}
