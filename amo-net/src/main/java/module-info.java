/** Netty channels, an inbox between threads and small files, for the shells of all protocols of amo. */
module org.amo.net {
    requires static transitive org.jspecify;
    requires transitive io.netty.transport;
    requires io.netty.common;
    requires io.netty.transport.classes.epoll;

    // Channels of one shell, an inbox between threads, small files that are replaced as a whole.
    exports org.amo.net;
}
