/**
 * The replicated, at-most-once core of amo as state machines without clocks, threads or sockets, their wire formats and the ports
 * between them and the shells that run them. It needs the JDK alone.
 */
module org.amo.core {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;

    exports org.amo.core.client;
    exports org.amo.core.door;
    exports org.amo.core.order;
    exports org.amo.core.pruning;
    exports org.amo.core.replica;
    exports org.amo.core.reply;
    exports org.amo.core.request;
    exports org.amo.core.sack;
    exports org.amo.core.state;
    exports org.amo.core.wire;
}
