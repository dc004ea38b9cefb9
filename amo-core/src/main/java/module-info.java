/**
 * The replicated, at-most-once core of amo as state machines without clocks, threads or sockets, their wire formats and the ports
 * between them and the shells that run them. It needs the JDK alone.
 */
@SuppressWarnings("module") // amo's modules that need the inside of this one are built after it
module org.amo.core {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;

    // The port of the ordered log, for a log of one's own; members and their addresses.
    exports org.amo.core.order;
    // The service behind a replica, its settings and status.
    exports org.amo.core.replica;
    // A request, its id, and the answers to it.
    exports org.amo.core.request;
    // The acknowledgements that come with a request.
    exports org.amo.core.sack;
    exports org.amo.core.client to
            org.amo.grpc,
            org.amo.interceptors,
            org.amo.replication,
            org.amo.sim;
    exports org.amo.core.datagram to
            org.amo.interceptors,
            org.amo.replication;
    exports org.amo.core.door to
            org.amo.interceptors,
            org.amo.replication;
    exports org.amo.core.reply to
            org.amo.benchmarks,
            org.amo.replication,
            org.amo.sim;
    exports org.amo.core.state to
            org.amo.interceptors,
            org.amo.replication;
    exports org.amo.core.wire to
            org.amo.grpc,
            org.amo.interceptors,
            org.amo.replication;
}
