package org.amo.replication.service;

import java.util.concurrent.CompletionStage;

/** The ways to call through a client with options of their own. Any thread. */
record CallsWithOptions(AmoClient client, Queries queries, CallOptions options) implements AmoCalls {
    @Override
    public byte[] call(byte[] request) {
        return client.call(body(request), client.deadline(options));
    }

    @Override
    public CompletionStage<byte[]> callAsync(byte[] request) {
        return client.callAsync(body(request), client.deadline(options));
    }

    @Override
    public void oneway(byte[] request) {
        client.oneway(body(request), client.deadline(options));
    }

    @Override
    public byte[] query(byte[] request) {
        return queries.query(body(request), options);
    }

    @Override
    public CompletionStage<byte[]> queryAsync(byte[] request) {
        return queries.queryAsync(body(request), options);
    }

    private byte[] body(byte[] request) {
        return new Envelope(options.metadata(), request).toBytes();
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
