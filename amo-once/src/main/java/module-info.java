/** Requests that run exactly once under keys that their callers choose. */
module org.amo.once {
    requires static transitive org.jspecify;
    requires transitive org.amo.base;

    // The executor, its keys and options, and the port of its stores.
    exports org.amo.once;
}
