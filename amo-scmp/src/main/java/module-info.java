/** At-most-once messages and calls over UDP without a connection. */
module org.amo.scmp {
    requires static transitive org.jspecify;
    requires io.netty.buffer;
    requires io.netty.common;
    requires transitive io.netty.transport;
    requires transitive org.amo.base;
    requires org.amo.net;
    requires org.slf4j;

    // Clients, servers and their options.
    exports org.amo.scmp.udp;
    // Connection ids, the outcome of a call, and the options of the protocol.
    exports org.amo.scmp;
}
