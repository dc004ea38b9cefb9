/** Total-order multicast without group membership; over UDP, sequencer-ordered multicast with insensitive membership. */
module org.amo.dpg {
    requires static transitive org.jspecify;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires transitive org.amo.base;
    requires org.amo.net;
    requires org.slf4j;

    // Endpoints, their options and receivers.
    exports org.amo.dpg.udp;
    // Message tags, and the options of the protocol.
    exports org.amo.dpg;
}
