/** Metrics, health and status of amo's members and clients: over HTTP, by JMX and by Micrometer. It knows no protocol. */
@SuppressWarnings("requires-automatic") // Micrometer has no module descriptor
module org.amo.observe {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;
    requires java.management;
    requires jdk.httpserver;
    requires org.slf4j;
    requires static micrometer.core;

    // The offer of a component's readings, and the options of the port.
    exports org.amo.observe;
}
