/** Exactly-once messages over links that lose, repeat and reorder datagrams. */
module org.amo.exon {
    requires static transitive org.jspecify;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires transitive org.amo.base;
    requires org.amo.net;
    requires org.slf4j;

    // Endpoints, their options and receivers.
    exports org.amo.exon.udp;
    // Node ids, the outcome of a message, the options of the protocol.
    exports org.amo.exon;
}
