/**
 * The protocols of amo as state machines without clocks, threads or sockets, their wire formats, the ports between them
 * and the shells that run them, and a deterministic simulator. It needs the JDK alone.
 */
module org.amo.core {
    requires static transitive org.jspecify;

    exports org.amo.core.client;
    exports org.amo.core.door;
    exports org.amo.core.dpg;
    exports org.amo.core.exon;
    exports org.amo.core.lease;
    exports org.amo.core.order;
    exports org.amo.core.pruning;
    exports org.amo.core.replica;
    exports org.amo.core.reply;
    exports org.amo.core.request;
    exports org.amo.core.rpclog;
    exports org.amo.core.rules;
    exports org.amo.core.sack;
    exports org.amo.core.scmp;
    exports org.amo.core.scmp.rpc;
    exports org.amo.core.sim;
    exports org.amo.core.state;
    exports org.amo.core.wire;
}
