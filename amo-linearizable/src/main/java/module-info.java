/** Linearizable RPC over a durable store, as state machines without clocks, threads or sockets. It needs the JDK alone. */
module org.amo.linearizable {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;

    // Leases of clients, their authority and its clock.
    exports org.amo.linearizable.lease;
    // Ids of calls, completion records, and their recovery.
    exports org.amo.linearizable.rpclog;
}
