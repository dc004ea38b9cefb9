/** Linearizable RPC over a durable store, as state machines without clocks, threads or sockets. It needs the JDK alone. */
module org.amo.linearizable {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;

    exports org.amo.linearizable.lease;
    exports org.amo.linearizable.rpclog;
}
