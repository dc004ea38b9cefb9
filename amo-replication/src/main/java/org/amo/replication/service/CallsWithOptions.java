package org.amo.replication.service;

import java.util.concurrent.CompletionStage;

/** The ways to call through a client with options of their own. Any thread. */
record CallsWithOptions(AmoClient client, Queries queries, CallOptions options) implements AmoCalls {
    @Override
    public byte[] call(byte[] request) {
        return client.call(request, client.deadline(options));
    }

    @Override
    public CompletionStage<byte[]> callAsync(byte[] request) {
        return client.callAsync(request, client.deadline(options));
    }

    @Override
    public void oneway(byte[] request) {
        client.oneway(request, client.deadline(options));
    }

    @Override
    public byte[] query(byte[] request) {
        return queries.query(request, options);
    }

    @Override
    public CompletionStage<byte[]> queryAsync(byte[] request) {
        return queries.queryAsync(request, options);
    }

    @Override
    public <T> T proxy(Class<T> type) {
        return ClientProxy.of(this, type);
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
