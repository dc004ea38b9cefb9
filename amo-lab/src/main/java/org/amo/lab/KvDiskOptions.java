package org.amo.lab;

import org.amo.linearizable.rocksdb.Durability;
import picocli.CommandLine.Option;

/** Where a process of {@code amo kv} with a disk listens, and how it writes. */
final class KvDiskOptions {
    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            paramLabel = "HOST",
            description = "Address to listen on, at which the others reach it. Default: ${DEFAULT-VALUE}.")
    private String host = "";

    @Option(
            names = "--port",
            defaultValue = "0",
            paramLabel = "PORT",
            description = "Port to listen on; 0 is any free port. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--durability",
            defaultValue = "fsync",
            paramLabel = "fsync|file",
            description = "file survives kill -9, fsync the loss of power, too. Default: ${DEFAULT-VALUE}.")
    private Durability durability = Durability.FSYNC;

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    Durability durability() {
        return durability;
    }
}
